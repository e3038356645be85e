import type { Env } from '../core/env.ts';
import { DecodedBudget } from '../store/packed/decoded-budget.ts';
import { type Packed, PackedObjects } from '../store/packed/packed-objects.ts';
import { SeenStore } from '../store/seen-store.ts';
import { guardFreezesByDefault } from './apply/mutation-guard.ts';
import { lazyEvents } from './handlers/event-maker.ts';
import type { Holding } from './holding.ts';
import type { SharedInformerOptions } from './informer-options.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import { packedSource } from './list-watch/packed-source.ts';

/** Objects as the bytes that the server sent. */
export function packedHolding<T extends object>(
  source: ListWatch<T>,
  { freeze = guardFreezesByDefault(), decoded: budget = new DecodedBudget() }: SharedInformerOptions<T, string>,
  env: Env,
): Holding<Packed, T> {
  const objects = new PackedObjects<T>({ env, budget, freeze });
  return {
    representation: objects,
    events: lazyEvents((stored) => objects.see(stored)),
    source: packedSource(source, objects.build),
    readers: (indexer) => new SeenStore(indexer, objects),
    inspect: (stored) => objects.inspect(stored),
    run: (signal) => objects.run(signal),
    // A transform is refused, and what readers see is frozen when it is decoded.
    transform: () => undefined,
  };
}
