import type { Env } from 'kube-informer/core';
import { SharedInformer } from 'kube-informer/informer';
import type { Item } from '../world/history.ts';
import type { Server } from '../world/server.ts';
import type { Setup } from '../world/setup.ts';

/** The code under test. The zoo has its own copies, with a bug each. */
export interface Engine {
  readonly SharedInformer: typeof SharedInformer;
}

export interface SubjectOptions {
  readonly engine: Engine | undefined;
  readonly source: Server;
  readonly env: Env;
  readonly setup: Setup;
  readonly stopGraceMs: number;
  readonly onEpochReset: () => void;
}

/** Creates the informer under test from the run's setup. */
export function createSubject(options: SubjectOptions): SharedInformer<Item> {
  const { engine = { SharedInformer }, source, env, setup, stopGraceMs, onEpochReset } = options;
  const { queue, batch, watchList, verifyWatchList, allowStaleFirstList, resyncMs, freeze, pageSize } = setup;
  const { uidChange, maxInternalErrorRetryMs, auditMs, bad } = setup;
  return new engine.SharedInformer<Item>(source, {
    name: 'items',
    env,
    queue,
    batch,
    watchList,
    verifyWatchList,
    allowStaleFirstList,
    resyncMs,
    freeze,
    pageSize,
    uidChange,
    maxInternalErrorRetryMs,
    detectMutations: false,
    stopGraceMs,
    onEpochReset,
    ...(auditMs === undefined ? {} : { audit: { everyMs: auditMs } }),
    ...(bad === 0 ? {} : { transform: digest }),
  });
}

/** A transform that fails on bad states. */
function digest(item: Item): Item {
  if (item.spec.bad) throw new Error('indigestible');
  return item;
}
