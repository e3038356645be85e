import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '../real/harness/link.ts';
import type { Offspring } from './offspring.ts';
import type { LeaderFault, Replicas } from './replicas/replicas.ts';
import type { Watched } from './watched.ts';
import type { Valve } from '../real/harness/valve.ts';
import type { World } from './world.ts';
import { WITHIN_MS } from './settle.ts';
import { RESOURCES, type Writer } from './writer.ts';

export type Fault =
  | 'kill' | 'stop' | 'partition' | 'one-way partition' | 'loss' | 'lag' | 'compaction' | 'restore' | 'rollback' | 'reset' | '429' | 'forbidden'
  | 'slow reader' | 'own kill' | 'frozen process' | LeaderFault; // prettier-ignore

/**
 * Which faults exclude each other. `server`: one at a time for each of the two servers. `beside`: one at a time, whatever the
 * servers do. `own`: one at a time for our own second process. `leader`: one at a time for the replicas of an operator. `all`:
 * alone.
 */
export type Lane = 'server' | 'beside' | 'own' | 'leader' | 'all';
export const LANE: Readonly<Record<Fault, Lane>> = {
  kill: 'server', stop: 'server', partition: 'server', 'one-way partition': 'server', loss: 'server', lag: 'server',
  'slow reader': 'server', compaction: 'server', reset: 'beside', '429': 'beside', forbidden: 'beside', 'own kill': 'own',
  'leader kill': 'leader', 'leader cut': 'leader', 'leader freeze': 'leader', 'leader stop': 'leader',
  restore: 'all', rollback: 'all', 'frozen process': 'all',
}; // prettier-ignore

/** The parts that faults act on. */
export interface Stage {
  readonly world: World;
  readonly writer: Writer;
  readonly offspring: Offspring;
  /** Undefined if not requested. */
  readonly replicas: Replicas | undefined;
  readonly watched: readonly Watched[];
  /** For each server, the informer that uses only this one. */
  readonly direct: readonly Watched[];
  /** The informers behind the balancer. */
  readonly balanced: readonly Watched[];
  /** For each server, the informer that stops reading. */
  readonly slow: readonly Watched[];
  readonly random: () => number;
  /** How long the next process is stopped. */
  readonly stopSeconds: () => number;
  /** How long the next network is cut: some cuts are too short to be noticed. */
  readonly cutSeconds: Readonly<Record<'partition' | 'one-way partition', () => number>>;
  readonly figures: { forcedCloses: number; longestNoticeMs: number };
}

/**
 * Causes one fault, at server `at` if it is about one, and repairs it. Resolves to whether an informer was affected: a fault
 * that never affects one is useless.
 */
