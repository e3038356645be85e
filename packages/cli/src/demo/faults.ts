import type { ApiServer } from '@kube-informer/apiserver';
import type { Fault } from '@kube-informer/inspector';
import type { Env } from 'kube-informer/core';

const SLOW_MS = 4_000;
const DOWN_MS = 4_000;
/** Duration of a fault that would otherwise not end. */
const LASTS_MS = 15_000;
const FAILURES = 24;

/** Lists sent as the start of a watch. */
const STREAMED_LISTS = { verb: 'watch', query: { sendInitialEvents: 'true' } } as const;

/** The faults the demo's page offers. `signal` ends those that last. */
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
      title: 'Cut every watch',
      description: 'Connections break in the middle. Every informer goes on where it was: one short gap, no list.',
      run: () => void faults.cutWatches(),
    },
    {
      name: 'expire',
      title: 'Forget the past (410)',
      description: 'Watches break, and the server no longer knows the version to go on from. Informers list again.',
      run: expire,
    },
    {
      name: 'slow-list',
      title: 'Slow lists',
      description: `The past is gone as well, and lists take ${SLOW_MS / 1_000} seconds. Caches answer with what they have meanwhile.`,
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
      title: 'A burst of 500',
      description: `Watches break, and the next ${FAILURES} attempts fail with status 500. Informers wait longer from time to time, and come back.`,
      run() {
        faults.failRequests({ status: 500, times: FAILURES, match: { verb: ['list', 'watch'] } });
        faults.cutWatches();
      },
    },
    {
      name: 'silence',
      title: 'Silence',
      description:
        'Connections stay open and nothing comes any more, as behind a broken load balancer. It is noticed within a minute.',
      run: () => void faults.silence({}, { deaf: true }),
    },
    {
      name: 'restart',
      title: 'Restart the server',
      description: `Nobody listens for ${DOWN_MS / 1_000} seconds, and then the server has no past. Informers try, list again, and miss nothing.`,
      run: () => server.restart({ keep: 'data', downMs: DOWN_MS }),
    },
  ];
}
