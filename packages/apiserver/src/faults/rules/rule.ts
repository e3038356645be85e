import type { JsonObject } from '../../core/json.ts';
import type { FaultRequest } from '../../http/seams.ts';

/** A text to compare with, `*` for any text, or a pattern. */
export type TextMatch = string | RegExp;

/** Selects requests. Absent fields match everything. */
export interface FaultMatch {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; one or several. */
  readonly verb?: string | readonly string[];
  /** Plural: `pods`. */
  readonly resource?: string;
  readonly group?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly user?: string;
  readonly userAgent?: TextMatch;
  readonly path?: TextMatch;
  /** Required parameters: `{ continue: '*' }`. */
  readonly query?: Readonly<Record<string, TextMatch>>;
  /** Required headers, by lower-case name. */
  readonly headers?: Readonly<Record<string, TextMatch>>;
  /** Matches only the n-th such request, counted from 1 and from when the rule was added. */
  readonly nth?: number;
  /** A condition of your own. Not available over the admin endpoint. */
  readonly where?: (request: FaultRequest) => boolean;
}

/** A number, or a range from which each request draws its own. */
export type Span = number | readonly [from: number, to: number];

/**
 * When a rule acts.
 *
 * - `start`: before anything is looked up. `head`: after the work, before anything of the response is sent.
 * - `{ event: 3 }`: at the third event of a watch (bookmarks do not count), or after it, depending on the
 * action; 0: right after
 *   the head. With `offset` inside that event: after this number of bytes, or in the middle of a character.
 * - `{ bytes }`, `{ ms }`: after this number of bytes of the body, after this time.
 * - `{ object }`: at events of one object, by `namespace/name`.
 * - `bookmark`, `end-bookmark`: at those bookmarks. `end`: instead of the end.
 * - `write`: when something is about to be stored, over HTTP or in-process.
 *
 * On a watch that is already open, events, bytes and time count from when the rule was added.
 */
export type FaultAt =
  | 'start'
  | 'head'
  | 'bookmark'
  | 'end-bookmark'
  | 'end'
  | 'write'
  | { readonly event: Span; readonly offset?: number | 'mid-utf8' }
  | { readonly bytes: Span }
  | { readonly ms: Span }
  | { readonly object: string };

