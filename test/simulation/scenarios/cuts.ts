import type { CutKind } from '../world/path.ts';
import type { Scenario } from './scenario.ts';

/** A watch every 20 s, as client-go, and at most as many echoes and witnesses. */
const REQUESTS_PER_HOUR = 2 * 180 + 2 * 72;

/** Case g: a balancer that cuts connections after 20 idle seconds. The code of the ending says nothing. */
export const CUTS: readonly Scenario[] = [
  cut('idle-cut-fin', 'fin', 'in the middle of the body', 5_000),
  cut('idle-cut-clean', 'clean', 'with a normal end', 5_000),
  cut('idle-cut-rst', 'rst', 'with a stream error', 5_000),
  // Headers are withheld until then, so such a path may as well be polled.
  cut('idle-cut-200', 'late-200', 'with the headers of a success, then the end', 15_000),
];

function cut(name: string, as: CutKind, about: string, maxLagMs: number): Scenario {
  return {
    name,
    about: `idle connections are cut after 20 s ${about}`,
    setup: (dice) => ({ writeEveryMs: dice.between(15_000, 60_000) }),
    begin: ({ world }) => world.path.add({ idleCut: { afterMs: 20_000, as } }),
    alone: true,
    minutes: 30,
    expects: { maxLagMs, requestsPerHour: as === 'late-200' ? 900 : REQUESTS_PER_HOUR },
  };
}
