import { type Handler, type InformerEvent, deliverEvent } from '../informer/handlers/handlers.ts';
import type { Registration } from '../informer/registration.ts';

/** The same handler for several informers, called for one event at a time all the same. */
export function oneAtATime<T>(handler: Handler<T>): Handler<T> {
  let last: Promise<void> | undefined;
  const inTurn = (call: () => void | Promise<void>): void | Promise<void> => {
    if (last === undefined) {
      const result = call();
      if (!(result instanceof Promise)) return result;
      return hold(result);
    }
    return hold(last.then(call));
  };
  const hold = (running: Promise<void>): Promise<void> => {
    const settled = running.then(ignore, ignore);
    last = settled;
    void settled.then(() => {
      if (last === settled) last = undefined;
    });
    return running;
  };
  const tell = (event: InformerEvent<T>): void | Promise<void> => inTurn(() => deliverEvent(handler, event));
  return { add: tell, update: tell, delete: tell, overflow: () => inTurn(() => handler.overflow?.()) };
}

/** Several registrations of one handler as one. `onRemoved` is called once. */
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
      let missing = parts.length;
      const undo = parts.map((part) => part.onSynced(() => void ((missing -= 1) === 0 && callback())));
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

function ignore(): void {}