export async function cause(fault: Fault, stage: Stage, at: number): Promise<boolean> {
  const { world, random, stopSeconds, cutSeconds, balanced } = stage;
  const { plane, balancer } = world;
  const link = world.links[at] as Link;
  const direct = stage.direct[at] as Watched;
  const startedAt = Date.now();
  const isBroken = (of: readonly Watched[]): boolean => of.some((one) => one.hasFailedSince(startedAt));
  switch (fault) {
    case 'kill':
      await plane.killApiserver('SIGKILL', at);
      await sleep(random() * 300);
      await plane.startApiserver(at);
      return isBroken([direct]);
    case 'stop':
      plane.signalApiserver('SIGSTOP', at);
      await sleep(stopSeconds() * 1_000);
      plane.signalApiserver('SIGCONT', at);
      return isBroken([direct]);
    case 'partition':
    case 'one-way partition':
      await link.set({ cut: fault === 'partition' ? 'both' : random() < 0.5 ? 'toClient' : 'toServer' });
      await sleep(cutSeconds[fault]() * 1_000);
      await link.set({});
      return isBroken([direct]);
    case 'loss':
      await link.set({ loss: 0.05 + random() * 0.3, jitterMs: random() * 200 });
      await sleep(4_000);
      return (await link.set({})) > 0;
    case 'lag':
      return unanswered(balanced, () => lag(stage, at));
    case 'compaction':
      return refused(410, [direct], () => compaction(world, at, direct));
    case 'restore':
      // As etcd's documentation advises for Kubernetes: the new history cannot be mistaken for the old one. A client that
      // has seen lost states still notices, by older states in a newer list.
      for (const { setBack } of stage.watched) setBack.perhaps += 1;
      await whileUncertain(stage, async () =>
        restore(world, await plane.snapshotEtcd(), '--bump-revision=1000000', '--mark-compacted'),
      );
      return isBroken(stage.watched);
    case 'rollback':
      await whileUncertain(stage, () => rollback(stage));
      return true;
    case 'leader kill':
    case 'leader cut':
    case 'leader freeze':
    case 'leader stop':
      return (await stage.replicas?.cause(fault)) ?? false;
    case 'reset':
      balancer.reset();
      await sleep(200);
      return isBroken(balanced);
    case '429':
      return refused(429, balanced, async () => {
        await world.overload();
        await sleep(1_000); // until the servers have the change
        balancer.reset();
        await sleep(3_000);
        await world.relieve();
      });
    case 'forbidden':
      return refused(403, balanced, async () => {
        await world.revoke();
        await sleep(500);
        balancer.reset();
        await sleep(3_000);
        await world.grant();
      });
    case 'slow reader':
      return slowReader(stage, at);
    case 'own kill':
      // At any moment, also before it is synced.
      await sleep(random() * 2_000);
      await stage.offspring.kill();
      return true;
    case 'frozen process': {
      const seconds = stopSeconds();
      // A stopped process cannot continue itself.
      spawn('sh', ['-c', `kill -STOP ${process.pid}; sleep ${seconds}; kill -CONT ${process.pid}`], {
        detached: true,
        stdio: 'ignore',
      }).unref();
      await sleep(500);
      return Date.now() - startedAt > seconds * 900;
    }
  }
}

/** Whether an informer received this code meanwhile. One that backs off from another fault sends no request. */
async function refused(code: number, of: readonly Watched[], work: () => Promise<void>): Promise<boolean> {
  await somebodyWatches(of);
  const count = (): number => of.reduce((sum, { refusals }) => sum + (refusals.get(code) ?? 0), 0);
  const before = count();
  await work();
  return count() > before;
}

/** Whether an informer requested the server's current version meanwhile, and got no response. */
async function unanswered(of: readonly Watched[], work: () => Promise<void>): Promise<boolean> {
  const count = (): number => of.reduce((sum, { figures }) => sum + figures.failedChecks, 0);
  const before = count();
  await work();
  return count() > before;
}

async function somebodyWatches(of: readonly Watched[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!of.some((one) => one.isWatching) && Date.now() < deadline) await sleep(50);
}

/** Cuts a server off from etcd and moves all clients to it, so that it is behind them. */
async function lag({ world, writer, balanced, random }: Stage, at: number): Promise<void> {
  const { balancer } = world;
  const valve = world.valves[at] as Valve;
  balancer.prefer(1 - at);
  balancer.reset();
  await somebodyWatches(balanced);
  valve.shut();
  writer.use(1 - at);
  await sleep(1_500 + random() * 1_500);
  balancer.prefer(at);
  balancer.reset();
  // A quiet watch is checked after a second, and a question is given up after five.
  await sleep(8_000 + random() * 3_000);
  balancer.prefer(undefined);
  valve.open();
}

/** Compacts the history while an informer is disconnected, and restarts the server that still had it in its cache. */
async function compaction({ plane, links }: World, at: number, direct: Watched): Promise<void> {
  const link = links[at] as Link;
  await link.set({ cut: 'both' });
  try {
    await sleep(500);
    await plane.compactEtcd().catch((error: Error) => {
      if (!error.message.includes('has been compacted')) throw error;
    });
    await plane.killApiserver('SIGKILL', at);
    await plane.startApiserver(at);
  } finally {
    await link.set({});
  }
  const before = direct.figures.resumes + direct.figures.relists;
  const deadline = Date.now() + 10_000;
  while (direct.figures.resumes + direct.figures.relists === before && Date.now() < deadline) await sleep(50);
  await sleep(300);
}

