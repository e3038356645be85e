import type { Hold } from '../world/path.ts';
import type { Scenario } from './scenario.ts';

/** Polling by watches of five seconds, an echo a minute, and tries to go back to watching. */
const POLLING_PER_HOUR = 720 + 60 + 60;

const MAX_TAIL_LAG_MS = 30_000;

/** Case a: a relay that collects a response before it passes it on. */
export const RELAYS: readonly Scenario[] = [
  relay('relay-body', 'body', 'headers pass, the body comes at the end of the stream'),
  relay('relay-headers', 'all', 'headers and body come at the end of the stream'),
  relay('relay-tail', 'tail', 'the rest of an event above 4 KB comes with the next event'),
];

function relay(name: string, hold: Hold, about: string): Scenario {
  return {
    name,
    about,
    // Through a relay that needs the next event to pass one on, rare events wait long.
    ...(hold === 'tail' ? { setup: (dice) => ({ writeEveryMs: dice.between(20_000, 120_000) }) } : {}),
    begin: ({ world, dice }) => {
      world.path.add({ hold, ...(dice.chance(0.3) ? { idleCut: { afterMs: 60_000, as: 'fin' } } : {}) });
    },
    minutes: 30,
    // What is withheld in the middle of an event is found after 6 s, and again, before it is polled.
    expects: { requestsPerHour: POLLING_PER_HOUR, ...(hold === 'tail' ? { maxLagMs: MAX_TAIL_LAG_MS } : {}) },
  };
}
