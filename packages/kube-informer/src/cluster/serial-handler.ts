import { deliverToHandlers, type Handler, type InformerEvent } from '../informer/handlers/handlers.ts';

/** Wraps a handler that several informers share, so that it still receives one event at a time. */
export function serialHandler<T>(handler: Handler<T>): Handler<T> {
  let last: Promise<void> | undefined;
  const callInTurn = (call: () => void | Promise<void>): void | Promise<void> => {
    if (last === undefined) {
      const result = call();
      return result instanceof Promise ? track(result) : result;
    }
    return track(last.then(call));
  };
  const track = (running: Promise<void>): Promise<void> => {
    const ignore = (): void => {};
    const settled = running.then(ignore, ignore);
    last = settled;
    void settled.then(() => {
      if (last === settled) last = undefined;
    });
    return running;
  };
  const call = (event: InformerEvent<T>): void | Promise<void> => callInTurn(() => deliverToHandlers(handler, event));
  return { add: call, update: call, delete: call, overflow: () => callInTurn(() => handler.overflow?.()) };
}
