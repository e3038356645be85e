// An informer put together from its parts: Reflector, DeltaFifo, Controller and Indexer, without SharedInformer. Follows one
// event from the server to a handler, then a relist, then a resync. docs/guides/inside.md explains it step by step.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/inside.ts

// #region parts
import { EventEmitter, once } from 'node:events';
import { startApiServer } from '@kube-informer/apiserver';
import type { ConfigMap } from '@kube-informer/kubernetes';
import { Client } from 'kube-informer/client';
import { keyOf, systemEnv } from 'kube-informer/core';
import { Controller } from 'kube-informer/informer';
import { DeltaFifo, type Deltas, Indexer } from 'kube-informer/store';

await using server = await startApiServer();
const configMap = (name: string, x: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { x },
});
server.load([configMap('a', '1'), configMap('b', '1')]);

await using client = await Client.connect({ kubeconfig: server.kubeconfig() });
const source = client.resource('v1/configmaps').listWatch({ namespace: 'default' }); // ListerWatcher
const env = { ...systemEnv, log: () => {} }; // clock, timers, random numbers; nothing is logged here
const cache = new Indexer<ConfigMap>({ indexers: { x: ({ data }) => [data?.['x'] ?? ''] } });
const queue = new DeltaFifo<ConfigMap>({ key: keyOf, env, knownObjects: cache }); // DeltaFIFO
// #endregion

// #region listener
const pending: string[] = []; // pendingNotifications
const told = new EventEmitter();
let wake = (): void => {};

function distribute(notification: string): void {
  pending.push(notification);
  wake();
}

async function runHandler(signal: AbortSignal): Promise<void> {
  signal.addEventListener('abort', () => wake());
  while (!signal.aborted) {
    const next = pending.shift();
    if (next === undefined) {
      await new Promise<void>((resolve) => (wake = resolve));
      continue;
    }
    console.log(`  handler: ${next}`); // OnAdd, OnUpdate, OnDelete
    told.emit(next);
  }
}
// #endregion

// #region process
function handleDeltas(deltas: Deltas<ConfigMap>, initial: boolean): void {
  for (const delta of deltas) {
    if (delta.type === 'deleted') {
      console.log(`  delta: deleted ${delta.key}${delta.finalStateUnknown ? ', final state unknown' : ''}`);
      cache.deleteKey(delta.key); // the cache first …
      distribute(`delete ${delta.key}`); // … then the handlers
    } else if ('object' in delta && delta.type !== 'poisoned') {
      console.log(`  delta: ${delta.type} ${delta.key}`);
      const old = cache.set(delta.key, delta.object); // the cache decides what it is, not the type of the delta
      const x = delta.object.data?.['x'];
      distribute(
        old === undefined
          ? `add ${delta.key} x=${x}${initial ? ', initial' : ''}`
          : `update ${delta.key} x=${old.data?.['x']}→${x}`,
      );
    }
  }
}
// #endregion

// #region run
const controller = new Controller<ConfigMap>({
  source,
  queue,
  process: handleDeltas,
  expected: { apiVersion: 'v1', kind: 'ConfigMap' },
  env,
  onProcessError: (error, entry) => console.error('dropped', entry, error), // nothing is queued again
});
const stop = new AbortController();
const running = Promise.all([controller.run(stop.signal), runHandler(stop.signal)]);
// #endregion

// #region event
console.log('the first list:');
await once(told, 'add default/b x=1, initial');
console.log(`  synced: ${controller.hasSynced}`);

console.log('one event:');
const updated = once(told, 'update default/a x=1→2');
server.load([configMap('a', '2')]);
await updated;
console.log(
  `  found by index: ${cache.indexKeys('x', '2').join()}; the reflector is ${controller.reflector.state.kind}`,
);
// #endregion

// #region relist
console.log('a relist:');
const gone = once(told, 'delete default/b');
server.faults.cutWatches(); // the watch breaks …
server.local.remove('', 'configmaps', 'default', 'b'); // … a delete is missed …
server.faults.expireHistory(); // … and the server no longer remembers it: 410 Gone
await gone;
// #endregion

// #region resync
console.log('a resync:');
const asked = server.requests.length;
const again = once(told, 'update default/a x=2→2');
queue.resync(); // what the option resyncMs does on a timer
await again;
console.log(`  requests for it: ${server.requests.length - asked}`);
// #endregion

// #region stop
stop.abort(); // close(stopCh): the reflector, the loop and the handler end
await running;
// #endregion
