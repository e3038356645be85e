import { get } from 'node:http';
import { KubeError } from 'kube-informer/core';
import { TOKEN_HEADER } from './server/guard.ts';
import { definedInObject } from './objects/defined.ts';
import type { Overview } from './protocol/messages.ts';

/** Maximum size of a response. */
const MAX_BYTES = 16_777_216;
const TIMEOUT_MS = 10_000;

/** Reads the overview of the inspector at an address, which includes the token. Texts are masked and have one line. */
export async function readOverview(url: string, signal?: AbortSignal): Promise<Overview> {
  const { address, token } = readOverviewAddress(url);
  const { status, text } = await readOverviewResponse(new URL('/api/overview', address), token, signal);
  if (status === 401)
    throw new KubeError(
      'CREDENTIALS',
      'the inspector rejects this token: use the address it printed at its last start',
    );
  const overview = status === 200 ? readOverviewJson(text) : undefined;
  if (overview === undefined) throw new KubeError('TRANSPORT', `no inspector at ${address.host} (status ${status})`);
  return overview;
}

function readOverviewAddress(url: string): { readonly address: URL; readonly token: string } {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const token = new URLSearchParams(address?.hash.slice(1)).get('token') ?? '';
  if (address?.protocol !== 'http:' || token === '')
    throw new KubeError(
      'INVALID_OPTION',
      'expected the address an inspector printed, such as http://127.0.0.1:1234/#token=…',
    );
  return { address, token };
}

function readOverviewResponse(
  address: URL,
  token: string,
  signal: AbortSignal | undefined,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new KubeError('TRANSPORT', `no inspector at ${address.host}: ${cause.message}`, { cause }));
    const options = {
      headers: { [TOKEN_HEADER]: token },
      timeout: TIMEOUT_MS,
      ...definedInObject({ signal }),
    };
    const request = get(address, options, (response) => {
      let [text, bytes] = ['', 0];
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) request.destroy(new Error('the response is too long'));
        else text += chunk;
      });
      response.once('error', fail);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.once('timeout', () => request.destroy(new Error('the request timed out')));
    request.once('error', fail);
  });
}

function readOverviewJson(text: string): Overview | undefined {
  try {
    const value = JSON.parse(text) as Partial<Overview> | null;
    return Array.isArray(value?.caches) && typeof value.at === 'number' ? (value as Overview) : undefined;
  } catch {
    return undefined; // something else listens at this address
  }
}
