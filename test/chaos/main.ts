/**
 * Kills, stops, cuts off and restores real servers while objects change: `npm run chaos`.
 *
 *   npm run chaos -- --full          the long run whose figures are in docs/evidence.md
 *   npm run chaos -- --seed 7        the same order of faults; the timing of real processes still differs
 *   npm run chaos -- --scale 0.1     a tenth of the faults, to try something
 *   npm run chaos -- --only 429,lag  these and no others
 *   npm run chaos -- --out f.json    keeps the figures for tools/evidence/evidence.mjs
 *
 * With `npm run chaos:replicas -- --real`, three replicas of an operator meanwhile lose their leader in every way: see replicas/.
 *
 * Ends with a comparison of every cache, every handler's view and the server's own list, and of what the operator made with what
 * it should have made; the long run has three more of them on its way. Exits 1 on any difference, on a write without the lease,
 * and when a kind of fault affected no informer.
 */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from 'kube-informer/testing';
import { whatIsMissing } from '../real/harness/binaries.ts';
import { whatALinkLacks } from '../real/harness/link.ts';
import { Broken, cause, type Fault, type Lane, LANE, type Stage } from './faults.ts';
import { Offspring } from './offspring.ts';
import { Replicas } from './replicas/replicas.ts';
import { definitions } from './replicas/sites.ts';
import { settle } from './settle.ts';
import { Turnstile } from './turnstile.ts';
import { Watched } from './watched.ts';
import { NAMESPACE, USER } from './state.ts';
import { World } from './world.ts';
import { Writer } from './writer.ts';

const { values: args } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' }, full: { type: 'boolean', default: false }, scale: { type: 'string', default: '1' },
    out: { type: 'string' }, only: { type: 'string' }, real: { type: 'boolean', default: false },
  },
}); // prettier-ignore

const SHORT: Readonly<Record<Fault, number>> = {
  kill: 22, partition: 7, 'one-way partition': 6, compaction: 6, restore: 1, rollback: 1, stop: 4, loss: 3, lag: 3, reset: 6,
  '429': 2, forbidden: 2, 'slow reader': 1, 'own kill': 4, 'frozen process': 1,
  'leader kill': 1, 'leader cut': 1, 'leader freeze': 1, 'leader stop': 1,
}; // prettier-ignore
const FULL: Readonly<Record<Fault, number>> = {
  kill: 1_000, partition: 105, 'one-way partition': 100, compaction: 55, restore: 17, rollback: 4, stop: 9, loss: 30, lag: 20,
  reset: 50, '429': 15, forbidden: 15, 'slow reader': 8, 'own kill': 50, 'frozen process': 3,
  'leader kill': 30, 'leader cut': 20, 'leader freeze': 20, 'leader stop': 20,
}; // prettier-ignore

const missing = (await whatIsMissing()) ?? whatALinkLacks();
if (missing !== undefined) {
  console.warn(`SKIPPED: chaos: ${missing}`);
  process.exit(process.env['CI'] === 'true' ? 1 : 0);
}

const random = seededRandom(Number(args.seed));
const decks: Record<Lane, Fault[]> = { server: [], beside: [], own: [], leader: [], all: [] };
const only = args.only?.split(',');
for (const [fault, count] of Object.entries(args.full ? FULL : SHORT) as [Fault, number][])
  for (let at = 0; at < Math.max(1, Math.round(count * Number(args.scale))); at += 1)
    if ((only?.includes(fault) ?? true) && (args.real || LANE[fault] !== 'leader')) decks[LANE[fault]].push(fault);
for (const deck of Object.values(decks))
  for (let at = deck.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [deck[at], deck[other]] = [deck[other] as Fault, deck[at] as Fault];
  }
const total = Object.values(decks).reduce((sum, { length }) => sum + length, 0);

