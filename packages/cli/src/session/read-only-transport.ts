import { KubeError } from 'kube-informer/core';
import type { Transport, TransportRequest, TransportResponse } from 'kube-informer/client';

/** Paths of reviews, which use POST but store nothing. */
const REVIEWS: readonly string[] = [
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
];

/** Counters of what was sent and received. */
export interface Traffic {
  readonly requests: number;
  /** Bytes of response bodies, uncompressed. */
  readonly bytes: number;
  /** Headers of the last response. */
  readonly lastHeaders: ReadonlyMap<string, string>;
  /** Wall clock when the last response started. */
  readonly lastResponseAt: number | undefined;
}

/**
 * A transport that sends read requests only, and counts them.
 *
 * A request that could change something is rejected with ILLEGAL_STATE and never sent, whatever a command does.
 *
 * Room rule: looks at method and path only; bodies are counted, not read.
 */
export class ReadOnlyTransport implements Transport {
  readonly #inner: Transport;
  readonly #wallNow: () => number;
  #requests = 0;
  #bytes = 0;
  #lastHeaders: ReadonlyMap<string, string> = new Map();
  #lastResponseAt: number | undefined;

  constructor(inner: Transport, wallNow: () => number) {
    this.#inner = inner;
    this.#wallNow = wallNow;
  }

  get traffic(): Traffic {
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      lastHeaders: this.#lastHeaders,
      lastResponseAt: this.#lastResponseAt,
    };
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (!isReadOnlyRequest(request)) {
      const what = `${request.method} ${request.path.split('?', 1)[0]}`;
      throw new KubeError('ILLEGAL_STATE', `this program is read-only: ${what} was not sent`);
    }
    this.#requests += 1;
    const response = await this.#inner.send(request);
    this.#lastHeaders = response.headers;
    this.#lastResponseAt = this.#wallNow();
    return { ...response, body: this.#counted(response.body) };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async *#counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of body) {
      this.#bytes += chunk.byteLength;
      yield chunk;
    }
  }
}

function isReadOnlyRequest({ method, path }: TransportRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  // The server's URL may have a path prefix.
  return method === 'POST' && REVIEWS.some((review) => path === review || path.endsWith(review));
}
