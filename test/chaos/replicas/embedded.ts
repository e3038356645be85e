/**
 * The three replicas of chaos on the embedded server: `npm run chaos:replicas`. Needs neither Go nor root.
 *
 *   npm run chaos:replicas -- --real         on real servers, beside all faults of `npm run chaos`
 *   npm run chaos:replicas -- --rounds 5     each way to lose a leader five times; the default is once
 */
import { parseArgs } from 'node:util';
import { startApiServer } from '@kube-informer/apiserver';
import { seededRandom } from 'kube-informer/testing';
import { type LeaderFault, Replicas } from './replicas.ts';
import { definitions } from './sites.ts';

const { values: args } = parseArgs({
  options: { rounds: { type: 'string', default: '1' }, real: { type: 'boolean', default: false } },
  strict: false, // others are for the real servers
});
// Ends the process.
if (args.real) await import('../main.ts');

const FAULTS: readonly LeaderFault[] = ['leader kill', 'leader cut', 'leader freeze', 'leader stop'];

const server = await startApiServer();
server.load(definitions as never);
const { url, ca = '', token } = server;
const connect = { url, ca, token };
const replicas = await Replicas.start({
  connect,
  address: new URL(url).host,
  servers: [connect],
  random: seededRandom(3),
});
const startedAt = Date.now();
const found: string[] = [];
for (let round = 0; round < Number(args.rounds); round += 1) {
  for (const fault of FAULTS) {
    console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0)} s  ${fault}`);
    await replicas.cause(fault);
    server.faults.cutWatches();
  }
  found.push(...(await replicas.settled()));
}
console.log(replicas.summary);
for (const violation of new Set(found)) console.error(`VIOLATION: ${violation}`);
await replicas[Symbol.asyncDispose]();
await server.close();
process.exit(found.length === 0 ? 0 : 1);
