import type { KubeError } from '../core/errors.ts';

/**
 * The faces client-node gives its informer, so that annotations in existing programs go on compiling.
 *
 * Room rule: types and words; nothing happens here.
 */

export const ADD = 'add';
export type ADD = typeof ADD;
export const UPDATE = 'update';
export type UPDATE = typeof UPDATE;
/** Any of add, update and delete. */
export const CHANGE = 'change';
export type CHANGE = typeof CHANGE;
export const DELETE = 'delete';
export type DELETE = typeof DELETE;
/** A watch was opened, or opened again. */
export const CONNECT = 'connect';
export type CONNECT = typeof CONNECT;
/** A request failed. It will be tried again. */
export const ERROR = 'error';
export type ERROR = typeof ERROR;

export type ObjectCallback<T> = (object: T) => void;

/** In programs that exist the parameter is anything: `Error`, `V1Status`, a type of their own. What comes is an InformerError. */
// oxlint-disable-next-line typescript/no-explicit-any -- with `unknown` such a program would not compile any more
export type ErrorCallback = (error?: any) => void;

/** What `error` callbacks are told: ours, with the HTTP status where client-node has it. */
export interface InformerError extends KubeError {
  /** Of the server's answer, if there was one. */
  readonly statusCode?: number;
}

export type ListPromise<T> = () => Promise<{ readonly items: T[] }>;

export interface Informer<T> {
  on(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
  on(verb: ERROR | CONNECT, callback: ErrorCallback): void;
  off(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
  off(verb: ERROR | CONNECT, callback: ErrorCallback): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ObjectCache<T> {
  get(name: string, namespace?: string): T | undefined;
  list(namespace?: string): readonly T[];
}
