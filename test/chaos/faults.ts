import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '../real/harness/link.ts';
import type { World } from './world.ts';

export type Fault =
  | 'kill' | 'stop' | 'partition' | 'one-way partition' | 'loss' | 'compaction' | 'restore' | 'reset' | '429' | 'forbidden'
  | 'frozen process'; // prettier-ignore

/** Which faults wait for which: two of one server, or of all servers, do not happen at the same time. */
export const LANE: Readonly<Record<Fault, 'server' | 'all' | 'any'>> = {
  kill: 'server', stop: 'server', partition: 'server', 'one-way partition': 'server', loss: 'server',
  restore: 'all', 'frozen process': 'all', compaction: 'any', reset: 'any', '429': 'any', forbidden: 'any',
}; // prettier-ignore

export interface Pace {
  /** For how long a process is stopped, in seconds. */
  readonly stopSeconds: readonly number[];
}

/** Makes one thing go wrong with server `at`, and puts it right again. */
export async function cause(fault: Fault, world: World, at: number, random: () => number, pace: Pace): Promise<void> {
  const { plane, balancer } = world;
  const link = world.links[at] as Link;
  const pick = <V>(values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;
  switch (fault) {
    case 'kill':
      await plane.killApiserver('SIGKILL', at);
      await sleep(random() * 1_000);
      return plane.startApiserver(at);
    case 'stop':
      plane.signalApiserver('SIGSTOP', at);
      await sleep(pick(pace.stopSeconds) * 1_000);
      return plane.signalApiserver('SIGCONT', at);
    case 'partition':
      await link.set({ cut: 'both' });
      await sleep(1_000 + random() * 5_000);
      return link.set({});
    case 'one-way partition':
      await link.set({ cut: pick(['toClient', 'toServer'] as const) });
      await sleep(1_000 + random() * 5_000);
      return link.set({});
    case 'loss':
      await link.set({ loss: random() * 0.3, jitterMs: random() * 200 });
      await sleep(4_000);
      return link.set({});
    case 'compaction': {
      const revision = /"revision":(\d+)/.exec(await plane.etcdctl('endpoint', 'status', '-w', 'json'))?.[1];
      await plane.etcdctl('compact', revision ?? '1').catch(() => {}); // already compacted there
      return balancer.reset();
    }
    case 'restore': {
      const snapshot = await plane.snapshotEtcd();
      await sleep(1_500); // what is written now is lost
      await Promise.all(plane.urls.map((_, one) => plane.killApiserver('SIGKILL', one)));
      await plane.killEtcd();
      // As etcd's own documentation advises for Kubernetes: clients must notice that history was replaced. Without it a
      // storage that has already grown past what a client has seen looks like progress, to every client there is.
      await plane.restoreEtcd(snapshot, '--bump-revision=1000000', '--mark-compacted');
      plane.startEtcd();
      await Promise.all(plane.urls.map((_, one) => plane.startApiserver(one)));
      return;
    }
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
    case 'frozen process': {
      const seconds = pick(pace.stopSeconds);
      // Somebody else has to wake us.
      spawn('sh', ['-c', `kill -STOP ${process.pid}; sleep ${seconds}; kill -CONT ${process.pid}`], {
        detached: true,
        stdio: 'ignore',
      }).unref();
      return sleep(500);
    }
  }
}
