import { deliverToHandlers, type Handler, type InformerEvent } from '../informer/handlers/handlers.ts';

/** A handler that several informers share. */
export interface SerialHandler<T> {
  readonly handler: Handler<T>;
  /** Starts no further call, not even one that waits for its turn. */
  stop(): void;
}

/** Wraps a handler that several informers share, so that it still receives one event at a time. */
export function serialHandler<T>(handler: Handler<T>): SerialHandler<T> {
  let last: Promise<void> | undefined;
  let isStopped = false;
  const track = (running: Promise<unknown>): Promise<unknown> => {
    const ignore = (): void => {};
    const settled = running.then(ignore, ignore);
    last = settled;
    void settled.then(() => {
      if (last === settled) last = undefined;
    });
    return running;
  };
  const callInTurn = (call: () => unknown): unknown => {
    const start = (): unknown => (isStopped ? undefined : call());
    if (last !== undefined) return track(last.then(start));
    const result = start();
    const isPending = typeof (result as Promise<unknown> | undefined)?.then === 'function';
    return isPending ? track(Promise.resolve(result)) : undefined;
  };
  const call = (event: InformerEvent<T>): unknown => callInTurn(() => deliverToHandlers(handler, event));
  return {
    handler: { add: call, update: call, delete: call, overflow: () => callInTurn(() => handler.overflow?.()) },
    stop: () => void (isStopped = true),
  };
}
