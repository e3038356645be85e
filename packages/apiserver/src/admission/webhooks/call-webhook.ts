import { request } from 'node:https';
import type { Env } from 'kube-informer/core';
import { type Fields, textField } from '../../api/kinds/common/fields.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { webhookAddressOfClient, type ClientAddress, type WebhookOptions } from './webhook-address.ts';
import type { InProcessHooks } from './in-process-webhook.ts';
import { CallError } from './admission-review.ts';
import type { Address, CallWebhook } from './webhook.ts';

/** Maximum size of a response: that of an object. */
const MAX_RESPONSE_BYTES = 3 * 1024 * 1024;

/**
 * Calls webhooks over HTTPS on the loopback, or in this process. A request never goes to another address unless the
 * options allow its host.
 */
export class WebhookCaller {
  readonly #env: Env;
  readonly #options: WebhookOptions;
  readonly #hooks: InProcessHooks;

  constructor(env: Env, options: WebhookOptions, hooks: InProcessHooks) {
    this.#env = env;
    this.#options = options;
    this.#hooks = hooks;
  }

  /** Returns the function that calls one webhook. */
  readonly at =
    ({ clientConfig, timeoutSeconds }: Address): CallWebhook =>
    (review, signal) => {
      const own = this.#hooks.answering(clientConfig);
      if (own !== undefined) return own(review);
      const address = webhookAddressOfClient(clientConfig, this.#options);
      address.url.searchParams.set('timeout', `${timeoutSeconds}s`);
      return postWebhookCall(address, textField(clientConfig, 'caBundle'), review, signal);
    };

  /** Runs a call with a time limit. Throws `CallError`. */
  async inTime(seconds: number, call: (signal: AbortSignal) => Json | Promise<Json>): Promise<Json> {
    const late = new AbortController();
    const done = new AbortController();
    const timeout = this.#env.sleep(seconds * 1_000, done.signal).then(async () => {
      late.abort();
      // The error of a cut request comes first: it has a message of its own.
      await this.#env.yield();
      if (!done.signal.aborted) throw new CallError('failed to call webhook: context deadline exceeded');
      return null;
    });
    try {
      return await Promise.race([call(late.signal), timeout]);
    } catch (error) {
      if (error instanceof CallError) throw error;
      throw new CallError(`failed to call webhook: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      done.abort();
      // A later rejection is about a call that is already over.
      timeout.catch(() => {});
    }
  }
}

/** Options of a single call besides its body. */
export interface WebhookCall {
  readonly config: Fields;
  readonly seconds: number;
  readonly options: WebhookOptions;
}

/** Calls a webhook that is not an admission webhook. Rejects with the error of the call. */
export async function callWebhookInTime(
  env: Env,
  { config, seconds, options }: WebhookCall,
  review: JsonObject,
): Promise<Json> {
  const [late, done] = [new AbortController(), new AbortController()];
  void env.sleep(seconds * 1_000, done.signal).then(() => done.signal.aborted || late.abort());
  try {
    return await postWebhookCall(
      webhookAddressOfClient(config, options),
      textField(config, 'caBundle'),
      review,
      late.signal,
    );
  } finally {
    done.abort();
  }
}

function postWebhookCall(
  { url, serverName }: ClientAddress,
  caBundle: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<Json> {
  const failed = (why: string): Error => new Error(`Post "${url.href}": ${why}`);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      signal,
      servername: serverName,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      // As in Go: the bundle may be the certificate of the webhook itself, as envtest writes it.
      ...(caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64'), allowPartialTrustChain: true }),
    });
    sent.on('error', (error) => reject(failed(signal.aborted ? 'context deadline exceeded' : error.message)));
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', (error) => reject(failed(error.message)));
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > MAX_RESPONSE_BYTES)
          sent.destroy(new Error(`the response has more than ${MAX_RESPONSE_BYTES} bytes`));
      });
      response.on('end', () => {
        try {
          resolve(readWebhookCallResponse(response.statusCode ?? 0, Buffer.concat(chunks).toString()));
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    sent.end(JSON.stringify(body));
  });
}

/** The JSON of a response; for other status codes an error in the words of Kubernetes' clients. */
function readWebhookCallResponse(status: number, text: string): Json {
  if (status < 200 || status > 206) throw new Error(webhookCallStatusText(status, text));
  try {
    return JSON.parse(text) as Json;
  } catch {
    const shown = text.length > 100 ? `${text.slice(0, 100)} ...` : text;
    throw new Error(`couldn't get version/kind; json parse error: ${JSON.stringify(shown)} is not JSON`);
  }
}

function webhookCallStatusText(status: number, text: string): string {
  if (status === 404) return 'the server could not find the requested resource';
  if (status >= 500)
    return `an error on the server (${JSON.stringify(text.trim())}) has prevented the request from succeeding`;
  return 'the server rejected our request for an unknown reason';
}
