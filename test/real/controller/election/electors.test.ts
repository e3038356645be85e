import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '@kube-informer/apiserver';
import type { Lease } from '@kube-informer/kubernetes';
import { Client } from 'kube-informer/client';
import { hasCode } from 'kube-informer/core';
import { seededRandom } from 'kube-informer/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { whatIsMissing } from '../../harness/binaries.ts';
import { ControlPlane } from '../../harness/control-plane.ts';
import { within } from '../../harness/until.ts';
import { goProgram, whatGoLacks } from '../program.ts';
import { type Candidate, type Cut, GoElectors, OurCandidate, type Times } from './candidates.ts';
import { LeaseLog } from './lease-log.ts';

const lacking = await whatGoLacks();
if (lacking !== undefined) console.warn(`\nSKIPPED: electors next to client-go's: ${lacking}\n`);
const missing = await whatIsMissing();
if (missing !== undefined)
  console.warn(`\nSKIPPED: electors next to client-go's on a real kube-apiserver: ${missing}\n`);

/** For tools/evidence. */
const RESULTS = process.env['ELECTIONS_RESULTS'];
const results: { readonly server: string; readonly seed: number; readonly [figure: string]: string | number }[] = [];
/** `npm run test:handovers` is the long form: 1,000. */
const HAND_OVERS = Number(process.env['HAND_OVERS'] ?? 24);
/** Other skews, fates and moments; results of several seeds are kept side by side. */
const SEED = Number(process.env['HAND_OVERS_SEED'] ?? 15);
/**
 * client-go compares records as JSON, where times are whole seconds: of several renewals in one second it sees the first, and may
 * take a lease up to a second before its end. So the deadline of the holder is more than a second before it.
 */
const TIMES: Times = { leaseDurationMs: 2_000, renewDeadlineMs: 800, retryPeriodMs: 50 };
const CLIENT_GO_EARLY_MS = 1_000;
const NAMESPACE = 'default';
const LEASE = 'shared';
/** Wrong by hours, and up to a tenth too fast or too slow: within what the times above allow. */
const MAX_SKEW_MS = 7_200_000;
const MAX_DRIFT = 0.1;
const CUTS: readonly Cut[] = ['refused', 'silent', 'lost-answer'];

describe.skipIf(lacking !== undefined)("electors next to client-go's on one Lease, with clocks that are wrong", () => {
  let program: string;
  beforeAll(async () => {
    program = await goProgram();
  }, 1_800_000);
  afterAll(() => {
    if (RESULTS === undefined) return;
    const kept = existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as typeof results) : [];
    const others = kept.filter(
      (one) => !results.some(({ server, seed }) => server === one.server && seed === one.seed),
    );
    writeFileSync(RESULTS, `${JSON.stringify([...others, ...results], undefined, 2)}\n`);
  });

  test(
    `L02 never two holders in the commit log of the embedded server in ${HAND_OVERS} hand-overs`,
    { timeout: 60_000 + HAND_OVERS * 5_000 },
    async () => {
      await using server = await startApiServer();
      const kubeconfig = await written(server.kubeconfig());
      const client = await Client.connect({ kubeconfigFile: kubeconfig, proxy: false });
      onTestFinished(() => client.close());
      await handOver('embedded, its commit log', program, kubeconfig, client, 0, (log) => {
        server.store.listen((_collection, { key, record }) => {
          if (key === `${NAMESPACE}/${LEASE}` && record !== undefined)
            log(server.local.get('coordination.k8s.io', 'leases', NAMESPACE, LEASE) as Lease);
        });
      });
    },
  );

  test.skipIf(missing !== undefined)(
    `L02 never two holders in a watch of a real kube-apiserver in ${HAND_OVERS} hand-overs`,
    { timeout: 120_000 + HAND_OVERS * 5_000 },
    async () => {
      await using plane = await ControlPlane.start({ log: (line) => console.log(line) });
      const client = await Client.connect({ kubeconfigFile: plane.kubeconfig });
      onTestFinished(() => client.close());
      const { metadata } = await client.resource('coordination.k8s.io/v1/leases').list({ namespace: NAMESPACE });
      const over = new AbortController();
      let following = Promise.resolve();
      try {
        // What the watch delays is not the electors' fault.
        await handOver('kube-apiserver, a watch', program, plane.kubeconfig, client, 250, (log) => {
          following = follow(client, metadata?.resourceVersion ?? '', over.signal, log);
          // Reported at the end, and handled from now on.
          following.catch(() => {});
        });
      } finally {
        // Before the server stops: its end is not a failure of the watch.
        over.abort();
      }
      await following.catch((error: unknown) => {
        if (!hasCode(error, 'ABORTED')) throw error;
      });
    },
  );
});

