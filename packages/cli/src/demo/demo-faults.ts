import type { ApiServer } from '@kube-informer/apiserver';
import type { Fault } from '@kube-informer/inspector';
import type { Env } from 'kube-informer/core';
import type { DemoReplicas } from './demo-replicas.ts';

const SLOW_MS = 4_000;
const DOWN_MS = 4_000;
/** Duration of a fault that would otherwise not end. */
const LASTS_MS = 15_000;
const FAILURES = 24;

/** Lists sent as the start of a watch. */
const STREAMED_LISTS = { verb: 'watch', query: { sendInitialEvents: 'true' } } as const;

/** The faults of the demo's controller. */
export function demoFaultsOfReplicas(replicas: DemoReplicas): readonly Fault[] {
  return [
    {
      name: 'take-lease',
      title: 'Take the lease away',
      description:
        'The leader of the backups controller cannot reach its Lease. After 10 seconds it stops its runs and writes nothing more; 5 seconds later the other replica leads. See Controllers.',
      run: () => replicas.takeLeaseAway(),
    },
    {
      name: 'crash-leader',
      title: 'Crash the leader',
      description:
        'The leader of the backups controller crashes and does not release its Lease. When the Lease expires, the other replica takes over after about 15 seconds and continues its backups. See Controllers.',
      run: () => replicas.crashLeader(),
    },
  ];
}

/** The faults of the demo's API server. `signal` ends those that last. */
export function demoFaults(
  server: Pick<ApiServer, 'faults' | 'restart'>,
  env: Env,
  signal: AbortSignal,
): readonly Fault[] {
  const { faults } = server;
  /** Waits until every watch was refused once, but not for a watch that does not come back. */
  const expire = async (): Promise<void> => {
    const scenario = faults.scenario('expired-on-resume');
    await Promise.race([scenario.done, env.sleep(LASTS_MS, signal)]);
    scenario.remove();
  };
  return [
    {
      name: 'cut',
      title: 'Cut all watches',
      description: 'Breaks the connections of all watches. Informers resume where they were, without a new list.',
      run: () => void faults.cutWatches(),
    },
    {
      name: 'expire',
      title: 'Expire versions (410)',
      description: 'Breaks all watches, and responds with 410 Expired when they resume. Informers relist.',
      run: expire,
    },
    {
      name: 'slow-list',
      title: 'Slow lists',
      description: `Expires versions, and delays lists by ${SLOW_MS / 1_000} seconds. Caches serve what they have meanwhile.`,
      async run() {
        const delay = { delay: { ms: SLOW_MS } };
        const rules = [STREAMED_LISTS, { verb: 'list' }].map((match) =>
          faults.add({ match, at: 'head', do: delay, times: Infinity }),
        );
        try {
          await Promise.all([expire(), env.sleep(LASTS_MS, signal)]);
        } finally {
          for (const rule of rules) rule.remove();
        }
      },
    },
    {
      name: 'errors',
      title: 'Errors (500)',
      description: `Breaks all watches, and fails the next ${FAILURES} requests with status 500. Informers retry with growing delays, and recover.`,
      run() {
        faults.failRequests({ status: 500, times: FAILURES, match: { verb: ['list', 'watch'] } });
        faults.cutWatches();
      },
    },
    {
      name: 'silence',
      title: 'Silent connections',
      description:
        'Connections stay open, but deliver nothing, as behind a broken load balancer. Informers notice within a minute.',
      run: () => void faults.silence({}, { deaf: true }),
    },
    {
      name: 'restart',
      title: 'Restart the server',
      description: `Stops the server for ${DOWN_MS / 1_000} seconds; it comes back without its watch history. Informers retry, relist, and miss nothing.`,
      run: () => server.restart({ keep: 'data', downMs: DOWN_MS }),
    },
  ];
}
