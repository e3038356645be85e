import type { SilentAfter } from '../world/path.ts';
import type { Scenario } from './scenario.ts';

/** Case c: streams that stay open and deliver nothing more, while everything else works. */
export const SILENCE: readonly Scenario[] = [
  silent('silent-at-once', 'headers', 'after their headers'),
  silent('silent-after-event', 'event', 'after their first event'),
  silent('silent-after-bookmark', 'bookmark', 'after their first bookmark'),
];

function silent(name: string, after: SilentAfter, about: string): Scenario {
  return {
    name,
    about: `long streams fall silent ${about}`,
    setup: (dice) => ({ bookmarks: after === 'bookmark' || dice.chance(0.7), othersEveryMs: 20_000 }),
    begin: ({ world, dice }) => {
      world.path.add({ silence: { after, share: dice.pick([1, 0.6]) } });
      world.reconnect();
    },
    expects: {},
  };
}