/** A failure response. A bare number stands for the response of a real server with that code. */
export interface StatusAnswer {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** Sends Retry-After as a date. */
  readonly retryAfterDate?: boolean;
  /** `plain`: a line of text. `html`: a page like those of load balancers. @default 'status' */
  readonly form?: 'status' | 'plain' | 'html';
  /** Adds a continue token: a 410 on a page of a list. */
  readonly continue?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export type CutKind = 'rst' | 'fin' | 'goaway' | 'rst-stream';

/** Statuses inside a stream that clients must distinguish. */
export type StreamErrorName =
  | 'expired'
  | 'gone'
  | 'internal'
  | 'too-large'
  | 'too-many-requests'
  | 'unknown-reason'
  | 'no-code'
  | 'not-a-status';

export type GarbageName =
  | 'truncated-json'
  | 'random-bytes'
  | 'html'
  | 'empty'
  | 'empty-lines'
  | 'null'
  | 'empty-object'
  | 'wrong-kind'
  | 'no-metadata'
  | 'no-resource-version'
  | 'bad-resource-version'
  | 'unknown-type'
  | 'bom'
  | 'nan'
  | 'huge'
  | 'deep'
  | 'long-content-length'
  | 'wrong-content-type'
  | 'multi-member-gzip'
  | 'corrupt-gzip'
  | ProtobufGarbageName;

/**
 * Faults inside the bytes of protobuf. A rule with one of them applies to responses in protobuf only.
 *
 * - `cut-frame`: half of a frame or body, then a clean end.
 * - `wrong-length`, `huge-length`: a wrong length; in a watch that of the frame.
 * - `unknown-field`, `unknown-nested-field`: a field from a newer server, in the object or in its metadata.
 * - `wrong-wire-type`: the metadata is a number.
 */
export type ProtobufGarbageName =
  | 'cut-frame'
  | 'wrong-length'
  | 'huge-length'
  | 'unknown-field'
  | 'unknown-nested-field'
  | 'wrong-wire-type';

export type ListFault = 'duplicate-item' | 'missing-item' | 'no-resource-version';

/** The action of a rule. One of: */
export type FaultAction =
  /** Ends the connection: with a reset, half-closed, with GOAWAY, or only this stream (HTTP/2, with `code`). */
  | { readonly cut: CutKind; readonly code?: number }
  /** Ends the response early, but cleanly. */
  | { readonly end: true }
  /** Tells the client to open another connection (HTTP/2); this one continues. */
  | { readonly goaway: true }
  /** Writes nothing more and keeps the connection open. `deaf`: reads nothing either, including PINGs. */
  | { readonly silence: true | 'deaf' }
  /** Never responds. */
  | { readonly hang: 'headers' }
  | { readonly delay: { readonly ms: number; readonly jitterMs?: number } }
  /** Holds events back until the rule is removed. */
  | { readonly hold: true }
  | { readonly throttle: { readonly bytesPerSecond: number; readonly chunk?: number } }
  /** Splits each event into this number of chunks. */
  | { readonly split: number }
  /** Merges the events of this number of milliseconds into one chunk. */
  | { readonly merge: { readonly ms: number } }
  | { readonly status: number | StatusAnswer }
  /** Changes headers of the response; null removes one. */
  | { readonly headers: Readonly<Record<string, string | null>> }
  /** Changes headers of the request before the server reads them; null removes one. */
  | { readonly requestHeaders: Readonly<Record<string, string | null>> }
  /**
   * Sets the encoding of the response, whatever the client prefers. `json`: even for a client that accepts
   * only protobuf. Custom resources stay JSON. No real server sends `protobuf` to a client that does not
   * accept it, so that needs `illegal`.
   */
  | { readonly encoding: 'json' | 'protobuf' }
  /** Changes query parameters before the server reads them; null removes one. */
  | { readonly query: Readonly<Record<string, string | null>> }
  /** Replaces the body: gets the JSON and returns what is sent. Not available over the admin endpoint. */
  | { readonly body: (value: JsonObject) => unknown }
  | { readonly list: ListFault }
  /** Starts a watch this number of revisions before the requested one: the client gets some events again. */
  | { readonly replay: number }
  /** Repeats an event this number of times, with its own type or another. */
  | { readonly duplicate: number; readonly as?: 'ADDED' | 'MODIFIED' }
  /** Drops bookmarks or events. No real server drops `events`, so they need `illegal`. */
  | { readonly drop: 'bookmarks' | 'end-bookmark' | 'events' }
  | { readonly error: StreamErrorName | JsonObject }
  | { readonly garbage: GarbageName }
  /** Swaps an event with the next one. Needs `illegal`. */
  | { readonly reorder: true }
  /** Lowers the version of bookmarks by this number of revisions. Needs `illegal`. */
  | { readonly bookmarksBehind: number }
  /** Sends any event. Needs `illegal`. */
  | { readonly inject: JsonObject };

export interface FaultRule {
  readonly match?: FaultMatch;
  readonly at?: FaultAt;
  readonly do: FaultAction;
  /** Number of requests that it applies to. @default 1 */
  readonly times?: number;
  /** Probability that the rule applies to a matching request. @default 1 */
  readonly probability?: number;
  /** Removes the rule after this time. */
  readonly forMs?: number;
  /** Allows faults that no real server produces. */
  readonly illegal?: true;
}

export interface FaultHandle {
  readonly id: number;
  /** Resolves when the rule first applies. */
  readonly hit: Promise<void>;
  /** Resolves when the rule has applied `times` times. */
  readonly done: Promise<void>;
  /** Number of requests that it has applied to. */
  readonly count: number;
  /** Stops the rule. Held or slowed responses continue. */
  remove(): void;
}

/** A rule that has applied. */
export interface FiredFault {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly rule: number;
  readonly fault: string;
  readonly verb: string;
  readonly path: string;
}
