import type { Env } from '../core/env.ts';
import { isEqualButVersion } from '../core/object/equal.ts';
import { plainAccess } from '../core/object/object.ts';
import type { Reduction } from '../core/object/reduction.ts';
import { DecodedBudget } from '../store/packed/decoded-budget.ts';
import { type Packed, PackedObjects } from '../store/packed/packed-objects.ts';
import { SeenStore } from '../store/seen-store.ts';
import { lazyEventMaker } from './handlers/event-maker.ts';
import type { Holding } from './holding.ts';
import type { SharedInformerOptions } from './informer-options.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import { packedSource } from './list-watch/packed-source.ts';
import { reducedBuildAccess, reducedBuild } from './list-watch/reduced-build.ts';

/** Holds objects as the bytes that the server sent. */
export function packedHolding<T extends object>(
  source: ListWatch<T>,
  { freeze = true, decoded: budget = new DecodedBudget() }: SharedInformerOptions<T, string>,
  env: Env,
  reduction: Reduction | undefined,
): Holding<Packed, T> {
  const access = reducedBuildAccess(plainAccess, reduction);
  const objects = new PackedObjects<T>({ env, budget, freeze, access });
  const isUnseen = (before: Packed, now: Packed): boolean => isEqualButVersion(objects.see(before), objects.see(now));
  return {
    representation: objects,
    events: lazyEventMaker((stored) => objects.see(stored)),
    source: packedSource(source, reducedBuild(objects.build, reduction)),
    ...(reduction?.keeps === 'named' ? { isUnseen } : {}),
    readers: (indexer) => {
      objects.follow(({ namespace, name }) =>
        indexer.size === 0 || name === undefined ? undefined : indexer.get(namespace ? `${namespace}/${name}` : name),
      );
      return new SeenStore(indexer, objects);
    },
    inspect: (stored) => objects.inspect(stored),
    run: (signal) => objects.run(signal),
    // A transform is refused, and objects are frozen when they are decoded.
    transform: () => undefined,
  };
}
