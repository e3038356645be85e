/** The health checks of a real server that exist here: clients print the list and expect `ping`. */
const CHECKS = ['ping', 'log', 'etcd', 'informer-sync', 'poststarthook/start-apiextensions-controllers'];

/**
 * `/healthz`, `/livez`, `/readyz` and their single checks. Undefined for another path, or a check that does
 * not exist.
 */
export function healthResponse(path: string, query: URLSearchParams): string | undefined {
  const [, root = '', ...rest] = path.split('/');
  if (root !== 'healthz' && root !== 'livez' && root !== 'readyz') return undefined;
  if (rest.length > 0) return CHECKS.includes(rest.join('/')) ? 'ok' : undefined;
  if (!query.has('verbose')) return 'ok';
  const excluded = query.getAll('exclude');
  const lines = CHECKS.map((check) => `[+]${check} ${excluded.includes(check) ? 'excluded: ' : ''}ok`);
  return `${lines.join('\n')}\n${root} check passed\n`;
}
