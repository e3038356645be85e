/**
 * An informer of 20,000 objects that has to stream everything again. Prints how much the heap holds just before the end
 * of the second stream, as a share of what it held before.
 */
import { getHeapStatistics } from 'node:v8';
import { type KubeObject, SharedInformer, systemEnv } from 'kube-informer';
import type { ListWatch } from 'kube-informer/informer';

const OBJECTS = 20_000;
const collect = (globalThis as { gc?: () => void }).gc ?? (() => {});
const used = (): number => {
  collect();
  return getHeapStatistics().used_heap_size;
};

/** Makes new objects each time, as a decoder does. */
function pod(at: number): KubeObject {
  const env = Array.from({ length: 8 }, (_, n) => ({ name: `VARIABLE_${n}`, value: `${at} and ${n}` }));
  const metadata = { namespace: 'web', name: `p${at}`, uid: `uid-${at}`, resourceVersion: `${at + 1}` };
  return { metadata, spec: { containers: [{ name: 'main', image: `shop:${at}`, env }] } } as KubeObject;
}

const marker = { 'k8s.io/initial-events-end': 'true' };
let streams = 0;
let steady = 0;
const source: ListWatch<KubeObject> = {
  list: () => Promise.reject(new Error('no list is expected here')),
  async *watch() {
    streams += 1;
    for (let at = 0; at < OBJECTS; at += 1) yield { type: 'ADDED', object: pod(at) };
    if (streams === 2) {
      console.log(JSON.stringify({ share: used() / steady }));
      process.exit(0);
    }
    yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: `${OBJECTS}`, annotations: marker } } };
    await informer.synced();
    steady = used();
    yield { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'gone' } as never };
  },
};

const informer = new SharedInformer(source, {
  env: { ...systemEnv, log: () => {} },
  backoff: { initialMs: 1, maxMs: 1 },
});
informer.start();
