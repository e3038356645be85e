// A cache may be a moment behind the server. Shows how to wait for your own write, and how to refuse stale reads.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/freshness.ts

// #region write
import { Cluster, hasCode } from 'kube-informer';
import { isOlder } from 'kube-informer/core';

await using cluster = await Cluster.connect();
const client = cluster.resource('v1/configmaps');
const cache = cluster.informer('v1/configmaps', { namespace: 'default' });
await cache.synced({ timeoutMs: 30_000 });

const { metadata } = await client.create({ metadata: { name: 'mine', namespace: 'default' }, data: { x: '1' } });
// The cache is a moment behind. To read your own write, wait for it:
await cache.waitFor(
  'default/mine',
  (object) => object !== undefined && !isOlder(object.metadata?.resourceVersion, metadata?.resourceVersion),
  { timeoutMs: 10_000 },
);
// #endregion
console.log(`read my write: ${cache.get('default/mine')?.data?.['x']}`);

// #region read
function lookUp(key: string): string | undefined {
  try {
    // Throws STALE_CACHE if nothing has shown for 75 s that the cache is current: it may be out of date.
    return cache.get(key, { maxStalenessMs: 75_000 })?.data?.['x'];
  } catch (error) {
    if (!hasCode(error, 'STALE_CACHE')) throw error;
    const { state } = cache;
    console.log(state.kind === 'stale' ? `stale since ${new Date(state.since).toISOString()}: ${state.reason}` : '');
    return undefined;
  }
}
// #endregion
console.log(`looked up: ${lookUp('default/mine')}`);

// #region verify
const [report] = await cache.verify(); // reads the whole collection from the server: for audits, not for every minute
// #endregion
console.log(`compared with the server: ${report?.consistent === true ? 'no difference' : 'different'}`);
