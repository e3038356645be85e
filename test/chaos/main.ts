/**
 * Real servers killed, stopped, cut off and set back while objects change all the time: `npm run chaos`.
 *
 *   npm run chaos -- --full          the long run whose figures are in docs/evidence.md
 *   npm run chaos -- --seed 7        the same order of faults; real processes still have a will of their own
 *   npm run chaos -- --scale 0.1     a tenth of the faults, to try something
 *
 * Ends with a comparison of every cache, every handler's view and the server's own list. Exits 1 on any difference.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { whatIsMissing } from '../real/harness/binaries.ts';
import { whatALinkLacks } from '../real/harness/link.ts';
import { cause, type Fault, LANE, type Pace } from './faults.ts';
import { Watched } from './watched.ts';
import { NAMESPACE, USER, World } from './world.ts';
import { Writer } from './writer.ts';

const { values: args } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, full: { type: 'boolean', default: false }, scale: { type: 'string', default: '1' } },
}); // prettier-ignore

const SHORT: Readonly<Record<Fault, number>> = {
  kill: 22, partition: 7, 'one-way partition': 6, compaction: 6, restore: 2, stop: 4, loss: 3, reset: 6, '429': 2, forbidden: 2,
  'frozen process': 1,
}; // prettier-ignore
const FULL: Readonly<Record<Fault, number>> = {
  kill: 1_000, partition: 110, 'one-way partition': 100, compaction: 55, restore: 20, stop: 12, loss: 40, reset: 60, '429': 15,
  forbidden: 15, 'frozen process': 4,
}; // prettier-ignore

/** mulberry32: small, seeded, good enough to shuffle faults. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const missing = (await whatIsMissing()) ?? whatALinkLacks();
if (missing !== undefined) {
  console.warn(`SKIPPED: chaos: ${missing}`);
  process.exit(0);
}

const random = seeded(Number(args.seed));
const pace: Pace = { stopSeconds: args.full ? [20, 60, 120] : [5, 10, 20] };
const counts = Object.entries(args.full ? FULL : SHORT).map(
  ([fault, count]) => [fault as Fault, Math.max(1, Math.round(count * Number(args.scale)))] as const,
);
const deck = counts.flatMap(([fault, count]) => Array.from({ length: count }, () => fault));
for (let at = deck.length - 1; at > 0; at -= 1) {
  const other = Math.floor(random() * (at + 1));
  [deck[at], deck[other]] = [deck[other] as Fault, deck[at] as Fault];
}

const startedAt = Date.now();
const seconds = (): string => ((Date.now() - startedAt) / 1_000).toFixed(0).padStart(4);
const world = await World.start(random);
const { ca, token } = world.plane.credentials;
const limits = { silenceMs: 10_000, pingAfterMs: 3_000, pingTimeoutMs: 3_000, connectTimeoutMs: 4_000 };
const balanced = { url: world.balancer.url, ca, token, limits, impersonate: { user: USER } };
const watched = await Promise.all([
  Watched.start({ name: 'one server, h2, watch-list', connect: { ...world.direct(0), ca, token, limits }, resource: 'v1/configmaps' }),
  Watched.start({ name: 'one server, h1, paged list', connect: { ...world.direct(1), ca, token, limits, http2: false }, resource: 'v1/configmaps', informer: { watchList: false, pageSize: 50 } }),
  Watched.start({ name: 'balanced, h2, watch-list', connect: balanced, resource: 'v1/configmaps' }),
  Watched.start({ name: 'balanced, h1, list', connect: { ...balanced, http2: false }, resource: 'v1/configmaps', informer: { watchList: false } }),
  Watched.start({ name: 'balanced, metadata only', connect: balanced, resource: 'v1/configmaps', metadataOnly: true }),
  Watched.start({ name: 'balanced, slow handler', connect: balanced, resource: 'v1/configmaps', slowMs: 2_000 }),
  Watched.start({ name: 'balanced, blocking handler', connect: { ...balanced, http2: false }, resource: 'v1/configmaps', slowMs: 1_000, policy: 'block' }),
  Watched.start({ name: 'balanced, custom resource', connect: balanced, resource: 'example.com/v1/widgets' }),
]); // prettier-ignore
await Promise.all(watched.map(({ informer }) => informer.synced({ timeoutMs: 60_000 })));
const writer = await Writer.start(world.plane, random);
const sampling = setInterval(() => watched.forEach((one) => one.sample()), 1_000);

// — the faults: one at a time per server, some beside them, some alone ———————————————————————————————
const done = new Map<Fault, number>();
const running = new Map<number | string, Promise<void>>();
const problems: string[] = [];
let number = 0;
for (const fault of deck) {
  const lane = LANE[fault];
  if (lane === 'all') await Promise.all(running.values());
  const at = Math.floor(random() * 2);
  const key = lane === 'server' ? at : lane === 'any' ? 'beside' : 'all';
  await running.get(key);
  number += 1;
  console.log(
    `${seconds()} s  ${String(number).padStart(4)}/${deck.length}  ${fault}${lane === 'server' ? ` of server ${at}` : ''}`,
  );
  const work = cause(fault, world, at, random, pace).then(
    () => void done.set(fault, (done.get(fault) ?? 0) + 1),
    (error: unknown) => void problems.push(`${fault}: ${(error as Error).message}`),
  );
  running.set(key, work);
  if (lane === 'all') await work;
  await sleep(args.full ? 300 : 700);
}
await Promise.all(running.values());

// — peace, and the reckoning ———————————————————————————————————————————————————————————————————————
await writer.stop();
for (const resource of ['/api/v1', '/apis/example.com/v1'])
  await world.ask('POST', `${resource}/namespaces/${NAMESPACE}/${resource === '/api/v1' ? 'configmaps' : 'widgets'}`, {
    apiVersion: resource === '/api/v1' ? 'v1' : 'example.com/v1', kind: resource === '/api/v1' ? 'ConfigMap' : 'Widget', metadata: { name: 'last' },
  }); // prettier-ignore
const violations = [...problems];
await Promise.all(
  watched.map(async (one) => {
    const deadline = Date.now() + 240_000;
    while (one.informer.get(`${NAMESPACE}/last`) === undefined && Date.now() < deadline) await sleep(100);
    if (one.informer.get(`${NAMESPACE}/last`) === undefined) {
      violations.push(`${one.name}: never caught up: ${JSON.stringify(one.informer.state)}`);
      return;
    }
    while (one.informer.health().handlers.some(({ pending }) => pending > 0) && Date.now() < deadline) await sleep(100);
    const { consistent, missing: lacking, extra, different } = await one.informer.verify();
    if (!consistent)
      violations.push(`${one.name}: differs from the server: ${JSON.stringify({ lacking, extra, different })}`);
    one.sample();
    violations.push(...one.disagreements());
  }),
);
clearInterval(sampling);

console.log(`\nfaults: ${[...done].map(([fault, count]) => `${count} ${fault}`).join(', ')}`);
console.log(`writes: ${writer.figures.writes}, of which the end was not heard: ${writer.figures.failures}`);
for (const { name, figures, informer } of watched) {
  const { lists, watches, events, epochs, longestStaleMs } = figures;
  console.log(
    `${name.padEnd(30)} ${events} events, ${watches} watches, ${lists} lists, ${epochs} epoch resets, longest silence ${(longestStaleMs / 1_000).toFixed(1)} s, ${informer.health().staleDropped} stale states dropped`,
  );
}
for (const violation of violations) console.error(`VIOLATION: ${violation}`);
console.log(
  `chaos: ${watched.length} informers, ${number} faults, ${violations.length} violations, ${seconds().trim()} s`,
);
for (const one of watched) await one[Symbol.asyncDispose]();
await world[Symbol.asyncDispose]();
process.exit(violations.length === 0 ? 0 : 1);
