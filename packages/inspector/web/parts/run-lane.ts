import type { RunDetail } from '../../src/protocol/controller-messages.ts';
import { domSvg } from './dom.ts';

const WIDTH = 1_000;
const HEIGHT = 10;
/** Minimum width of a part: a run of a millisecond must be visible. */
const MIN_WIDTH = 4;

/** A run as a bar: waiting, working, and until the caches have its writes. Undefined before it begins. */
export function runLane({ queuedAt, startedAt, endedAt, writes }: RunDetail, now: number): SVGElement | undefined {
  if (startedAt === undefined) return undefined;
  const from = Math.min(queuedAt ?? startedAt, startedAt);
  const end = endedAt ?? now;
  const echoed = Math.max(end, ...writes.map((write) => write.echoedAt ?? 0));
  const scale = WIDTH / Math.max(1, echoed - from);
  const bar = (name: string, start: number, until: number): SVGElement | undefined => {
    if (until <= start) return undefined;
    const x = Math.min(WIDTH - MIN_WIDTH, (start - from) * scale);
    const width = Math.max(MIN_WIDTH, (until - start) * scale);
    return domSvg('rect', { class: name, x: x.toFixed(1), y: 0, width: width.toFixed(1), height: HEIGHT });
  };
  return domSvg(
    'svg',
    { class: 'lane', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    bar('wait', from, startedAt),
    bar('echo', end, echoed),
    bar('stream', startedAt, Math.max(end, startedAt + 1)),
    ...writes.map(({ at }) => bar('epoch', at, at + 1 / scale)),
  );
}
