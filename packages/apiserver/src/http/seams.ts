import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestInfo } from '../core/request-info.ts';
import type { User } from '../core/user.ts';
import type { Write } from '../storage/store/stored-collection.ts';
import type { WatchSink } from '../storage/watch/watch-sink.ts';

/** A request in the form that the seams use. */
export interface FaultRequest {
  readonly info: RequestInfo;
  /** Query parameters. May be changed before routing, to behave like a server that does not support a parameter. */
  readonly query: URLSearchParams;
  /** Undefined if the request is not authenticated. */
  readonly user: User | undefined;
  readonly userAgent: string;
  /** Node's request and response, for faults that cut sockets. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the response is over: sent, cut off, or abandoned by the client. */
  readonly gone: AbortSignal;
  /** Puts the fault's name into the request log. */
  readonly note: (fault: string) => void;
  /** Bytes of the body sent so far, for the request log. */
  bytes: number;
}

/** Whether the request continues, or a fault has sent the response. */
export type Verdict = 'continue' | 'answered';

/**
 * The four places where faults may act; the rest of the server does not know them.
 *
 * An undefined seam costs nothing: the server checks whether it exists, not whether a rule matches.
 */
export interface Faults {
  /** Called before anything is looked up. May wait, respond, or destroy the socket. */
  readonly beforeRouting?: ((request: FaultRequest) => Promise<Verdict>) | undefined;
  /**
   * Called when the response is known and nothing of it is sent. May wait, send another response, or change
   * how it is written.
   */
  readonly beforeHead?: ((request: FaultRequest, status: number) => Promise<Verdict>) | undefined;
  /** Called when a watch begins. May return another sink, which then receives every byte. */
  readonly watchSink?: ((request: FaultRequest, sink: WatchSink) => WatchSink) | undefined;
  /** Called before a write is stored. May throw a StatusError. */
  readonly transaction?: ((write: Write) => void) | undefined;
}

export const noFaults: Faults = {};
