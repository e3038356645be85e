import { guardedAnswer, type UserCode } from '../../core/guarded.ts';
import { linkedAbort } from '../../core/async/abort.ts';
import { errorMessageOf } from '../../core/errors.ts';
import type { ReflectorContext } from './reflector-context.ts';

export interface ResyncOptions {
  /** 0 for no resyncs. */
  readonly periodMs: number;
  /** Called on every tick; it updates the handlers' own periods. */
  readonly shouldResync: UserCode<() => boolean> | undefined;
}

/** A running timer. `stop` resolves when it has ended. */
export interface ResyncTimer {
  stop(): Promise<void>;
}

/**
 * Calls `sink.resync()` every `periodMs`. Never contacts the server.
 *
 * Runs beside the whole watch loop, also while it reconnects or backs off. When the
 * sink throws, the watch ends and a relist follows: the sink's contents may be wrong.
 */
export function startResyncTimer<T>(
  context: ReflectorContext<T>,
  { periodMs, shouldResync: asked }: ResyncOptions,
  signal: AbortSignal,
): ResyncTimer {
  if (periodMs === 0) return { stop: () => Promise.resolve() };
  const { env, sink } = context.options;
  const shouldResync = asked === undefined ? undefined : resyncQuestion(context, asked);
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
        context.log('warn', 'resync failed; ending the watch and relisting', { error: errorMessageOf(error) });
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

/**
 * Guards `shouldResync`. A failure counts as yes: a resync costs little, and a missed one would go unnoticed.
 */
function resyncQuestion<T>(context: ReflectorContext<T>, asked: UserCode<() => boolean>): () => boolean {
  const ask = guardedAnswer('shouldResync', asked);
  return () => {
    try {
      return ask();
    } catch (error) {
      context.log('error', 'shouldResync failed; the resync takes place', { error: errorMessageOf(error) });
      return true;
    }
  };
}
