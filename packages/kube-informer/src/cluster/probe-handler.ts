import type { ClusterHealth } from './cluster-health.ts';

/** The fields of Node's `IncomingMessage` that a probe reads. */
export interface ProbeRequest {
  readonly url?: string | undefined;
  readonly method?: string | undefined;
}

/** The methods of Node's `ServerResponse` that a probe calls. */
export interface ProbeResponse {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  end(text?: string): unknown;
}

/**
 * Responds to paths that end in `/livez` or `/readyz` with 200, or with 503 and one line for each reason. Other paths get 404.
 */
export function probeHandler(health: () => ClusterHealth): (request: ProbeRequest, response: ProbeResponse) => void {
  return ({ url = '/', method = 'GET' }, response) => {
    const [, probe] = /\/(livez|readyz)$/.exec(url.split('?', 1)[0] ?? '') ?? [];
    const respond = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
      response.end(method === 'HEAD' ? undefined : `${text}\n`);
    };
    if (probe === undefined || (method !== 'GET' && method !== 'HEAD'))
      return respond(404, 'not found: use GET /livez or GET /readyz');
    const { live, ready, reasons } = health();
    const isGood = probe === 'livez' ? live : ready;
    respond(isGood ? 200 : 503, isGood ? 'ok' : reasons.join('\n'));
  };
}
