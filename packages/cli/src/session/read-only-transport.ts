import { KubeError } from 'kube-informer/core';
import type { Transport, TransportRequest, TransportResponse } from 'kube-informer/client';

/** Questions that have to be asked with a POST. They store nothing. */
const QUESTIONS: readonly string[] = [
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
];

/** What went over the wire so far. */
export interface Traffic {
  readonly requests: number;
  /** Of bodies, as they were before compression. */
  readonly bytes: number;
  /** Headers of the last answer. */
  readonly lastHeaders: ReadonlyMap<string, string>;
  /** Wall clock when the last answer began. */
  readonly lastAnswerAt: number | undefined;
}

/**
 * A transport that cannot change anything on a server, and counts.
 *
 * Whatever a command does or forgets, a request that could write is refused here with ILLEGAL_STATE and never sent.
 *
 * Room rule: looks at method and path only; bodies are counted, not read.
 */
export class ReadOnlyTransport implements Transport {
  readonly #inner: Transport;
  readonly #wallNow: () => number;
  #requests = 0;
  #bytes = 0;
  #lastHeaders: ReadonlyMap<string, string> = new Map();
  #lastAnswerAt: number | undefined;

  constructor(inner: Transport, wallNow: () => number) {
    this.#inner = inner;
    this.#wallNow = wallNow;
  }

  get traffic(): Traffic {
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      lastHeaders: this.#lastHeaders,
      lastAnswerAt: this.#lastAnswerAt,
    };
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (!isHarmless(request)) {
      const what = `${request.method} ${request.path.split('?', 1)[0]}`;
      throw new KubeError('ILLEGAL_STATE', `this program only reads: ${what} was not sent`);
    }
    this.#requests += 1;
    const answer = await this.#inner.send(request);
    this.#lastHeaders = answer.headers;
    this.#lastAnswerAt = this.#wallNow();
    return { ...answer, body: this.#counted(answer.body) };
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

function isHarmless({ method, path }: TransportRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  // A server may live below a path of its own.
  return method === 'POST' && QUESTIONS.some((question) => path === question || path.endsWith(question));
}
