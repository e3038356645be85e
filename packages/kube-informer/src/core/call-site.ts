/** Maximum number of stack frames that are searched. */
const MAX_FRAMES = 10;
const UNKNOWN = '????';

/**
 * `file:line` of the first caller outside this package, `????` in a bundle that hides it. A default name, for messages
 * only.
 */
export function callSite(
  stack: string | undefined = new Error('here').stack,
  own: string = callSitePackageRoot(),
): string {
  const frames = (stack ?? '').split('\n').slice(1, 1 + MAX_FRAMES);
  for (const frame of frames) {
    if (own !== '' && frame.includes(own)) continue;
    const place = /([^/\\( ]+):(\d+):\d+\)?$/.exec(frame.trimEnd());
    if (place !== null && !frame.includes('node:internal')) return `${place[1]}:${place[2]}`;
  }
  return UNKNOWN;
}

/** The folder above `core/`, as in stack traces; empty in a bundle, where the frames of this package are not recognisable. */
function callSitePackageRoot(): string {
  try {
    return new URL('..', import.meta.url).pathname;
  } catch {
    return '';
  }
}
