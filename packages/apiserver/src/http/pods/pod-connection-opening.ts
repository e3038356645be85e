import type { Socket } from 'node:net';

/** The means to turn a request into a connection. */
export interface PodConnectionOpening {
  /** Sends status and headers; false if a fault has sent the response, or the client is gone. */
  readonly head: (status: number, headers: Readonly<Record<string, string | string[]>>) => Promise<boolean>;
  /** Resolves when the socket has room again, or the client is gone. */
  readonly drained: (socket: Socket) => Promise<void>;
  /** Resolves after this time, or when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}
