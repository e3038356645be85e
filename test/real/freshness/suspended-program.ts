/** The process that is suspended: informers over both protocols. See suspended.ts. */
import { Cluster, systemEnv } from 'kube-informer';
import type { Birth, Sight, Word } from './suspended.ts';
import { wordsOf } from './promises.ts';

/** Turns of the event loop that are so far apart were not busy: the process did not run. */
const GAP_MS = 5_000;
const TICK_MS = 20;

const say = (word: Word): void => void process.send?.(word);
// Ends when its parent has ended.
process.once('disconnect', () => process.exit(0));

const { connect, namespace, maxStalenessMs } = await new Promise<Birth>((resolve) =>
  process.once('message', (birth) => resolve(birth as Birth)),
);
const env = { ...systemEnv, log: () => {} };
const informers = await Promise.all(
  [true, false].map(async (http2) => {
    const cluster = await Cluster.connect({ ...connect, http2, proxy: false, env });
    return { protocol: http2 ? 'HTTP/2' : 'HTTP/1.1', informer: cluster.informer('v1/configmaps', { namespace }) };
  }),
);
await Promise.all(informers.map(({ informer }) => informer.synced({ timeoutMs: 60_000 })));

function look(): Sight[] {
  return informers.map(({ protocol, informer }) => {
    const { state } = informer;
    let isRefused = false;
    try {
      informer.list({ maxStalenessMs });
    } catch {
      isRefused = true;
    }
    const names = informer.list().map(({ metadata }) => metadata?.name ?? '');
    return { protocol, kind: state.kind, words: wordsOf(state), isRefused, names };
  });
}

// Whichever turn is the first: a timer that is due, or a question that came meanwhile.
process.on('message', () => say({ type: 'sight', from: 'a question', sights: look() }));
let before = Date.now();
setInterval(() => {
  const now = Date.now();
  if (now - before > GAP_MS) say({ type: 'sight', from: 'a timer', sights: look() });
  before = now;
}, TICK_MS);
say({ type: 'ready' });
