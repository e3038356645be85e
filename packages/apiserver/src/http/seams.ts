import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestInfo } from '../core/request-info.ts';
import type { User } from '../core/user.ts';
import type { Write } from '../storage/store/stored-collection.ts';
import type { WatchSink } from '../storage/watch/watch-sink.ts';

/** A request as the seams see it. */
export interface FaultRequest {
  readonly info: RequestInfo;
  /** Query parameters. May be changed before routing, as by a server that does not know a parameter. */
  readonly query: URLSearchParams;
  /** Undefined if the request is not authenticated. */
  readonly user: User | undefined;
  readonly userAgent: string;
  /** Node's request and response, for faults that cut sockets. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the response is over: sent, cut off, or given up by the client. */
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
 * A seam that is undefined costs nothing: the server asks whether it is there, not whether a rule matches.
 */
export interface Faults {
  /** Called before anything is looked up. May wait, respond, or destroy the socket. */
  readonly beforeRouting?: ((request: FaultRequest) => Promise<Verdict>) | undefined;
  /** The response is known, nothing of it is sent yet. May wait, send another response, or change how it is written. */
  readonly beforeHead?: ((request: FaultRequest, status: number) => Promise<Verdict>) | undefined;
  /** A watch begins. May give back another sink, which then sees every byte. */
  readonly watchSink?: ((request: FaultRequest, sink: WatchSink) => WatchSink) | undefined;
  /** A write is about to be stored. May throw a StatusError. */
  readonly transaction?: ((write: Write) => void) | undefined;
}

export const noFaults: Faults = {};
