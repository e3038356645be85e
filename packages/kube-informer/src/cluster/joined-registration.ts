import { guardedPromise } from '../core/guarded.ts';
import type { Registration } from '../informer/registration.ts';

/** Combines the registrations of one handler with several informers. `onRemoved` is called on each removal. */
export function joinRegistrations(parts: readonly Registration[], onRemoved: () => void): Registration {
  const remove = (): void => {
    for (const part of parts) part.remove();
    onRemoved();
  };
  const shutdown = async (): Promise<void> => {
    remove();
    await Promise.all(parts.map((part) => part.shutdown()));
  };
  return {
    name: (parts[0] as Registration).name,
    get pending() {
      return parts.reduce((sum, part) => sum + part.pending, 0);
    },
    get hasSynced() {
      return parts.every((part) => part.hasSynced);
    },
    onSynced(callback) {
      const call = guardedPromise(callback);
      let missing = parts.length;
      const undo = parts.map((part) => part.onSynced(() => ((missing -= 1) === 0 ? call() : undefined)));
      return () => {
        for (const one of undo) one();
      };
    },
    synced: async (options) => void (await Promise.all(parts.map((part) => part.synced(options)))),
    remove,
    shutdown,
    [Symbol.asyncDispose]: shutdown,
  };
}
