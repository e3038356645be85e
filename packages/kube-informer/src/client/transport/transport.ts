/**
 * Sends requests to one server; the only part of this package that knows sockets.
 *
 * Implemented by the Node transport (HTTP/2 where the server offers it, HTTP/1.1 otherwise) and by the fetch
 * transport (browsers, Deno, Bun). Users may supply another one.
 *
 * Room rule: bytes only. Knows nothing of Kubernetes, Status, retries, tokens or resource versions. Never follows a
 * redirect. Fails with KubeError TRANSPORT and the system error as `cause`.
 */
export interface Transport {
  /** Resolves with status and headers; the body is read by the caller. Rejects TRANSPORT, or ABORTED when `signal` aborts. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes every connection. Idempotent; later requests are refused. */
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** Path and query, already escaped; the origin belongs to the transport. */
  readonly path: string;
  /** Several values of one name are sent as several headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  /**
   * The response lasts for minutes: no maximum size, dead connections are detected, and other requests are never
   * blocked by it.
   */
  readonly longLived?: boolean;
  /**
   * Long silence is normal, as for a followed log or a watch without bookmarks: it never ends the body. TCP keep-alive
   * and, on HTTP/2, pings still find a dead connection. @default false
   */
  readonly mayBeSilent?: boolean;
  /** Maximum wait for status and headers. @default 60_000, for long-lived requests 30_000 */
  readonly headersTimeoutMs?: number;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; several headers of one name are joined with ", ". */
  readonly headers: ReadonlyMap<string, string>;
  /**
   * Decompressed bytes as they arrive. Throws TRANSPORT when the connection breaks before the end. Leaving the
   * iteration early closes the stream (HTTP/2) or the connection (HTTP/1.1).
   */
  readonly body: AsyncIterable<Uint8Array>;
}
