import { linkedAbort } from '../../core/async/abort.ts';
import { messageOf } from '../../core/errors.ts';
import type { ReflectorContext } from './reflector-context.ts';

export interface ResyncOptions {
  /** 0 never fires. */
  readonly periodMs: number;
  /** Asked on every tick; it keeps the handlers' own clocks. */
  readonly shouldResync: (() => boolean) | undefined;
}

/** A running timer. `stop` resolves when nothing of it is left. */
export interface ResyncTimer {
  stop(): Promise<void>;
}

/**
 * Asks the sink, from time to time, to announce again what it holds. Never contacts the server.
 *
 * Runs beside the whole watch loop, also while it reconnects or backs off. A sink
 * that fails ends the stream and leads to a list: what it holds may be wrong.
 */
export function startResyncTimer<T>(
  context: ReflectorContext<T>,
  { periodMs, shouldResync }: ResyncOptions,
  signal: AbortSignal,
): ResyncTimer {
  if (periodMs === 0) return { stop: () => Promise.resolve() };
  const { env, sink } = context.options;
  const abort = linkedAbort(signal);
  const running = (async () => {
    for (;;) {
      await env.sleep(periodMs, abort.signal);
      if (abort.signal.aborted) return;
      try {
        if (shouldResync !== undefined && !shouldResync()) continue;
        context.log('debug', 'forcing a resync');
        sink.resync?.();
        context.timeline.mark('resync');
      } catch (error) {
        context.log('warn', 'resync failed; the watch ends and the list begins again', { error: messageOf(error) });
        return context.interrupt(error);
      }
    }
  })();
  return {
    stop() {
      abort.abort();
      return running;
    },
  };
}
