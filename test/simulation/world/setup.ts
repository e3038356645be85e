import type { HandlerOptions } from 'kube-informer/informer';
import type { Dice } from './dice.ts';

/** A `hanging` call ends after minutes, a `stuck` one only when the faults are over. */
export type Temper = 'recording' | 'slow' | 'throwing' | 'hanging' | 'stuck';

export interface HandlerSetup {
  readonly temper: Temper;
  readonly options: HandlerOptions & Required<Pick<HandlerOptions, 'policy' | 'limit' | 'name'>>;
}

/** Everything about a run that does not change during it. */
export interface Setup {
  // — the cluster —
  readonly replicas: number;
  /** Changes a replica keeps for watches to resume in. */
  readonly window: number;
  /** Whether the server sends bookmarks. One that does not cannot stream lists either. */
  readonly bookmarks: boolean;
  /** Maximum duration of a watch, whatever the client requests; a proxy may close it early. */
  readonly watchLifeMs: number;
  /** Whether the storage tells the replicas about versions of other resources; without it only a consistent read does. */
  readonly progressNotify: boolean;
  /** Average time between two writes of other resources, besides those of the workload. */
  readonly othersEveryMs: number;
  /** Whether these writes are evenly spread, as the renewals of leases are. */
  readonly othersEvenly: boolean;
  /** Whether the source can tell one cluster from another. */
  readonly clusterId: boolean;
  /** Whether the source can tell that a response has begun, before its first event. */
  readonly tellsProgress: boolean;
  readonly keys: number;
  /** Average time between two writes. */
  readonly writeEveryMs: number;
  /** Share of writes on which the transform fails. */
  readonly bad: number;
  // — the informer —
  readonly queue: 'ordered' | 'delta';
  /** A transform needs plain objects, whatever is said here. */
  readonly hold: 'plain' | 'packed';
  readonly batch: boolean;
  readonly watchList: boolean;
  readonly verifyWatchList: boolean;
  readonly pageSize: number;
  readonly allowStaleFirstList: boolean;
  readonly resyncMs: number;
  readonly freeze: boolean;
  readonly uidChange: 'flag' | 'split';
  readonly maxInternalErrorRetryMs: number;
  readonly auditMs: number | undefined;
  // — its process —
  readonly hiccups: number;
  /** Whether the platform has a clock that runs during a suspend. */
  readonly bootClock: boolean;
  readonly handlers: readonly HandlerSetup[];
  /** When one more handler joins. */
  readonly joinAtMs: number;
  /** When the hanging handler is removed, if it is. */
  readonly removeAtMs: number | undefined;
}

/** Longer than any run. */
export const NEVER = 1e9;

export function drawSetup(dice: Dice): Setup {
  const bookmarks = dice.chance(0.8);
  return {
    replicas: dice.chance(0.7) ? 2 : 3,
    window: Math.round(dice.magnitude(8, 400)),
    bookmarks,
    watchLifeMs: dice.chance(0.5) ? NEVER : dice.magnitude(3_000, 300_000),
    progressNotify: true,
    othersEveryMs: NEVER,
    othersEvenly: false,
    clusterId: dice.chance(0.3),
    tellsProgress: true,
    keys: dice.whole(8, 40),
    writeEveryMs: dice.between(2_500, 6_000),
    bad: dice.chance(0.12) ? 0.05 : 0,
    queue: dice.chance(0.65) ? 'ordered' : 'delta',
    hold: 'plain',
    batch: dice.chance(0.3),
    watchList: dice.chance(0.75),
    verifyWatchList: dice.chance(0.06),
    pageSize: dice.chance(0.5) ? dice.whole(3, 12) : 0,
    allowStaleFirstList: dice.chance(0.15),
    resyncMs: dice.chance(0.15) ? dice.between(90_000, 400_000) : 0,
    freeze: dice.chance(0.3),
    uidChange: dice.chance(0.7) ? 'flag' : 'split',
    maxInternalErrorRetryMs: dice.chance(0.2) ? 30_000 : 0,
    auditMs: bookmarks && dice.chance(0.08) ? 200_000 : undefined,
    hiccups: dice.chance(0.15) ? 0.02 : 0,
    bootClock: true,
    handlers: (['recording', 'slow', 'throwing', 'hanging'] as const).map((temper) => drawHandler(dice, temper)),
    joinAtMs: dice.between(0, 1_000_000),
    removeAtMs: dice.chance(0.3) ? dice.between(200_000, 1_100_000) : undefined,
  };
}

function drawHandler(dice: Dice, temper: Temper): HandlerSetup {
  const policy = dice.pick(['coalesce', 'coalesce', 'block', 'detach'] as const);
  const limit = dice.chance(0.6) ? dice.whole(1, 12) : dice.pick([64, 1_024]);
  return { temper, options: { policy, limit, name: temper, errorPauseMs: dice.pick([0, 200, 1_000]) } };
}
