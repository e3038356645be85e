/** Frames looked at before giving up. */
const MOST_FRAMES = 10;
const UNKNOWN = '????';

/**
 * `file:line` of the first caller outside this package: the default name of what it made.
 * For messages only; a bundle may hide the place, and then there is none.
 */
export function callSite(stack: string | undefined = new Error('here').stack, own: string = packageRoot()): string {
  const frames = (stack ?? '').split('\n').slice(1, 1 + MOST_FRAMES);
  for (const frame of frames) {
    if (own !== '' && frame.includes(own)) continue;
    const place = /([^/\\( ]+):(\d+):\d+\)?$/.exec(frame.trimEnd());
    if (place !== null && !frame.includes('node:internal')) return `${place[1]}:${place[2]}`;
  }
  return UNKNOWN;
}

/** The folder above `core/`, as stack traces spell it; empty in a bundle, where nobody can tell our frames from others. */
function packageRoot(): string {
  try {
    return new URL('..', import.meta.url).pathname;
  } catch {
    return '';
  }
}
