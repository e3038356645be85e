import type { KubeError } from '../core/errors.ts';

/**
 * The types and verbs of client-node's informer, so that type annotations in existing programs still compile.
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
/** A watch was opened or reopened. */
export const CONNECT = 'connect';
export type CONNECT = typeof CONNECT;
/** A request failed. It will be retried. */
export const ERROR = 'error';
export type ERROR = typeof ERROR;

export type ObjectCallback<T> = (object: T) => void;

/** The argument is an InformerError. Existing programs declare other types: `Error`, `V1Status`, their own. */
// oxlint-disable-next-line typescript/no-explicit-any -- with `unknown` such a program would not compile
export type ErrorCallback = (error?: any) => void;

/** Argument of `error` callbacks: a KubeError with the HTTP status in the same field as client-node. */
export interface InformerError extends KubeError {
  /** HTTP status of the server's response, if there was one. */
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
