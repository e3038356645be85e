/**
 * The three replicas of chaos on the embedded server: `npm run chaos:replicas`. Needs neither Go nor root.
 *
 *   npm run chaos:replicas -- --seed 7       other moments, order of faults and changes; the default is 1
 *   npm run chaos:replicas -- --rounds 5     each fault five times; the default is once
 *   npm run chaos:replicas -- --real         on real servers, beside all faults of `npm run chaos`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type ApiObject, startApiServer } from '@kube-informer/apiserver';
import { seededRandom } from 'kube-informer/testing';
import { type LeaderFault, Replicas } from './replicas.ts';
import { definitions, OPERATORS } from './sites.ts';

const { values: args } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    real: { type: 'boolean', default: false },
  },
  strict: false, // others are for the real servers
});
// Ends the process.
if (args.real) await import('../main.ts');

type Fault = LeaderFault | 'restore' | 'rollback';
const FAULTS: readonly Fault[] = ['leader kill', 'leader cut', 'leader freeze', 'leader stop', 'restore', 'rollback'];
/** Time whose writes are lost by a restore. */
const LOST_MS = 2_000;
/** Versions that a storage goes back by: more than the replicas write before they notice. */
const BACK = 1_000;
/** Time in which every cache notices that its storage went back. */
const NOTICED_MS = 60_000;

const random = seededRandom(Number(args.seed));
const server = await startApiServer();
server.load(definitions as never);
const { url, ca = '', token } = server;
const connect = { url, ca, token };
const replicas = await Replicas.start({ connect, address: new URL(url).host, servers: [connect], random });
const startedAt = Date.now();
const found: string[] = [];
const counts = new Map<Fault, number>();

for (let round = 0; round < Number(args.rounds); round += 1) {
  for (const fault of shuffled(FAULTS)) {
    console.log(`${seconds()} s  ${fault}`);
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    if (fault === 'restore') await restore();
    else if (fault === 'rollback') await rollback();
    else await replicas.cause(fault);
    server.faults.cutWatches();
  }
  found.push(...(await replicas.settled()));
}
console.log(
  `seed ${args.seed}, ${seconds()} s: ${[...counts].map(([fault, count]) => `${count} ${fault}`).join(', ')}`,
);
console.log(replicas.summary);
for (const violation of new Set(found)) console.error(`VIOLATION: ${violation}`);
await replicas[Symbol.asyncDispose]();
await server.close();
process.exit(found.length === 0 ? 0 : 1);

/** A backup is restored with raised versions while the user and the operator write. */
async function restore(): Promise<void> {
  const done = replicas.restoring();
  const snapshot = server.snapshot();
  await sleep(LOST_MS);
  server.restore(snapshot, { revisions: 'bump' });
  done();
}

/**
 * A backup is restored, and versions continue from it. The user rests until all replicas have noticed: a storage that has grown
 * past the version a client has seen looks like progress to any client.
 */
async function rollback(): Promise<void> {
  const done = replicas.restoring();
  const snapshot = server.snapshot();
  await sleep(LOST_MS);
  const goOn = replicas.rest();
  outgrow(snapshot.revision + BACK);
  await replicas.reached(snapshot.revision + BACK);
  const unaware = replicas.epochs();
  server.restore(snapshot, { revisions: 'rollback' });
  for (const until = Date.now() + NOTICED_MS; unaware().length > 0 && Date.now() < until;) await sleep(100);
  if (unaware().length > 0) found.push(`a restore was not noticed by ${unaware().join(', ')}`);
  goOn();
  done();
}

/** Writes to both resources of the operator, beside what it works on, until a version is reached. */
function outgrow(version: number): void {
  const owner = { namespace: OPERATORS, name: 'outgrown' };
  const map: ApiObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: OPERATORS, name: 'kube-root-ca.crt' },
  };
  const site: ApiObject = {
    apiVersion: 'example.com/v1',
    kind: 'Site',
    metadata: owner,
    spec: { message: 'm', copies: 0 },
  };
  server.load([map, site]);
  while (server.revision.current < version) {
    for (const [group, resource, name] of [['', 'configmaps', 'kube-root-ca.crt'], ['example.com', 'sites', 'outgrown']] as const) {
      const object = server.local.get(group, resource, OPERATORS, name) as ApiObject;
      const annotations = { turn: String(server.revision.current) };
      server.local.update(group, resource, { ...object, metadata: { ...object.metadata, annotations } });
    }
  } // prettier-ignore
}

function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map((one) => ({ one, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

function seconds(): string {
  return ((Date.now() - startedAt) / 1_000).toFixed(0);
}
