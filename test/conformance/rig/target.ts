import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROTOBUF, protobufBody, protobufLines } from './protobuf.ts';

const ANSWER_WITHIN_MS = 40_000;
const FRAME_WITHIN_MS = 50_000;

/** A server under test: any server of the Kubernetes API. */
export interface Target {
  /** `https://host:port` or `http://host:port`. */
  readonly url: string;
  /** The authority that signed the server's certificate, PEM. */
  readonly ca?: string;
  /** A bearer token that may do everything. */
  readonly token: string;
  /** A token of a user without rights. @default one of a new ServiceAccount, requested from the server */
  readonly powerlessToken?: string;
  readonly controls?: Controls;
  /** The encoding that reads ask for, unless they name one themselves. @default 'json' */
  readonly reads?: 'json' | 'protobuf';
}

/** Actions on the server that are not requests. */
export interface Controls {
  /** Forgets all history up to now: older exact lists, continue tokens and watches expire. */
  compact(): Promise<void>;
}

/** The fields of a JSON body that cases read. A missing field fails the case that reads it. */
export interface Body {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: Metadata;
  readonly data?: Readonly<Record<string, string>>;
  // Spec and status differ by kind; the cases compare them whole.
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: unknown;
  readonly items: readonly Body[];
  readonly message: string;
  readonly reason?: string;
  readonly code: number;
  readonly details: Details;
  readonly columnDefinitions:
    | readonly { readonly name: string; readonly type: string; readonly format: string }[]
    | null;
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object?: Body | null }[];
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly generateName?: string;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly managedFields?: readonly ManagedFields[];
}

export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: string;
  readonly fieldsV1: unknown;
  readonly subresource?: string;
}

export interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body; of a body in protobuf its JSON. */
  readonly text: string;
  /** The text parsed as JSON; throws if it is not JSON. */
  readonly body: Body;
  /** The content type that a failure of this request must have. */
  readonly statusType: string;
}

export interface Frame {
  readonly type: string;
  readonly object: Body;
}

export type Query = Readonly<Record<string, string | number | boolean>>;

export interface AskOptions {
  readonly query?: Query;
  /** Objects are sent as JSON, strings and bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another bearer token; null for none. */
  readonly token?: string | null;
}

/**
 * Plain HTTP/1.1 to a target, without a client library between a case and the bytes.
 *
 * Every wait has a deadline, so that a server that hangs fails a case instead of stopping the run.
 */
export class Http implements Disposable {
  readonly #target: Target;
  readonly #agent: PlainAgent | TlsAgent;

  constructor(target: Target) {
    this.#target = target;
    this.#agent = target.url.startsWith('https:')
      ? new TlsAgent({ keepAlive: true, ...(target.ca === undefined ? {} : { ca: target.ca }) })
      : new PlainAgent({ keepAlive: true });
  }

  async ask(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const accepted = this.#accepted(method, options.headers);
    const answer = await this.#send(method, path, { ...options, headers: { ...accepted, ...options.headers } });
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const isProtobuf = answer.headers['content-type'] === PROTOBUF;
    const text = isProtobuf ? `${JSON.stringify(protobufBody(bytes))}\n` : bytes.toString();
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      bytes,
      text,
      get body() {
        return JSON.parse(text) as Body;
      },
      statusType: accepted.accept === undefined ? 'application/json' : PROTOBUF,
    };
  }

  /** Opens a watch; fails unless the server answers 200. */
  async watch(path: string, query: Query = {}, headers: Readonly<Record<string, string>> = {}): Promise<Watch> {
    const all = { ...this.#accepted('GET', headers), ...headers };
    const answer = await this.#send('GET', path, { query: { watch: true, ...query }, headers: all });
    if (answer.statusCode === 200) return new Watch(answer);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const isProtobuf = answer.headers['content-type'] === PROTOBUF;
    const text = isProtobuf ? JSON.stringify(protobufBody(bytes)) : bytes.toString();
    throw new Error(`watch ${path} ${JSON.stringify(query)} was answered ${answer.statusCode}: ${text}`);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  /** The Accept header of a read that has none. */
  #accepted(method: string, headers: AskOptions['headers'] = {}): { readonly accept?: string } {
    const isPlain = method !== 'GET' || this.#target.reads !== 'protobuf' || 'accept' in headers;
    return isPlain ? {} : { accept: `${PROTOBUF},application/json` };
  }

  #send(method: string, path: string, { query = {}, body, headers = {}, token }: AskOptions): Promise<IncomingMessage> {
    const url = new URL(this.#target.url);
    const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    // Not through URL, which would normalise the path of a case.
    const asked = url.pathname.replace(/\/$/, '') + path + (parameters.size === 0 ? '' : `?${parameters}`);
    const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const bearer = token === undefined ? this.#target.token : token;
    const all = {
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) }),
      ...headers,
    };
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
    return new Promise((resolve, reject) => {
      const call = send(url, { path: asked, method, headers: all, agent: this.#agent }, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      const timer = setTimeout(
        () => call.destroy(new Error(`no answer to ${method} ${path} within ${ANSWER_WITHIN_MS} ms`)),
        ANSWER_WITHIN_MS,
      );
      call.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      call.end(bytes);
    });
  }
}