async function restore({ plane }: World, snapshot: string, ...flags: string[]): Promise<void> {
  await sleep(1_500); // what is written now is lost
  await Promise.all(plane.urls.map((_, one) => plane.killApiserver('SIGKILL', one)));
  await plane.killEtcd();
  await plane.restoreEtcd(snapshot, ...flags);
  plane.startEtcd();
  await Promise.all(plane.urls.map((_, one) => plane.startApiserver(one)));
}

/** Changes the storage under the replicas: its Lease is an old one afterwards. */
async function whileUncertain({ replicas }: Stage, work: () => Promise<void>): Promise<void> {
  const done = replicas?.restoring();
  try {
    await work();
  } finally {
    done?.();
  }
}

/** How many writes a restore takes back; the servers themselves write a little when they start. */
const BACK = 400;

/**
 * Restores the storage without a bump of its revision. Nothing is written until all informers have noticed: a storage that has
 * grown past the version a client has seen looks like progress to any client.
 */
async function rollback({ world, writer, watched, offspring, replicas, figures }: Stage): Promise<void> {
  const snapshot = await world.plane.snapshotEtcd();
  const goOn = await writer.rest();
  let userGoesOn = (): void => {};
  try {
    const head = await world.head();
    for (const resource of RESOURCES) await writer.flood(0, { resource, count: BACK, bytes: 10 });
    // Every informer has seen a state that will be lost.
    const lastSeen = ({ informer }: Watched): bigint => BigInt(informer.lastSyncResourceVersion || '0');
    await until(() => watched.filter((one) => lastSeen(one) <= head + BigInt(BACK / 2)), 'has seen what was written');
    // The replicas, too, must have seen versions that will not come back soon: one that was frozen or cut off has nothing to notice.
    await replicas?.reached(Number(head) + BACK / 2);
    userGoesOn = replicas?.rest() ?? userGoesOn;
    const unaware = replicas?.epochs() ?? (() => []);
    await restore(world, snapshot);
    for (const { setBack } of watched) setBack.surely += 1;
    const startedAt = Date.now();
    await until(() => watched.filter((one) => one.figures.epochs < one.setBack.surely), 'has noticed');
    while (unaware().length > 0 && Date.now() - startedAt < WITHIN_MS) await sleep(100);
    if (unaware().length > 0) throw new Broken(`a restore was not noticed by ${unaware().join(', ')}`);
    figures.longestNoticeMs = Math.max(figures.longestNoticeMs, Date.now() - startedAt);
    // The state of the other process is unknown, so it is started again.
    await offspring.kill();
  } finally {
    goOn();
    userGoesOn();
  }
}

/** A promise was broken; other errors mean that the fault could not be played. */
export class Broken extends Error {}

async function until(waitedFor: () => readonly Watched[], what: string): Promise<void> {
  const deadline = Date.now() + WITHIN_MS;
  while (waitedFor().length > 0 && Date.now() < deadline) await sleep(100);
  const late = waitedFor().map(({ name, informer }) => `${name}: ${JSON.stringify(informer.timeline.slice(-8))}`);
  if (late.length > 0) throw new Broken(`not every informer ${what} within ${WITHIN_MS / 1_000} s: ${late.join('; ')}`);
}

/** Stops reading while more is written than all buffers hold, so that the server closes the watch. */
async function slowReader({ world, writer, slow, figures }: Stage, at: number): Promise<boolean> {
  const { informer } = slow[at] as Watched;
  const deadline = Date.now() + 30_000;
  while (informer.state.kind !== 'synced' && Date.now() < deadline) await sleep(50);
  const before = await world.forcedCloses(at);
  const goOn = (slow[at] as Watched).stopReading();
  try {
    await writer.flood(at, { resource: RESOURCES[0], count: 400, bytes: 60_000 });
    await sleep(500);
  } finally {
    goOn();
  }
  const closed = (await world.forcedCloses(at)) - before;
  figures.forcedCloses += closed;
  return closed > 0;
}
