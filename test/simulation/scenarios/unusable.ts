import type { KubeList } from 'kube-informer/core';
import type { Dice } from '../world/dice.ts';
import type { Item } from '../world/history.ts';
import type { Frame } from '../world/stream.ts';
import { badOnce, relist, type Scenario, type Stage } from './scenario.ts';

/** Lists that are not streamed: only a list has a version of its own, pages and one body. */
const PLAIN_LISTS = { watchList: false, pageSize: 0, queue: 'ordered' } as const;

/** Answers of which a part cannot be used: the rest is, and the part that cannot is named or asked for in another way. */
export const UNUSABLE: readonly Scenario[] = [
  {
    name: 'undecodable-object',
    about: 'some states of some objects cannot be decoded, in lists and in streams',
    // With an odd number of keys the source cannot decode them, with an even one the transform cannot.
    setup: (dice) => ({
      bad: 0.15,
      keys: 2 * dice.whole(4, 18) + (dice.chance(0.8) ? 1 : 0),
      watchList: dice.chance(0.5),
    }),
    begin: (stage) => {
      const { world, workload } = stage;
      badOnce(stage, () => {
        world.path.strike('a list with objects that cannot be decoded');
        relist(world, workload);
      });
    },
    expects: {},
  },
  {
    name: 'list-older-than-items',
    about: 'now and then a list has a version below that of its items',
    setup: () => PLAIN_LISTS,
    begin: (stage) =>
      nextList(stage, 'a list older than its items', (list, dice) => {
        const versions = list.items.map(({ metadata }) => Number(metadata.resourceVersion));
        const older = Math.max(1, Math.max(...versions) - dice.whole(1, 40));
        return { items: list.items, metadata: { resourceVersion: String(older) } };
      }),
    alone: true,
    expects: { ordered: true },
  },
  {
    name: 'numeric-version',
    about:
      'now and then versions are numbers in JSON: of a list, of some items for minutes, of all events for a minute',
    setup: () => PLAIN_LISTS,
    begin: (stage) => {
      const { dice, world, clock, workload } = stage;
      nextList(stage, 'a list with a number for its version', (list) => ({
        items: list.items,
        metadata: numeric(list.metadata ?? {}),
      }));
      badOnce(stage, () => {
        world.path.strike('items with numbers for versions');
        const digit = String(dice.whole(0, 9));
        const isStruck = ({ metadata }: Item): boolean => metadata.name.endsWith(digit);
        world.tainted = true;
        world.path.add({
          rewriteList: (list) => ({
            ...list,
            items: list.items.map((item) => (isStruck(item) ? numericItem(item) : item)),
          }),
        });
        clock.after(dice.between(200_000, 400_000), () => world.path.add({ rewriteList: (list) => list }));
        relist(world, workload);
      });
      badOnce(stage, () => {
        world.path.strike('events with numbers for versions');
        world.path.add({ rewriteFrame: (frame) => (frame.type === 'ERROR' ? frame : numericFrame(frame)) });
        clock.after(dice.between(20_000, 90_000), () => world.path.add({ rewriteFrame: (frame) => frame }));
      });
    },
    alone: true,
    // A bad list after bad events costs one more backoff.
    expects: { ordered: true, maxLagMs: 190_000 },
  },
  {
    name: 'too-large-list',
    about: 'a list is larger than the client reads, unless it comes in pages, or in small ones',
    setup: (dice) => ({ watchList: false, pageSize: 0, keys: dice.whole(20, 40) }),
    begin: (stage) => {
      const { world, workload, dice } = stage;
      const maxItems = dice.whole(3, 6);
      badOnce(stage, () => {
        world.path.add({ maxItems });
        relist(world, workload);
      });
    },
    expects: {},
  },
  {
    name: 'trickling-list',
    about: 'the bodies of some lists come as one byte every 20 s',
    setup: () => PLAIN_LISTS,
    begin: (stage) => {
      const { world, workload, dice } = stage;
      badOnce(stage, () => {
        let left = dice.whole(1, 2);
        world.path.add({ trickles: () => (left -= 1) >= 0 });
        relist(world, workload);
      });
    },
    alone: true,
    // A minute until it is given up, as often as it trickles.
    expects: { maxLagMs: 210_000 },
  },
];

/** From time to time the next list is another one than the server sent. */
function nextList(stage: Stage, what: string, rewrite: (list: KubeList<Item>, dice: Dice) => KubeList<Item>): void {
  const { world, workload, dice } = stage;
  badOnce(stage, () => {
    world.path.add({
      rewriteList: (list) => {
        if (list.items.length === 0) return list;
        world.path.add({ rewriteList: (next) => next });
        world.tainted = true;
        world.path.strike(what);
        return rewrite(list, dice);
      },
    });
    relist(world, workload);
  });
}

function numeric<M extends { readonly resourceVersion?: string | undefined }>(metadata: M): M {
  return { ...metadata, resourceVersion: Number(metadata.resourceVersion) as unknown as string };
}

function numericItem(item: Item): Item {
  return { ...item, metadata: numeric(item.metadata) };
}

function numericFrame(frame: Exclude<Frame, { type: 'ERROR' }>): Frame {
  return { ...frame, object: { ...frame.object, metadata: numeric(frame.object.metadata ?? {}) } } as Frame;
}