// — the informers under observation ———————————————————————————————————————————————————————————————————
const startedAt = Date.now();
const elapsed = (): number => Math.round((Date.now() - startedAt) / 1_000);
const world = await World.start(random);
const { ca, token } = world.plane.credentials;
const limits = { silenceMs: 10_000, pingAfterMs: 3_000, pingTimeoutMs: 3_000, connectTimeoutMs: 4_000 };
const balanced = { url: world.balancer.url, ca, token, limits, impersonate: { user: USER } };
// Faults come faster than in production: with the default backoff of up to a minute most would find no open request. One
// informer has the default.
const awake = { backoff: { initialMs: 100, maxMs: 1_000, resetAfterMs: 5_000 } };
const watched = await Promise.all([
  Watched.start({ name: 'one server, h2, watch-list', connect: { ...world.direct(0), ca, token, limits }, resource: 'v1/configmaps', informer: awake }),
  Watched.start({ name: 'one server, h1, paged list', connect: { ...world.direct(1), ca, token, limits, http2: false }, resource: 'v1/configmaps', informer: { ...awake, watchList: false, pageSize: 50 } }),
  Watched.start({ name: 'balanced, h2, watch-list', connect: balanced, resource: 'v1/configmaps', informer: awake }),
  Watched.start({ name: 'balanced, h1, list', connect: { ...balanced, http2: false }, resource: 'v1/configmaps', informer: { ...awake, watchList: false } }),
  Watched.start({ name: 'balanced, metadata, usual waits', connect: balanced, resource: 'v1/configmaps', metadataOnly: true }),
  Watched.start({ name: 'balanced, slow handler', connect: balanced, resource: 'v1/configmaps', slowMs: 2_000, informer: awake }),
  Watched.start({ name: 'balanced, custom resource', connect: balanced, resource: 'example.com/v1/widgets', informer: awake }),
]); // prettier-ignore
const slow = await Promise.all([0, 1].map((at) =>
  Watched.start({ name: `server ${at}, slow reader`, connect: { ...world.direct(at), ca, token, limits, http2: false }, resource: 'v1/configmaps', slowMs: 200, policy: 'block', informer: awake }),
)); // prettier-ignore
watched.push(...slow);
await Promise.all(watched.map(({ informer }) => informer.synced({ timeoutMs: 240_000 })));
const offspring = await Offspring.start({ connect: balanced });
for (const object of definitions) await world.create(object);
const replicas = !args.real
  ? undefined
  : await Replicas.start({
      connect: balanced,
      address: new URL(world.balancer.url).host,
      servers: world.plane.urls.map((url) => ({ url, ca, token })),
      random,
    });
const writer = await Writer.start(world.plane, random);
const sampling = setInterval(() => watched.forEach((one) => one.sample()), 1_000);

