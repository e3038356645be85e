import type { ApiObject } from './kube-object.ts';

/** A command that a client wants to run in a container, or with `attach` its main process. */
export interface ExecRequest {
  /** Shared with the server: do not change it. */
  readonly pod: ApiObject;
  readonly container: string;
  /** The command; empty for an `attach`. */
  readonly command: readonly string[];
  readonly tty: boolean;
  /** Standard input from the client. Ends when the client ends it or disconnects. */
  readonly stdin: AsyncIterable<Buffer>;
  /** Writes standard output. Resolves when there is room for more. */
  readonly stdout: (data: string | Uint8Array) => Promise<void>;
  /** Writes standard error; with a terminal it is part of the output. */
  readonly stderr: (data: string | Uint8Array) => Promise<void>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** The end of a command, and output that was not written yet. */
export interface ExecResult {
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string | Uint8Array;
  /** @default 0 */
  readonly exitCode?: number;
}

/** A connection to a port of a pod. */
export interface ForwardRequest {
  /** Shared with the server: do not change it. */
  readonly pod: ApiObject;
  readonly port: number;
}

/** Functions that take the place of containers. */
export interface PodConnections {
  /** Runs a command: `kubectl exec`, `kubectl attach`. @default both are refused */
  readonly exec?: (request: ExecRequest) => ExecResult | void | Promise<ExecResult | void>;
  /**
   * The port of a server on 127.0.0.1 that acts as the pod's port; undefined if nothing listens there.
   * @default refused
   */
  readonly portForward?: (request: ForwardRequest) => number | undefined | Promise<number | undefined>;
}
