/** One replica: the sites operator with leader election, until it is killed or told to stop. See replicas.ts. */
import { run } from '@kube-informer/controller';
import type { Lease } from '@kube-informer/kubernetes';
import { Cluster, systemEnv } from 'kube-informer';
import { createTransport, resolveConnection, type Transport } from 'kube-informer/client';
import { LEASE, OPERATORS, sites } from './sites.ts';
import type { ReplicaBirth, ReplicaOrder, ReplicaWord } from './replicas.ts';

const say = (word: ReplicaWord): void => void process.send?.(word);
process.once('disconnect', () => process.exit(0));
const { connect, identity } = await new Promise<ReplicaBirth>((resolve) => process.once('message', resolve));
const env = { ...systemEnv, log: (): void => {} };

/** Reports every write at the moment it is handed to the connection, and which writes of the Lease were accepted. */
function reporting(transport: Transport): Transport {
  return {
    close: () => transport.close(),
    async send(request) {
      const { method, path, body } = request;
      const isLease = path.includes('/leases');
      const isWrite = method !== 'GET' && !path.includes('reviews') && !path.includes('/events');
      if (isWrite && !isLease) say({ type: 'sent', at: Date.now(), what: `${method} ${path.split('?')[0]}` });
      const response = await transport.send(request);
      if (isWrite && isLease && response.status < 300) {
        const { spec = {} } = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Lease;
        if (spec.holderIdentity === identity)
          say({
            type: 'held',
            acquiredAt: Date.parse(spec.acquireTime ?? ''),
            transitions: spec.leaseTransitions ?? 0,
          });
      }
      return response;
    },
  };
}

const connection = await resolveConnection({ proxy: false, env, ...connect });
const transport = reporting(await createTransport(connection, { env, ...connect }));
const cluster = await Cluster.connect({ proxy: false, env, ...connect, transport });
const stop = new AbortController();
process.on('message', (order: ReplicaOrder) => {
  if (order.type === 'stop') stop.abort();
  else
    for (const key of order.keys)
      say({
        type: 'why',
        text: `${identity} about ${key}: ${operator.why('sites', key).sentence}; last runs ${runsOf(key)}`,
      });
});
const runsOf = (key: string): string =>
  operator
    .runs('sites', key)
    .slice(-3)
    .map(({ startedAt, outcome, reasons, error = '', writes }) =>
      [new Date(startedAt).toISOString(), outcome, reasons.join('+'), error, `${writes.length} writes`].join(' '),
    )
    .join(', ');
const operator = run([sites(cluster)], {
  election: { lease: `${OPERATORS}/${LEASE}`, identity },
  signal: stop.signal,
  env,
});
let before = '';
setInterval(() => {
  const { kind } = operator.state;
  const { informers, reasons } = cluster.health();
  const epochs = informers.length === 0 ? 0 : Math.min(...informers.map(({ health }) => health.epochs));
  const versions = cluster.caches().map(({ informer }) => Number(informer.lastSyncResourceVersion) || 0);
  const reached = versions.length === 0 ? 0 : Math.min(...versions);
  const problem = kind === 'starting' ? reasons.join('; ') : '';
  const word = { type: 'state', kind, epochs, reached, problem } as const;
  const text = JSON.stringify(word);
  if (text !== before) say(word);
  before = text;
}, 50);
try {
  await operator.ended;
} catch (error) {
  say({ type: 'failed', message: String(error) });
}
await cluster.close();
process.exit(0);