async function follow(client: Client, from: string, signal: AbortSignal, log: (lease: Lease) => void): Promise<void> {
  const leases = client.resource('coordination.k8s.io/v1/leases');
  for await (const event of leases.watch({ namespace: NAMESPACE, resourceVersion: from, signal }))
    if (event.type !== 'BOOKMARK' && event.type !== 'ERROR' && event.object.metadata?.name === LEASE) log(event.object);
}

/** Three electors of ours and three of client-go; the holder is stopped, crashes or is cut off, again and again. */
async function handOver(
  server: string,
  program: string,
  kubeconfig: string,
  client: Client,
  delayMs: number,
  listen: (log: (lease: Lease) => void) => void,
): Promise<void> {
  const random = seededRandom(SEED);
  const between = (from: number, to: number): number => from + random() * (to - from);
  const leases = client.resource('coordination.k8s.io/v1/leases');
  await using go = new GoElectors(program, kubeconfig, NAMESPACE, LEASE);
  const candidates = new Map<string, Candidate>();
  const everOurs = new Set<OurCandidate>();
  const patienceMs = (holder: string): number =>
    (holder.startsWith('ours') ? TIMES.leaseDurationMs / (1 + MAX_DRIFT) : TIMES.leaseDurationMs - CLIENT_GO_EARLY_MS) -
    delayMs -
    1;
  const log = new LeaseLog({ ours: () => everOurs, patienceMs });
  listen((lease) => log.written(lease, performance.now()));

  let started = 0;
  const start = (kind: Candidate['kind']): void => {
    const identity = `${kind}-${(started += 1)}`;
    const skewMs = Math.round(between(-MAX_SKEW_MS, MAX_SKEW_MS));
    const rate = between(1 - MAX_DRIFT, 1 + MAX_DRIFT);
    const cut = CUTS[Math.floor(random() * CUTS.length)] as Cut;
    if (kind === 'client-go') candidates.set(identity, go.start(identity, { ...TIMES, skewMs }));
    else {
      const ours = new OurCandidate(identity, leases, LEASE, NAMESPACE, { ...TIMES, skewMs, rate, cut });
      everOurs.add(ours);
      candidates.set(identity, ours);
    }
  };
  for (let at = 0; at < 3; at += 1) for (const kind of ['ours', 'client-go'] as const) start(kind);

  const began = performance.now();
  const counts = { stopped: 0, crashed: 0, cut: 0 };
  while (log.holders.length <= HAND_OVERS) {
    // Most are stopped in the middle of their term, some before they know that they lead.
    const renewals = random() < 0.8 ? 2 : 0;
    const isLeading = (holder: string, count: number): boolean => candidates.has(holder) && count >= renewals;
    await within('the lease is held', log.until(isLeading));
    const { holder } = log;
    const leader = candidates.get(holder) as Candidate;
    const next = (): Promise<void> =>
      within(
        `another elector follows ${holder}`,
        log.until((one) => one !== holder),
      );
    const fate = random();
    if (fate < 0.76) {
      counts.stopped += 1;
      candidates.delete(holder);
      await within(`${holder} stops`, leader.stop());
      start(leader.kind);
      await next();
    } else if (fate < 0.88) {
      counts.crashed += 1;
      candidates.delete(holder);
      leader.cut();
      void leader.stop();
      start(leader.kind);
      await next();
    } else {
      counts.cut += 1;
      leader.cut();
      await next();
      leader.heal();
    }
  }
  const seconds = (performance.now() - began) / 1_000;
  const byOurs = log.holders.filter((holder) => holder.startsWith('ours')).length;
  console.log(
    `${log.holders.length - 1} hand-overs in ${seconds.toFixed(0)} s: ${counts.stopped} stopped, ${counts.crashed} crashed, ` +
      `${counts.cut} cut off; ${byOurs} terms of ours, ${log.holders.length - byOurs} of client-go; ` +
      `${log.released} released, ${log.expired} expired; ${log.writes} writes of the Lease; ${log.violations.length} violations`,
  );
  const { released, expired, writes, violations } = log;
  results.push({
    server, seed: SEED, handOvers: log.holders.length - 1, ...counts, ours: byOurs, clientGo: log.holders.length - byOurs,
    released, expired, writes, seconds: Math.round(seconds), violations: violations.length,
  }); // prettier-ignore
  await Promise.all([...candidates.values()].map((candidate) => within(candidate.identity, candidate.stop())));
  expect(log.violations).toEqual([]);
  // The hand-overs were of all kinds, and between both.
  expect(Math.min(byOurs, log.holders.length - byOurs)).toBeGreaterThan(HAND_OVERS / 10);
  expect(Math.min(log.released, log.expired)).toBeGreaterThan(HAND_OVERS / 20);
}

async function written(text: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'electors-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'kubeconfig');
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
