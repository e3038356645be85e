import { repeatedly, type Scenario } from './scenario.ts';

/** How long the client has to apply the deletes before they are taken back. */
const APPLIED_MS = 1_500;

/** Case h: a backup, restored with raised versions. Every list is newer than all before it. */
export const RESTORES: readonly Scenario[] = [
  {
    name: 'restore-raised',
    about: 'objects are deleted, and a backup that is restored with raised versions takes nothing back but the deletes',
    setup: () => ({ keys: 30, othersEveryMs: 10_000 }),
    begin: (stage) => {
      const { world, clock, dice, restored } = stage;
      repeatedly(stage, [30_000, 120_000], () => {
        const { history } = world;
        const backup = history.rv;
        const there = [...history.state.keys()];
        if (there.length === 0 || world.rewound) return;
        for (let left = dice.whole(1, 3); left > 0; left -= 1) world.delete(dice.pick(there));
        clock.after(APPLIED_MS, () => {
          const since = history.entries.slice(history.indexAfter(backup));
          const onlyDeletes = since.length > 0 && since.every(({ type }) => type === 'DELETED');
          const isKnown = world.clientAt() >= (since.at(-1)?.rv ?? 0);
          if (world.history !== history || !onlyDeletes || !isKnown || !world.restoreRaised(backup)) return;
          world.path.strike('deletes are taken back');
          restored();
        });
      });
    },
    alone: true,
    expects: { announced: true },
  },
];
