// A user's program on the packed packages: an embedded server, a client, informers, a cut watch, the inspector.
// It ends with 0 and one line when all of it works; packed.test.ts runs it under each of Node's hardening flags.
import assert from 'node:assert/strict';
import { startApiServer } from '@kube-informer/apiserver';
import { startInspector } from '@kube-informer/inspector';
import { Cluster, keyOf, LabelSelector, SharedInformer } from 'kube-informer';
import { Client } from 'kube-informer/client';
import { FakeSource } from 'kube-informer/testing';

const timeoutMs = 60_000;

// Values: names of Object.prototype are data.
assert.equal(keyOf({ metadata: { namespace: '__proto__', name: 'constructor' } }), '__proto__/constructor');
const labels = JSON.parse('{"constructor": "a", "__proto__": "b"}');
assert.equal(LabelSelector.parse('constructor in (a, b), !toString').matches(labels), true);

// The engine, on a source in memory.
const source = new FakeSource();
source.create({ metadata: { namespace: '__proto__', name: '__proto__', labels } });
const engine = new SharedInformer(source);
await engine.start().synced({ timeoutMs });
assert.deepEqual(engine.list().map(keyOf), ['__proto__/__proto__']);
await engine.stop();

// A server over TLS, a kubeconfig, an informer whose watch breaks in the middle of a character.
const server = await startApiServer();
const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
const pods = cluster.informer('v1/pods', { namespace: 'default' });
await pods.synced({ timeoutMs });
const cut = server.faults.add({ match: { verb: 'watch' }, at: { event: 2, offset: 'mid-utf8' }, do: { cut: 'rst' } });
server.load(
  ['one', 'two', 'three'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
  })),
);
await cut.hit;
await pods.waitFor('default/three', (object) => object !== undefined, { timeoutMs });
assert.deepEqual(pods.list().map(keyOf).toSorted(), ['default/one', 'default/three', 'default/two']);

// Writes: JSON, a patch, server-side apply.
const client = await Client.connect({ kubeconfig: server.kubeconfig() });
const maps = client.resource('v1/configmaps', { namespace: 'default' });
await maps.create({ metadata: { name: 'made' }, data: { a: '1' } });
await maps.patch('made', { data: { a: '2' } });
await maps.apply({ metadata: { name: 'made' }, data: { b: '3' } }, { fieldManager: 'test', force: true });
assert.deepEqual((await maps.get('made')).data, { a: '2', b: '3' });

// The inspector's page.
const inspector = await startInspector(cluster);
assert.match(await (await fetch(inspector.url)).text(), /<script/);

await inspector.close();
await client.close();
await cluster.close();
await server.close();
assert.equal({}.a, undefined);
console.log('all of it works');
