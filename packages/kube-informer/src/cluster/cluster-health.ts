import { describeScope } from './scope.ts';
import type { InformerSetHealth } from './informer-set.ts';

export interface ClusterHealth {
  /** Every cache is complete, and none has been out of date for longer than allowed. */
  readonly ready: boolean;
  /** No cache has ended by itself. */
  readonly live: boolean;
  /** Why it is not ready or not alive, a sentence each. */
  readonly reasons: readonly string[];
  readonly informers: readonly InformerSetHealth[];
}

export interface HealthOptions {
  /** A cache that has been stale for longer is not ready. @default 300_000 */
  readonly maxStaleMs?: number;
}

/** What one look at all informers says. `now` is the wall clock. */
export function clusterHealth(
  informers: readonly InformerSetHealth[],
  now: number,
  { maxStaleMs = 300_000 }: HealthOptions = {},
): ClusterHealth {
  const notReady: string[] = [];
  const notLive: string[] = [];
  for (const { resource, scope, health } of informers) {
    const what = describeScope(resource, scope);
    const { state } = health;
    if (state.kind === 'stopped') notLive.push(`${what} has stopped`);
    else if (state.kind === 'stale') {
      const seconds = Math.round((now - state.since) / 1_000);
      if (now - state.since > maxStaleMs) notReady.push(`${what} has been stale for ${seconds} s: ${state.reason}`);
    } else if (state.kind !== 'synced') {
      const problem = state.kind === 'starting' ? state.problem : undefined;
      notReady.push(`${what} is not complete yet${problem === undefined ? '' : `: ${problem.reason}`}`);
    }
  }
  const reasons = [...notLive, ...notReady];
  return { ready: reasons.length === 0, live: notLive.length === 0, reasons, informers };
}

/** The parts of Node's request and response that a probe needs. */
export interface ProbeRequest {
  readonly url?: string | undefined;
  readonly method?: string | undefined;
}
export interface ProbeResponse {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  end(text?: string): unknown;
}

/** Answers `/livez` and `/readyz` (and below any prefix) with 200 or 503 and a line for each reason; 404 for the rest. */
export function probeHandler(look: () => ClusterHealth): (request: ProbeRequest, response: ProbeResponse) => void {
  return ({ url = '/', method = 'GET' }, response) => {
    const [, probe] = /\/(livez|readyz)$/.exec(url.split('?', 1)[0] ?? '') ?? [];
    const answer = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
      response.end(method === 'HEAD' ? undefined : `${text}\n`);
    };
    if (probe === undefined || (method !== 'GET' && method !== 'HEAD'))
      return answer(404, 'not found: ask for /livez or /readyz');
    const { live, ready, reasons } = look();
    const good = probe === 'livez' ? live : ready;
    answer(good ? 200 : 503, good ? 'ok' : reasons.join('\n'));
  };
}
