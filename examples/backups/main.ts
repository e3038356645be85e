/** A test of the backups controller: faults, and a clock that moves when told. It needs no cluster. */
import assert from 'node:assert/strict';
import { startLab } from '@kube-informer/controller/testing';
import { backups } from './backups.ts';
import { FakeBuckets } from './buckets.ts';
import { definition } from './definition.ts';

const lab = await startLab({ definitions: [definition] }); // server, cluster and clock: nobody waits
const buckets = new FakeBuckets();
const operator = lab.run([backups(lab.cluster, buckets)], { election: 'ops/backups' });
const { faults } = lab.server;
const lost = faults.add({ match: { verb: 'patch', resource: 'cronjobs' }, at: 'head', do: { cut: 'rst' }, times: 1 });

await lab.user.apply({
  apiVersion: 'example.com/v1',
  kind: 'Backup',
  metadata: { name: 'shop', namespace: 'web' },
  spec: { schedule: '@daily', bucket: 'b' },
} as object);
await lab.advance(5_000); // until there is nothing left to do but wait
assert.equal(lost.count, 1);
assert.equal(lab.list('batch/v1/cronjobs').length, 1);
const outcomes = operator.runs('backups', 'web/shop').map(({ outcome }) => outcome);
console.log(
  `one job, although the answer to its creation was lost; the first runs: ${outcomes.slice(0, 2).join(', ')}`,
);

faults.add({ match: { resource: 'leases' }, do: { status: 503 }, times: Infinity });
await lab.advance(15_000); // seconds that nobody sits through
assert.equal(operator.state.kind, 'standby');
await lab.user.delete('batch/v1/cronjobs', 'web/shop-backup');
await lab.advance(60_000);
assert.deepEqual(
  operator.writes.filter(({ held }) => !held), // what was sent without the lease
  [],
);
assert.equal(lab.list('batch/v1/cronjobs').length, 0);
console.log('no write without the lease');

faults.clear();
await lab.user.delete('example.com/v1/backups', 'web/shop');
await lab.advance(60_000);
assert.equal(buckets.names.size, 0);
console.log('leading again: the bucket was cleaned up');
await lab[Symbol.asyncDispose]();
