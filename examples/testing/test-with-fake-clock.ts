// Tests code that uses an informer, with a fake clock and a fake server: minutes of backoff pass in no time, and the test
// decides when the server fails, expires its history or recovers.
//
//   npx tsx --conditions=@kube-informer/source examples/testing/test-with-fake-clock.ts

// #region test
import assert from 'node:assert/strict';
import { SharedInformer } from 'kube-informer';
import { fakeEnv, FakeSource, HandlerRecorder, statusFailure } from 'kube-informer/testing';

const env = fakeEnv(); // a fake clock, repeatable random numbers, and a recorded log
const source = new FakeSource();
source.create({ metadata: { namespace: 'web', name: 'shop-0' } });
const pods = new SharedInformer(source, { env });
const recorder = new HandlerRecorder(); // a handler that records events, and violations of their order
pods.on(recorder);
await pods.start().synced();

// The server fails for a while, and its history has expired when it is back.
for (let i = 0; i < 5; i += 1) source.failNext('watch', statusFailure(503, 'ServiceUnavailable', 'starting'));
source.cut();
source.delete('web/shop-0');
source.create({ metadata: { namespace: 'web', name: 'shop-1' } });
source.expireHistory();
assert.equal(pods.get('web/shop-1'), undefined);
await env.clock.advance(5 * 60_000); // five minutes of fake time

// One event each. The delete was noticed late (`unknown`): the last state may have been another.
assert.deepEqual(recorder.lines, ['add web/shop-0@2 initial', 'delete web/shop-0 unknown', 'add web/shop-1@4']);
assert.deepEqual(recorder.violations, []);
await pods.stop();
assert.equal(env.clock.sleeping, 0); // no timer is left
// #endregion
console.log(`events: ${recorder.lines.join(', ')}`);
