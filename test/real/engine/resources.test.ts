import { Cluster, type KubeObject, systemEnv } from 'kube-informer';
import type { WatchOptions } from 'kube-informer/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Asked, isWhole } from '../harness/asked.ts';
import { findOldApiserver, whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { asked, CONFIG_MAPS, defineWidgets, DEPLOYMENTS, Hands, type Kind, PODS, WIDGETS } from '../harness/kinds.ts';
import { Observed } from '../harness/observed.ts';
import { until } from '../harness/until.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the engine on real servers: ${missing}\n`);
const noOld = await whatIsMissing('kube-apiserver 1.26');
if (noOld !== undefined) console.warn(`\nSKIPPED: kube-apiserver 1.26: ${noOld}\n`);

const log = (line: string): void => console.log(line);
interface Server {
  readonly server: string;
  readonly streams: boolean;
  readonly start: () => Promise<ControlPlane>;
}
const SERVERS: readonly Server[] = [
  { server: 'the newest', streams: true, start: () => ControlPlane.start({ log }) },
  {
    server: 'the newest without streaming lists',
    streams: false,
    start: () => ControlPlane.start({ apiserverFlags: ['--feature-gates=WatchList=false'], log }),
  },
];
const OLD: Server = {
  server: '1.26, from before streaming lists',
  streams: false,
  start: async () => ControlPlane.start({ apiserver: await findOldApiserver(log), log }),
};

const PAGE_SIZE = 3;
const MODES = [
  { mode: 'streaming lists', informers: {} },
  { mode: 'plain lists', informers: { watchList: false } },
  { mode: 'lists in pages', informers: { watchList: false, pageSize: PAGE_SIZE } },
] as const;

const KINDS: readonly Kind[] = [CONFIG_MAPS, PODS, DEPLOYMENTS, WIDGETS];

describe.skipIf(missing !== undefined).each(SERVERS)('the engine on $server', scenarios);
describe.skipIf(noOld !== undefined).each([OLD])('the engine on $server', scenarios);

function scenarios({ start, streams }: Server): void {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await start();
    await defineWidgets(plane);
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  /** A namespace of its own with seven objects of each kind, and one more with ConfigMaps. */
  async function rig() {
    const name = `test-${Math.random().toString(36).slice(2, 8)}`;
    const others = `${name}-others`;
    for (const namespace of [name, others])
      await asked(plane, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const hands = [...KINDS.map((kind) => new Hands(plane, kind, name)), new Hands(plane, CONFIG_MAPS, others)];
    for (const hand of hands) for (let at = 0; at < 7; at += 1) await hand.create(`o${at}`);
    const changes = async (round: string): Promise<void> => {
      await Promise.all(hands.map((hand) => hand.changes(round)));
    };
    return { name, others, changes };
  }

  /** Every kind, whole and as metadata only, and ConfigMaps of two namespaces in one view. */
  async function watched(name: string, others: string, informers: (typeof MODES)[number]['informers']) {
    const { ca, token } = plane.credentials;
    const calls: Asked[] = [];
    const modify = (options: WatchOptions, verb: string): WatchOptions => {
      calls.push({ ...options, verb });
      return options;
    };
    const env = { ...systemEnv, log: () => {} };
    const cluster = await Cluster.connect({ url: plane.url, ca, token, proxy: false, env, informers: { ...informers, modify } }); // prettier-ignore
    onTestFinished(() => cluster.close());
    const observed = [
      ...KINDS.flatMap((kind) =>
        [false, true].map((metadataOnly) => {
          const options = { namespace: name, ...(metadataOnly ? { metadataOnly } : {}) };
          const informer = cluster.informer<KubeObject>(kind.resource, options);
          return new Observed(plane, informer, { paths: [kind.path(name)], metadataOnly });
        }),
      ),
      new Observed(plane, cluster.informer<KubeObject>('v1/configmaps', { namespace: [name, others] }), {
        paths: [CONFIG_MAPS.path(name), CONFIG_MAPS.path(others)],
      }),
    ];
    /** How often each kind of request for the whole collection succeeded. With a busy server there may be more requests. */
    const answered = (): { streamed: number; listed: number } => {
      const steps = cluster.caches().flatMap(({ informer }) => informer.timeline);
      const failed = (kind: string): number => steps.filter((step) => step.kind === kind && step.failed).length;
      const whole = calls.filter(isWhole);
      return {
        streamed: whole.filter(({ verb }) => verb === 'watch').length - failed('stream'),
        listed: whole.filter(({ verb }) => verb === 'list').length - failed('list'),
      };
    };
    return { cluster, observed, calls, answered };
  }
  /** Two holds on the same ConfigMaps share one cache, the other namespace has one more. */
  const CACHES = KINDS.length * 2 + 1;

  test('WLS-07, WLS-10, G1, G4, G5, G11: every kind, streamed, listed and in pages, across changes and a restart', async () => {
    const { name, others, changes } = await rig();
    const all = await Promise.all(
      MODES.map(async ({ mode, informers }) => ({ mode, ...(await watched(name, others, informers)) })),
    );
    const observed = all.flatMap((one) => one.observed);
    await Promise.all(observed.map(({ informer }) => informer.synced({ timeoutMs: 60_000 })));
    for (const { mode, calls, answered } of all) {
      const isStreaming = mode === 'streaming lists';
      const streamed = isStreaming && streams ? CACHES : 0;
      expect(answered(), mode).toEqual({ streamed, listed: CACHES - streamed });
      const first = calls.filter(isWhole);
      expect(
        first.some(({ verb }) => verb === 'watch'),
        mode,
      ).toBe(isStreaming);
      if (mode !== 'lists in pages') continue;
      expect(new Set(first.map(({ limit }) => limit))).toEqual(new Set([PAGE_SIZE]));
      // Seven objects in pages of three.
      expect(calls.filter(({ continue: next }) => next !== undefined).length).toBeGreaterThanOrEqual(2 * CACHES);
    }
    await changes('seen');
    for (const one of observed) one.join();
    for (const one of observed) await one.agrees();

    const wholes = (): number[] => all.map(({ answered }) => answered().streamed + answered().listed);
    const before = wholes();
    await plane.killApiserver();
    await until('everything is stale', () => observed.every(({ informer }) => informer.state.kind === 'stale'));
    await plane.startApiserver();
    await changes('after-a-cut');
    for (const one of observed) one.join();
    for (const one of observed) await one.agrees(120_000);
    // A restarted server has no history: an informer that was behind lists once, and none twice.
    const after = wholes();
    for (const [at, { mode, cluster }] of all.entries()) {
      expect((after[at] as number) - (before[at] as number), mode).toBeLessThanOrEqual(CACHES);
      expect(cluster.health().ready, mode).toBe(true);
    }
  });
}
