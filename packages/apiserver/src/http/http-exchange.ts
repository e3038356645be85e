import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { User } from '../core/user.ts';
import { type Accepted, negotiate, negotiatePretty } from './message/negotiate.ts';
import { parseRequest, type ParsedRequest } from './message/parse-request.ts';

/**
 * One request and its response: the parsed request, its user, and warnings and notes for the response.
 *
 * Room rule: reads headers and keeps notes. It sends nothing.
 */
export class Exchange {
  readonly id: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: ParsedRequest;
  readonly query: URLSearchParams;
  /** Whether the path has a percent sign that encodes no character. */
  readonly isMalformed: boolean;
  readonly userAgent: string;
  readonly startedAt: number;
  user: User | undefined;
  fault: string | undefined;
  /** Bytes of the body sent so far. */
  bytes = 0;
  /** Whether the authorizer, or an impersonation check, refused the request. */
  isDenied = false;
  /** Whether the request is about a custom resource: some messages differ then. */
  isCustom = false;
  readonly #gone = new AbortController();
  readonly #warnings = new Set<string>();

  constructor(id: number, request: IncomingMessage, response: ServerResponse, startedAt: number) {
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    this.id = id;
    this.request = request;
    this.response = response;
    this.startedAt = startedAt;
    const path = mark === -1 ? url : url.slice(0, mark);
    this.query = new URLSearchParams(mark === -1 ? '' : httpExchangeQuery(url.slice(mark + 1)));
    this.isMalformed = LONE_PERCENT.test(path);
    this.info = parseRequest(request.method ?? 'GET', path, this.query);
    this.userAgent = httpExchangeHeader(request, 'user-agent') ?? '';
    response.once('close', () => this.#gone.abort());
  }

  /** Aborts when the response ends: sent, cut off, or cancelled by the client. HTTP/2 has no `response.destroyed`. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** The warnings without duplicates, in the order they were added. */
  get warnings(): ReadonlySet<string> {
    return this.#warnings;
  }

  warn(text: string): void {
    this.#warnings.add(text);
  }

  /** Adds a fault's name to the request log. Bound to this exchange, because faults pass it on as a function. */
  readonly note = (fault: string): void => {
    this.fault = this.fault === undefined ? fault : `${this.fault}, ${fault}`;
  };

  header(name: string): string | undefined {
    return httpExchangeHeader(this.request, name);
  }

  get socket(): TLSSocket {
    return this.request.socket as TLSSocket;
  }

  /** The form of the response. Throws 406. */
  accepted(): Accepted {
    const accepted = negotiate(this.header('accept'), { isRouted: !this.isCustom, isCustom: this.isCustom });
    return { ...accepted, pretty: negotiatePretty(this.query, this.userAgent, accepted.pretty) };
  }
}

const LONE_PERCENT = /%(?![0-9a-fA-F]{2})/;

/** The query without the parameters that a server silently ignores because it cannot parse them. */
function httpExchangeQuery(query: string): string {
  if (!LONE_PERCENT.test(query) && !query.includes(';')) return query;
  const isReadable = (pair: string): boolean => !LONE_PERCENT.test(pair) && !pair.includes(';');
  return query.split('&').filter(isReadable).join('&');
}

function httpExchangeHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
