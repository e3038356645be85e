import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '../real/harness/link.ts';
import type { Offspring } from './offspring.ts';
import type { Watched } from './watched.ts';
import type { Valve } from './valve.ts';
import type { World } from './world.ts';
import type { Writer } from './writer.ts';

export type Fault =
  | 'kill' | 'stop' | 'partition' | 'one-way partition' | 'loss' | 'lag' | 'compaction' | 'restore' | 'rollback' | 'reset' | '429' | 'forbidden'
  | 'slow reader' | 'own kill' | 'frozen process'; // prettier-ignore

/**
 * Which faults wait for which. `server`: one at a time for each of the two servers. `beside`: one at a time, whatever the
 * servers do. `own`: of our own second process. `all`: alone.
 */
export type Lane = 'server' | 'beside' | 'own' | 'all';
export const LANE: Readonly<Record<Fault, Lane>> = {
  kill: 'server', stop: 'server', partition: 'server', 'one-way partition': 'server', loss: 'server', lag: 'server',
  'slow reader': 'server', compaction: 'beside', reset: 'beside', '429': 'beside', forbidden: 'beside', 'own kill': 'own',
  restore: 'all', rollback: 'all', 'frozen process': 'all',
}; // prettier-ignore

/** What faults act on. */
export interface Stage {
  readonly world: World;
  readonly writer: Writer;
  readonly offspring: Offspring;
  readonly watched: readonly Watched[];
  /** Of each server, the one that stops reading. */
  readonly slow: readonly Watched[];
  readonly random: () => number;
  /** For how long the next process is stopped. */
  readonly stopSeconds: () => number;
  readonly figures: { forcedCloses: number };
}

/** Makes one thing go wrong, with server `at` where it is about one, and puts it right again. */
export async function cause(fault: Fault, stage: Stage, at: number): Promise<void> {
  const { world, random, stopSeconds } = stage;
  const { plane, balancer } = world;
  const link = world.links[at] as Link;
  const pick = <V>(values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;
  switch (fault) {
    case 'kill':
      await plane.killApiserver('SIGKILL', at);
      await sleep(random() * 300);
      return plane.startApiserver(at);
    case 'stop':
      plane.signalApiserver('SIGSTOP', at);
      await sleep(stopSeconds() * 1_000);
      return plane.signalApiserver('SIGCONT', at);
    case 'partition':
      await link.set({ cut: 'both' });
      await sleep(1_000 + random() * 4_000);
      return link.set({});
    case 'one-way partition':
      await link.set({ cut: pick(['toClient', 'toServer'] as const) });
      await sleep(1_000 + random() * 4_000);
      return link.set({});
    case 'loss':
      await link.set({ loss: random() * 0.3, jitterMs: random() * 200 });
      await sleep(4_000);
      return link.set({});
    case 'lag':
      return lag(world, at, random);
    case 'compaction': {
      const revision = /"revision":(\d+)/.exec(await plane.etcdctl('endpoint', 'status', '-w', 'json'))?.[1];
      await plane.etcdctl('compact', revision ?? '1').catch(() => {}); // already compacted there
      return balancer.reset();
    }
    case 'restore':
      // As etcd's own documentation advises for Kubernetes: nobody can mistake the new history for the old one.
      return restore(world, await plane.snapshotEtcd(), '--bump-revision=1000000', '--mark-compacted');
    case 'rollback':
      return rollback(stage);
    case 'reset':
      return balancer.reset();
    case '429':
      await world.overload();
      balancer.reset();
      await sleep(3_000);
      return world.relieve();
    case 'forbidden':
      await world.revoke();
      balancer.reset();
      await sleep(3_000);
      return world.grant();
    case 'slow reader':
      return slowReader(stage, at);
    case 'own kill':
      // At any moment of its life: also before it has everything.
      await sleep(random() * 2_000);
      return stage.offspring.kill();
    case 'frozen process': {
      const seconds = stopSeconds();
      // Somebody else has to wake us.
      spawn('sh', ['-c', `kill -STOP ${process.pid}; sleep ${seconds}; kill -CONT ${process.pid}`], {
        detached: true,
        stdio: 'ignore',
      }).unref();
      return sleep(500);
    }
  }
}

/** A server that hears nothing new from etcd, and everybody is led to it: it knows less than they do. */
async function lag(world: World, at: number, random: () => number): Promise<void> {
  const valve = world.valves[at] as Valve;
  valve.shut();
  await sleep(1_000 + random() * 2_000);
  world.balancer.prefer(at);
  world.balancer.reset();
  await sleep(2_000 + random() * 4_000);
  world.balancer.prefer(undefined);
  valve.open();
}

async function restore({ plane }: World, snapshot: string, ...flags: string[]): Promise<void> {
  await sleep(1_500); // what is written now is lost
  await Promise.all(plane.urls.map((_, one) => plane.killApiserver('SIGKILL', one)));
  await plane.killEtcd();
  await plane.restoreEtcd(snapshot, ...flags);
  plane.startEtcd();
  await Promise.all(plane.urls.map((_, one) => plane.startApiserver(one)));
}

/** How far a storage is set back, in writes; the servers themselves write a little when they start. */
const BACK = 400;
const NOTICED_WITHIN_MS = 240_000;

/**
 * The storage is set back and counts on from there, as after a restore without the advice above. Nobody writes until all
 * have noticed: a storage that has already grown past what a client has seen looks like progress, to every client there is.
 */
async function rollback({ world, writer, watched, offspring }: Stage): Promise<void> {
  const snapshot = await world.plane.snapshotEtcd();
  const goOn = await writer.rest();
  try {
    await writer.flood(0, BACK, 10);
    const head = await world.head();
    await restore(world, snapshot);
    const left = head - BigInt(BACK / 2);
    const behind = (): Watched[] =>
      watched.filter(({ informer }) => BigInt(informer.lastSyncResourceVersion || '0') > left);
    const deadline = Date.now() + NOTICED_WITHIN_MS;
    while (behind().length > 0 && Date.now() < deadline) await sleep(100);
    const late = behind().map(({ name }) => name);
    if (late.length > 0) throw new Error(`not noticed within ${NOTICED_WITHIN_MS} ms by ${late.join(', ')}`);
    // The other process cannot be asked how far it is; its next life begins now.
    await offspring.kill();
  } finally {
    goOn();
  }
}

/** A client that does not read, while more is written than lies in all the buffers: the server ends that watch. */
async function slowReader({ world, writer, slow, figures }: Stage, at: number): Promise<void> {
  const { informer } = slow[at] as Watched;
  const deadline = Date.now() + 30_000;
  while (informer.state.kind !== 'synced' && Date.now() < deadline) await sleep(50);
  const before = await world.forcedCloses(at);
  const goOn = (slow[at] as Watched).stopReading();
  try {
    await writer.flood(at, 400, 60_000);
    await sleep(500);
  } finally {
    goOn();
  }
  figures.forcedCloses += (await world.forcedCloses(at)) - before;
}
