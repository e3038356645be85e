// A test of code that follows an informer, on a clock that moves when told: minutes of backoff pass in no time, and the
// server in memory fails, forgets and restores as the test likes.
//
//   npx tsx --conditions=@kube-informer/source examples/test-with-fake-clock.ts

// #region test
import assert from 'node:assert/strict';
import { SharedInformer } from 'kube-informer';
import { fakeEnv, FakeSource, HandlerRecorder, statusFailure } from 'kube-informer/testing';

const env = fakeEnv(); // a clock, random numbers that repeat, and a log that is kept
const source = new FakeSource();
source.create({ metadata: { namespace: 'web', name: 'shop-0' } });
const pods = new SharedInformer(source, { env });
const recorder = new HandlerRecorder(); // a handler that keeps its events and reports impossible ones
pods.on(recorder);
await pods.start().synced();

// The server is away for a while, and when it is back it has forgotten its history.
for (let i = 0; i < 5; i += 1) source.failNext('watch', statusFailure(503, 'ServiceUnavailable', 'starting'));
source.cut();
source.delete('web/shop-0');
source.create({ metadata: { namespace: 'web', name: 'shop-1' } });
source.expireHistory();
assert.equal(pods.get('web/shop-1'), undefined);
await env.clock.advance(5 * 60_000); // five minutes that nobody waits for

// Told once each, and that the delete was noticed late: its last state may have been another.
assert.deepEqual(recorder.lines, ['add web/shop-0@2 initial', 'delete web/shop-0 unknown', 'add web/shop-1@4']);
assert.deepEqual(recorder.violations, []);
await pods.stop();
assert.equal(env.clock.sleeping, 0); // nothing is left behind
// #endregion
console.log(`told: ${recorder.lines.join(', ')}`);
