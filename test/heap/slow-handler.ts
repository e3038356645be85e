/**
 * A process with a small heap, an informer of 1,000 objects and a handler that never returns: it must survive 100,000 changes of
 * 16 KB each, six times the heap. Prints the maximum heap, as a share of the limit.
 */
import { getHeapStatistics } from 'node:v8';
import { type KubeObject, SharedInformer, systemEnv } from 'kube-informer';
import type { ListWatch } from 'kube-informer/informer';

const [policy = 'coalesce', limit = '256'] = process.argv.slice(2);
const OBJECTS = 1_000;
const CHANGES = 100_000;

let version = 0;
function pod(): KubeObject {
  version += 1;
  const name = `p${version % OBJECTS}`;
  // A flat string of its own: a repeated string would be shared, or a rope.
  const annotations = { data: Buffer.alloc(16_384, `${version} `).toString('latin1') };
  return { metadata: { namespace: 'web', name, resourceVersion: `${version}`, uid: name, annotations } };
}

let share = 0;
const source: ListWatch<KubeObject> = {
  list: async () => ({ items: Array.from({ length: OBJECTS }, pod), metadata: { resourceVersion: `${version}` } }),
  async *watch(_, signal) {
    for (let sent = 0; sent < CHANGES && !signal.aborted; sent += 1) {
      yield { type: 'MODIFIED', object: pod() };
      if (sent % 500 !== 0) continue;
      await systemEnv.yield();
      const { used_heap_size: used, heap_size_limit: all } = getHeapStatistics();
      share = Math.max(share, used / all);
    }
    const [{ pending } = { pending: 0 }] = informer.health().handlers;
    console.log(JSON.stringify({ share, pending, version }));
    process.exit(0);
  },
};

const informer = new SharedInformer(source, { watchList: false, env: { ...systemEnv, log: () => {} } });
informer.on({ update: () => new Promise(() => {}) }, { policy: policy as 'coalesce' | 'detach', limit: Number(limit) });
informer.start();