// — the comparison: nothing changes, and all caches, handlers and lists must agree ——————————————————————
const violations: string[] = [];
/** Faults that could not be caused. They prove nothing and must not count as played. */
const unplayed: string[] = [];
const PATHS = {
  'v1/configmaps': `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  'example.com/v1/widgets': `/apis/example.com/v1/namespaces/${NAMESPACE}/widgets`,
} as const;
let comparisons = 0;
async function compare(): Promise<void> {
  comparisons += 1;
  const last = `last-${comparisons}`;
  const goOn = await writer.rest();
  await world.ask('POST', PATHS['v1/configmaps'], { metadata: { name: last } });
  await world.ask('POST', PATHS['example.com/v1/widgets'], { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: last } }); // prettier-ignore
  const found = await Promise.all([...watched.map((one) => settle(one, last)), offspring.settled(last), replicas?.settled() ?? []]); // prettier-ignore
  for (const [resource, path] of Object.entries(PATHS)) {
    const truth = await world.truth(path);
    for (const one of watched) if (one.resource === resource) found.push(one.disagreements(truth));
  }
  const words = [...new Set(found.flat())].filter((text) => !violations.includes(text));
  violations.push(...words);
  goOn();
  console.log(`${String(elapsed()).padStart(4)} s  comparison ${comparisons}: ${words.length} violations`);
}

// — the faults: of two servers, of other parts, and sometimes one that excludes all others ——————————————
// In turn: at random one might be left out.
const CUTS = [16, 2, 9, 1, 14, 4];
const inTurn = (values: readonly number[]): (() => number) => {
  let at = 0;
  return () => values[at++ % values.length] as number;
};
const stage: Stage = {
  world, writer, watched, offspring, replicas, slow, random,
  direct: watched.slice(0, 2),
  balanced: watched.filter(({ name }) => name.startsWith('balanced')),
  stopSeconds: inTurn(args.full ? [20, 60, 120] : [10, 15, 20]),
  cutSeconds: { partition: inTurn(CUTS), 'one-way partition': inTurn(CUTS) },
  figures: { forcedCloses: 0, longestNoticeMs: 0 },
}; // prettier-ignore
const turnstile = new Turnstile();
const done = new Map<Fault, number>();
const affected = new Map<Fault, number>();
let begun = 0;
let serverFaults = 0;
async function play(fault: Fault, at: number): Promise<void> {
  begun += 1;
  const where = LANE[fault] === 'server' ? ` of server ${at}` : '';
  console.log(
    `${String(elapsed()).padStart(4)} s  ${String(begun).padStart(4)}/${Math.max(begun, total)}  ${fault}${where}`,
  );
  try {
    const wasAffected = await cause(fault, stage, at);
    done.set(fault, (done.get(fault) ?? 0) + 1);
    affected.set(fault, (affected.get(fault) ?? 0) + (wasAffected ? 1 : 0));
  } catch (error) {
    const words = `${fault}${where}: ${(error as Error).message}`;
    if (error instanceof Broken) violations.push(words);
    else unplayed.push(words);
  }
  if (LANE[fault] === 'server') serverFaults += 1;
}
/** The two servers set the pace; others come evenly between. */
async function paced(count: number, work: (at: number) => Promise<void>): Promise<void> {
  const all = decks.server.length;
  for (let at = 0; at < count; at += 1) {
    while (serverFaults < Math.min(all, ((at + 0.5) / count) * all)) await sleep(100);
    await work(at);
  }
}
const servers = [...decks.server];
await Promise.all([
  ...[0, 1].map(async (at) => {
    for (let fault = servers.shift(); fault !== undefined; fault = servers.shift()) {
      const next = fault;
      await turnstile.together(() => play(next, at));
      // Long enough for some informers to recover, mostly not for all.
      await sleep(50 + random() * 250);
    }
  }),
  ...(['beside', 'own', 'leader'] as const).map((lane) =>
    paced(decks[lane].length, (at) => turnstile.together(() => play(decks[lane][at] as Fault, 0))),
  ),
  paced(decks.all.length, (at) => turnstile.alone(() => play(decks.all[at] as Fault, 0))),
  paced(args.full ? 3 : 0, () => turnstile.alone(compare)),
]);

// Faults that affected no informer because of others are played once more, alone.
for (const fault of done.keys())
  for (let more = 0; affected.get(fault) === 0 && more < 10; more += 1) await play(fault, more % 2);

// — without faults ————————————————————————————————————————————————————————————————————————————————————
await compare();
await writer.stop();
clearInterval(sampling);
for (const [fault, count] of affected) if (count === 0) violations.push(`affected no informer: ${fault}`);

const faults = Object.fromEntries(done);
const informers = watched.map(({ name, figures, informer }) => ({ name, ...figures, staleDropped: informer.health().staleDropped })); // prettier-ignore
const sum = (of: (one: (typeof informers)[number]) => number): number =>
  informers.reduce((all, one) => all + of(one), 0);
const { stdout: commit } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
const result = {
  commit: commit.trim(),
  date: new Date().toISOString(),
  node: process.version,
  cores: cpus().length,
  isFull: args.full,
  seed: args.seed,
  seconds: elapsed(),
  faults,
  affected: Object.fromEntries(affected),
  comparisons,
  writes: writer.figures,
  forcedCloses: stage.figures.forcedCloses,
  lives: offspring.figures,
  replicas: replicas?.figures,
  relists: sum(({ relists }) => relists),
  resumes: sum(({ resumes }) => resumes),
  events: sum(({ events }) => events),
  longestStaleMs: Math.max(...informers.map(({ longestStaleMs }) => longestStaleMs)),
  longestSettleMs: Math.max(...informers.map(({ longestSettleMs }) => longestSettleMs)),
  longestNoticeMs: stage.figures.longestNoticeMs,
  informers,
  violations,
  unplayed,
};
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
console.log(`\nfaults, and how many of them affected an informer: ${[...done].map(([fault, count]) => `${count} ${fault} (${affected.get(fault)})`).join(', ')}`); // prettier-ignore
console.log(`all informers had the server's state ${seconds(result.longestSettleMs)} after the last fault, and noticed a restored storage after ${seconds(result.longestNoticeMs)}`); // prettier-ignore
console.log(`writes: ${writer.figures.writes}, without a response: ${writer.figures.failures}`);
console.log(`watches that a server closed because the client did not read: ${stage.figures.forcedCloses}`);
console.log(`starts of the process that was killed: ${offspring.figures.lives}, longest until it was synced ${seconds(offspring.figures.longestSyncMs)}`); // prettier-ignore
if (replicas !== undefined) console.log(replicas.summary);
for (const { name, relists, resumes, events, epochs, longestStaleMs, staleDropped } of informers)
  console.log(`${name.padEnd(31)} ${events} events, ${resumes} resumes, ${relists} relists, ${epochs} epoch resets, longest staleness ${seconds(longestStaleMs)}, ${staleDropped} stale states dropped`); // prettier-ignore
for (const violation of violations) console.error(`VIOLATION: ${violation}`);
for (const fault of unplayed) console.error(`COULD NOT BE PLAYED: ${fault}`);
console.log(`chaos: ${watched.length + 2} informers, ${begun} faults, ${result.relists} relists, ${result.resumes} resumes, ${result.events} events, longest staleness ${seconds(result.longestStaleMs)}, ${violations.length} violations, ${result.seconds} s`); // prettier-ignore
if (args.out !== undefined) await writeFile(args.out, `${JSON.stringify(result, undefined, 2)}\n`);
await replicas?.[Symbol.asyncDispose]();
await offspring[Symbol.asyncDispose]();
for (const one of watched) await one[Symbol.asyncDispose]();
await world[Symbol.asyncDispose]();
process.exit(violations.length + unplayed.length === 0 ? 0 : 1);