/** A running watch: its frames in order, one line each. Frames of protobuf become lines of JSON. */
export class Watch implements Disposable {
  readonly headers: IncomingHttpHeaders;
  /** The lines as they came, without the line feed. */
  readonly lines: string[] = [];
  readonly #answer: IncomingMessage;
  #taken = 0;
  #end: 'clean' | Error | undefined;
  #wake: () => void = () => {};

  constructor(answer: IncomingMessage) {
    this.#answer = answer;
    this.headers = answer.headers;
    const isProtobuf = answer.headers['content-type'] === `${PROTOBUF};stream=watch`;
    let rest: Buffer = Buffer.alloc(0);
    answer.on('data', (chunk: Buffer) => {
      const { frames, rest: after } = (isProtobuf ? protobufLines : jsonLines)(Buffer.concat([rest, chunk]));
      rest = after;
      this.lines.push(...frames);
      this.#wake();
    });
    answer.on('end', () => {
      this.#end = rest.length === 0 ? 'clean' : new Error(`the stream ended inside a frame: ${rest.toString()}`);
      this.#wake();
    });
    answer.on('error', (error) => {
      this.#end ??= error;
      this.#wake();
    });
  }

  /** The next frame; fails when the stream ends or the deadline passes before it. */
  async next(withinMs: number = FRAME_WITHIN_MS): Promise<Frame> {
    if (!(await this.#more(withinMs))) throw new Error(`the watch ended (${String(this.#end)}) where a frame was due`);
    const line = this.lines[this.#taken] as string;
    this.#taken += 1;
    return JSON.parse(line) as Frame;
  }

  /** The next `count` frames. */
  async take(count: number): Promise<Frame[]> {
    const frames: Frame[] = [];
    while (frames.length < count) frames.push(await this.next());
    return frames;
  }

  /** All frames up to and including the first that `isLast` holds for. */
  async until(isLast: (frame: Frame) => boolean, withinMs?: number): Promise<Frame[]> {
    const frames: Frame[] = [];
    for (;;) {
      const frame = await this.next(withinMs);
      frames.push(frame);
      if (isLast(frame)) return frames;
    }
  }

  /** All frames up to the clean end of the stream. */
  async rest(withinMs: number = FRAME_WITHIN_MS): Promise<Frame[]> {
    const frames: Frame[] = [];
    while (await this.#more(withinMs)) frames.push(await this.next());
    if (this.#end instanceof Error) throw this.#end;
    return frames;
  }

  [Symbol.dispose](): void {
    this.#answer.destroy();
  }

  async #more(withinMs: number): Promise<boolean> {
    const deadline = new AbortController();
    const late = sleep(withinMs, true, { signal: deadline.signal }).catch(() => false);
    try {
      while (this.lines.length === this.#taken) {
        if (this.#end !== undefined) return false;
        const woken = new Promise<false>((resolve) => (this.#wake = () => resolve(false)));
        if (await Promise.race([woken, late])) throw new Error(`no frame within ${withinMs} ms`);
      }
      return true;
    } finally {
      deadline.abort();
    }
  }
}

function jsonLines(bytes: Buffer): { readonly frames: string[]; readonly rest: Buffer } {
  const end = bytes.lastIndexOf(0x0a) + 1;
  return { frames: bytes.toString('utf8', 0, end).split('\n').slice(0, -1), rest: bytes.subarray(end) };
}

/** Repeats the check until it holds; fails after the deadline. */
export async function until(what: string, holds: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`timed out after ${withinMs} ms: ${what}`);
    await sleep(50);
  }
}
