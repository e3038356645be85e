import type { ApiObject } from '../core/kube-object.ts';
import { badRequestStatusError } from '../core/status-error.ts';
import type { Backend } from './backend.ts';
import type { Exchange } from './http-exchange.ts';
import type { LogLine } from './log-source.ts';
import { waitForResponderRoom } from './responder.ts';

interface PodSpec {
  readonly nodeName?: string;
  readonly containers?: readonly { readonly name: string }[];
  readonly initContainers?: readonly { readonly name: string }[];
  readonly ephemeralContainers?: readonly { readonly name: string }[];
}

/** Serves `pods/log`: the output of a container, and with `follow` its later output. */
export async function servePodLog(backend: Backend, exchange: Exchange, pod: ApiObject): Promise<void> {
  const { query } = exchange;
  const isSet = (name: string): boolean => ['true', '1'].includes(query.get(name) ?? '');
  const container = containerOfPodLog(pod, query.get('container') ?? '');
  const { nodeName = '' } = (pod['spec'] ?? {}) as PodSpec;
  const name = pod.metadata?.name ?? '';
  // Nothing has run yet, so nothing was printed.
  if (nodeName === '') return backend.responder.send(exchange, 204, Buffer.alloc(0), {});
  const source = backend.logs();
  if (source === undefined)
    throw badRequestStatusError('logs are not available: start the embedded API server with the controller "nodes"');
  const previous = isSet('previous');
  const log = source.logOf(pod, container, { previous });
  if (log === undefined)
    throw badRequestStatusError(
      previous
        ? `previous terminated container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} not found`
        : `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} is waiting to start: ContainerCreating`,
    );
  const since = podLogSinceMs(query, backend.api.env.wallNow());
  const tail = podLogNumber(query, 'tailLines');
  const hasTimes = isSet('timestamps');
  let left = podLogNumber(query, 'limitBytes') ?? Infinity;
  const chunk = (lines: readonly LogLine[]): Buffer => {
    const bytes = Buffer.from(lines.map(({ at, text }) => `${hasTimes ? `${podLogTime(at)} ` : ''}${text}\n`).join(''));
    const cut = bytes.subarray(0, left);
    left -= cut.length;
    return cut;
  };
  const { count } = log;
  const shown = log.lines.filter(({ at }) => at >= since);
  const first = chunk(tail === undefined ? shown : tail === 0 ? [] : shown.slice(-tail));
  const type = { 'content-type': 'text/plain' };
  if (!isSet('follow')) return backend.responder.send(exchange, 200, first, type);
  if (!(await backend.responder.head(exchange, 200, type))) return;
  const { response } = exchange;
  const send = async (bytes: Buffer): Promise<void> => {
    exchange.bytes += bytes.length;
    if (bytes.length > 0 && !response.write(bytes)) await waitForResponderRoom(response, exchange.gone);
  };
  response.flushHeaders();
  await send(first);
  for await (const line of log.follow(count, exchange.gone)) {
    await send(chunk([line]));
    if (left <= 0) break;
  }
  response.end();
}

/** The container of a request: the one it names, or the only one. Throws 400. */
export function containerOfPodLog(pod: ApiObject, wanted: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = (pod['spec'] ?? {}) as PodSpec;
  const name = pod.metadata?.name ?? '';
  const [first] = containers;
  if (wanted === '' && containers.length === 1 && first !== undefined) return first.name;
  const names = (all: readonly { readonly name: string }[]): string => `[${all.map((one) => one.name).join(' ')}]`;
  const init = initContainers.length === 0 ? '' : ` or one of the init containers: ${names(initContainers)}`;
  if (wanted === '') throw badRequestStatusError(`a container name must be specified for pod ${name}, choose one of: ${names(containers)}${init}`);
  if (![...containers, ...initContainers, ...ephemeralContainers].some((one) => one.name === wanted))
    throw badRequestStatusError(`container ${wanted} is not valid for pod ${name}`);
  return wanted;
} // prettier-ignore

function podLogSinceMs(query: URLSearchParams, now: number): number {
  const seconds = podLogNumber(query, 'sinceSeconds');
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  const time = Date.parse(query.get('sinceTime') ?? '');
  if (seconds !== undefined) return now - seconds * 1_000;
  return Number.isNaN(time) ? 0 : time;
}

function podLogNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

// oxlint-disable-next-line no-restricted-globals -- writes a time it was given
const podLogTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000000Z');
