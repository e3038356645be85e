/**
 * Plays the scripts to both clients and prints the outcome.
 *
 *   tsx --conditions=@kube-informer/source test/differential/main.ts [part of a name …] [--verbose]
 *   tsx --conditions=@kube-informer/source test/differential/main.ts --client-node    plays them to client-node, and keeps
 *                                                                                      the results for tools/evidence/evidence.mjs
 */
import { writeFile } from 'node:fs/promises';
import { Differential } from './index.ts';
import { whatClientNodeLacks } from './node-client.ts';
import { tellClientNode } from './node-run.ts';
import { scripts } from './scripts/index.ts';

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isVerbose = process.argv.includes('--verbose');
const chosen = words.length === 0 ? scripts : scripts.filter(({ name }) => words.some((word) => name.includes(word)));

if (process.argv.includes('--client-node')) {
  const missing = whatClientNodeLacks();
  if (missing !== undefined) {
    console.warn(`SKIPPED: client-node: ${missing}`);
    process.exit(0);
  }
  const found = await tellClientNode(chosen, console.log);
  const file = process.env['CLIENT_NODE_RESULTS'] ?? new URL('client-node.json', import.meta.url).pathname;
  if (words.length === 0) await writeFile(file, `${JSON.stringify(found, undefined, 2)}\n`);
  console.log(`${chosen.length} scripts, ${found.seconds} s`);
  process.exit(0);
}

const all = await Differential.start(chosen, console.log);
let bad = 0;
for (const { name } of chosen) {
  try {
    const { ours, clientGo, complaints } = await all.result(name);
    const figures = (one: typeof ours): string =>
      `${one.requests}+${one.probes}+${one.reopened} requests (${one.wholes} whole), ${one.notices} notices, ${one.ms} ms`;
    console.log(
      `${complaints.length === 0 ? 'ok ' : 'BAD'} ${name}: ours ${figures(ours)}; client-go ${figures(clientGo)}`,
    );
    if (complaints.length === 0 && !isVerbose) continue;
    if (complaints.length > 0) bad += 1;
    for (const complaint of complaints) console.log(`      ${complaint}`);
    for (const [who, one] of [
      ['ours', ours],
      ['client-go', clientGo],
    ] as const)
      for (const line of [...one.asked, ...one.lines, ...one.errors])
        console.log(`      ${who}: ${line.slice(0, 240)}`);
  } catch (error) {
    bad += 1;
    console.log(`BAD ${name}:`, error);
  }
}
console.log(`${chosen.length} scripts, ${bad} bad, ${Math.round(performance.now() / 1000)} s`);
const path = process.env['DIFFERENTIAL_RESULTS'];
if (path !== undefined) await all.write(path);
await all[Symbol.asyncDispose]();
// Timers of interrupted servers may still run.
process.exit(bad === 0 ? 0 : 1);
