import type { OperatorHealth } from './operator-health.ts';

/** A request listener for Node's `createServer`. */
export type ProbeHandler = (
  request: { readonly url?: string | undefined; readonly method?: string | undefined },
  response: {
    writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
    end(text?: string): unknown;
  },
) => void;

/** Responds to `/livez` and `/readyz` with 200, or with 503 and one line for each reason. Other paths get 404. */
export function operatorProbeHandler(health: () => OperatorHealth): ProbeHandler {
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
