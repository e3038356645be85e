import type { Item } from '../world/history.ts';
import type { Frame } from '../world/stream.ts';
import { badOnce, relist, type Scenario, type Stage } from './scenario.ts';

/** One bad answer changes nothing lasting. */
export const INPUTS: readonly Scenario[] = [
  {
    name: 'list-without-version',
    about: 'now and then a list has no version',
    setup: () => ({ watchList: false, pageSize: 0, queue: 'ordered' }),
    begin: (stage) => {
      const { world, workload } = stage;
      badOnce(stage, () => {
        world.path.add({
          rewriteList: (list) => {
            world.path.add({ rewriteList: (next) => next });
            world.tainted = true;
            world.path.strike('a list without a version');
            return { items: list.items, metadata: {} };
          },
        });
        relist(world, workload);
      });
    },
    alone: true,
    expects: { ordered: true },
  },
  {
    name: 'unparsable-version',
    about: 'now and then a list has a version that the server itself cannot parse',
    setup: () => ({ watchList: false, pageSize: 0, queue: 'ordered' }),
    begin: (stage) => {
      const { world, workload } = stage;
      badOnce(stage, () => {
        world.path.add({
          rewriteList: (list) => {
            world.path.add({ rewriteList: (next) => next });
            world.tainted = true;
            world.path.strike('a list with a version that is not a number');
            return { items: list.items, metadata: { resourceVersion: `${list.metadata?.resourceVersion}-x` } };
          },
        });
        relist(world, workload);
      });
    },
    alone: true,
    expects: { ordered: true },
  },
  {
    name: 'absurd-version',
    about: 'now and then a bookmark has a version far beyond the storage',
    setup: () => ({ queue: 'ordered', bookmarks: true, othersEveryMs: 5_000 }),
    begin: (stage) => {
      const { world } = stage;
      badOnce(stage, () => {
        world.path.add({
          rewriteFrame: (frame) => {
            if (frame.type !== 'BOOKMARK') return frame;
            world.path.add({ rewriteFrame: (next) => next });
            world.tainted = true;
            world.path.strike('a bookmark with an absurd version');
            return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(world.history.rv + 1e12) } } };
          },
        });
      });
    },
    alone: true,
    expects: {},
  },
  {
    name: 'deleted-at-last-version',
    about: "a delete carries the object's last version instead of its own",
    begin: ({ world, dice }) => {
      world.path.add({
        rewriteFrame: (frame) => (frame.type === 'DELETED' && dice.chance(0.4) ? atLastVersion(frame, world) : frame),
      });
    },
    expects: {},
  },
  {
    name: 'repeating-continue',
    about: 'for some minutes each page of a list names itself as the next one',
    setup: () => ({ watchList: false, pageSize: 3, keys: 20 }),
    begin: (stage) => {
      const { world, workload, clock, dice } = stage;
      badOnce(stage, () => {
        world.path.strike('continue tokens repeat');
        world.path.add({
          rewriteList: (list, options) =>
            list.metadata?.continue === undefined
              ? list
              : { ...list, metadata: { ...list.metadata, continue: options.continue ?? list.metadata.continue } },
        });
        clock.after(dice.between(60_000, 240_000), () => world.path.add({ rewriteList: (list) => list }));
        relist(world, workload);
      });
    },
    expects: { maxLagMs: undefined },
  },
  {
    name: 'retry-after-huge',
    about: 'streams end with a 429 that asks for a pause of three years',
    begin: ({ world, dice }) => {
      const status = { kind: 'Status', code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1e8 } };
      world.path.add({
        breaks: (role) => {
          if (role !== 'long' || !dice.chance(0.4)) return undefined;
          world.path.strike('Retry-After of three years');
          return { afterMs: dice.magnitude(1_000, 100_000), status };
        },
      });
    },
    alone: true,
    expects: {},
  },
];

function atLastVersion(frame: Frame, world: Stage['world']): Frame {
  const { metadata, spec } = frame.object as Item;
  const before = world.history.entries.findLast(
    ({ rv, object }) => rv < Number(metadata.resourceVersion) && object.metadata.uid === metadata.uid,
  );
  if (before === undefined) return frame;
  world.touched.add(before.key);
  world.path.strike(`DELETED ${before.key} with version ${before.rv}`);
  return { type: 'DELETED', object: { metadata: { ...metadata, resourceVersion: String(before.rv) }, spec } };
}
