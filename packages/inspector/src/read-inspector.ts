import { get } from 'node:http';
import { defined, KubeError } from 'kube-informer/core';
import { TOKEN_HEADER } from './server/access-guard.ts';
import { checkKeyMessage, checkOverviewMessage } from './protocol/check-message.ts';
import type { KeyDetail } from './protocol/controller-messages.ts';
import type { ErrorResponse, Overview } from './protocol/messages.ts';

/** Maximum size of a response. */
const MAX_BYTES = 16_777_216;
const TIMEOUT_MS = 10_000;

/** Reads the overview of the inspector at an address, which includes the token. Texts are masked and have one line. */
export async function readOverview(url: string, signal?: AbortSignal): Promise<Overview> {
  const { status, body, host } = await readInspector(url, '/api/overview', signal);
  const value = body as Partial<Overview> | undefined;
  if (status !== 200 || !Array.isArray(value?.caches) || typeof value.at !== 'number')
    throw noInspectorToRead(host, status);
  checkReadInspector(host, checkOverviewMessage(value));
  return value as Overview;
}

/**
 * Reads one key of a controller from the inspector at an address. If there are several replicas, the leader
 * responds. Rejects NOT_FOUND if the process has no such controller.
 */
export async function readKey(
  url: string,
  { controller, key }: { readonly controller: string; readonly key: string },
  signal?: AbortSignal,
): Promise<KeyDetail> {
  const query = new URLSearchParams({ controller, key }).toString();
  const { status, body, host } = await readInspector(url, `/api/key?${query}`, signal);
  const value = body as (Partial<KeyDetail> & Partial<ErrorResponse>) | undefined;
  if (status === 404 && typeof value?.error === 'string') throw new KubeError('NOT_FOUND', value.error);
  if (status !== 200 || typeof value?.sentence !== 'string' || !Array.isArray(value.runs))
    throw noInspectorToRead(host, status);
  checkReadInspector(host, checkKeyMessage(value));
  return value as KeyDetail;
}

const noInspectorToRead = (host: string, status: number): KubeError =>
  new KubeError('TRANSPORT', `no inspector at ${host} (status ${status})`);

function checkReadInspector(host: string, wrong: string | undefined): void {
  if (wrong === undefined) return;
  throw new KubeError(
    'TRANSPORT',
    `the response of ${host} cannot be read: ${wrong} is missing or has another type. Use the same version of kube-informer there and here`,
  );
}

/** Sends one request. `body` is undefined if the response is not a JSON object. */
async function readInspector(
  url: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly status: number; readonly body: object | undefined; readonly host: string }> {
  const { address, token } = readInspectorAddress(url);
  const { status, text } = await readInspectorResponse(new URL(path, address), token, signal);
  if (status === 401)
    throw new KubeError(
      'CREDENTIALS',
      'the inspector rejects this token: use the address it printed at its last start',
    );
  return { status, body: readInspectorJson(text), host: address.host };
}

function readInspectorAddress(url: string): { readonly address: URL; readonly token: string } {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const token = new URLSearchParams(address?.hash.slice(1)).get('token') ?? '';
  if (address?.protocol !== 'http:' || token === '')
    throw new KubeError(
      'INVALID_OPTION',
      'expected the address an inspector printed, such as http://127.0.0.1:1234/#token=…',
    );
  return { address, token };
}

function readInspectorResponse(
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
      ...defined({ signal }),
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

function readInspectorJson(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // something else listens at this address
  }
}
