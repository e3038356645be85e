import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority } from '../../src/auth/certificates/authority.ts';

/** The response of a webhook: to the review, or a whole HTTP response. */
export type Reply = object | { readonly status: number; readonly text: string } | 'nothing';

/** An HTTPS server of webhooks on the loopback, with an authority of its own. */
export class WebhookServer implements AsyncDisposable {
  readonly #server: Server;
  /** The value of `caBundle`. */
  readonly caBundle: string;
  /** The certificate of the server itself, for a `caBundle` without its authority. */
  readonly certificate: string;
  /** Reviews so far, in order. */
  readonly reviews: { readonly path: string; readonly review: ReviewBody }[] = [];

  private constructor(reply: (review: ReviewBody, path: string) => Reply) {
    const authority = createAuthority({ wallNow: () => Date.now() });
    const { certificate, key } = authority.issueServer(['127.0.0.1', 'localhost']);
    this.caBundle = Buffer.from(authority.certificate).toString('base64');
    this.certificate = Buffer.from(certificate).toString('base64');
    this.#server = createServer({ cert: certificate, key }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString()) as ReviewBody;
        const path = request.url ?? '';
        this.reviews.push({ path, review });
        const answer = reply(review, path);
        if (answer === 'nothing') return;
        if ('text' in answer) {
          response.writeHead(answer.status).end(answer.text);
          return;
        }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
  }

  static async start(reply: (review: ReviewBody, path: string) => Reply): Promise<WebhookServer> {
    const own = new WebhookServer(reply);
    await new Promise<void>((resolve) => own.#server.listen(0, '127.0.0.1', resolve));
    return own;
  }

  url(path: string): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export interface ReviewBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly name?: string;
    readonly kind: { readonly kind: string; readonly version: string };
    readonly object: ReviewedObject | null;
    readonly oldObject: ReviewedObject | null;
    readonly [field: string]: unknown;
  };
}

export interface ReviewedObject {
  readonly metadata: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** A response to a review. */
export const answered = ({ apiVersion, kind, request }: ReviewBody, response: object): object => ({
  apiVersion,
  kind,
  response: { uid: request.uid, ...response },
});

/** A response that changes the object. */
export const patched = (review: ReviewBody, operations: readonly object[]): object =>
  answered(review, {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  });
