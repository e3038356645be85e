import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type KubeObject, systemEnv } from 'kube-informer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { asked, defineWidgets, WIDGETS } from '../harness/kinds.ts';
import { Proxy, whatProxiesLack } from '../harness/proxies.ts';
import { PATHS } from './paths.ts';
import { wordsOf } from './promises.ts';
import { ECHO, type RawWatch, rawWatch } from './raw-watch.ts';

const missing = (await whatIsMissing()) ?? whatProxiesLack();
if (missing !== undefined) console.warn(`\nSKIPPED: what the engine relies on: ${missing}\n`);

const MAPS = '/api/v1/namespaces/default/configmaps';
const TRIES = 5;
/** An answer so long before the end of its stream was not held back until then. */
const PROMPT_MS = 400;
/** With this many, two minutes are an hour of an informer. */
const INFORMERS = 30;
const COST_MS = 120_000;
/** The watches and one echo after each, from the first hour on. */
const MAX_PER_HOUR = 16;
/** What both protocols of a client see alike: these requests are HTTP/1.1. */
const ASKED = PATHS.filter(({ http2, kind }) => !http2 && kind !== 'stutters');

/**
 * Assumptions of the engine about servers and proxies, without the engine. Those about servers alone are in
 * test/conformance/cases/freshness.ts.
 */
describe.skipIf(missing !== undefined)('what the engine relies on', () => {
  let plane: ControlPlane;
  const urls = new Map<string, string>();
  const proxies: Proxy[] = [];
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    for (const { name, proxy } of ASKED) {
      const started = proxy === undefined ? undefined : await Proxy.before(plane, proxy);
      if (started !== undefined) proxies.push(started);
      urls.set(name, started?.url ?? plane.url);
    }
  }, 1_800_000);
  afterAll(async () => {
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  let written = 0;
  /** Creates an object; gives its version. */
  async function write(): Promise<number> {
    const text = await asked(plane, 'POST', MAPS, { metadata: { name: `w${(written += 1)}` } });
    return versionOf(JSON.parse(text) as { metadata: { resourceVersion: string } });
  }

  test.concurrent('G22: young informers of a quiet server cost at most 16 requests an hour each, as old ones', async () => {
    await defineWidgets(plane);
    const { url, credentials } = plane;
    const env = { ...systemEnv, log: () => {} };
    const cluster = await Cluster.connect({ url, ca: credentials.ca, token: credentials.token, proxy: false, env });
    const before = await requestsOf(plane, 'widgets');
    const informers = Array.from({ length: INFORMERS }, (_, at) =>
      cluster.informer<KubeObject>(WIDGETS.resource, { namespace: `space-${at}` }),
    );
    const began = performance.now();
    try {
      await Promise.all(informers.map((informer) => informer.synced({ timeoutMs: 60_000 })));
      while (performance.now() - began < COST_MS) {
        await sleep(1_000);
        const others = informers.map(({ state }) => wordsOf(state)).filter((words) => words !== 'synced');
        expect(others).toEqual([]);
      }
    } finally {
      await cluster.close();
    }
    const hours = (INFORMERS * (performance.now() - began)) / 3_600_000;
    // A watch is counted at its end.
    await sleep(2_000);
    const requests = (await requestsOf(plane, 'widgets')) - before;
    expect(requests, 'there are the first ones').toBeGreaterThanOrEqual(INFORMERS);
    // The first watch of each informer and one question beside it; what comes later counts by the hour.
    expect(requests).toBeLessThanOrEqual(2 * INFORMERS + MAX_PER_HOUR * hours);
  });

  test.concurrent('G17: a quiet watch gets a bookmark every minute, and one before its end', async () => {
    const resourceVersion = await write();
    const query = { resourceVersion, allowWatchBookmarks: 'true', timeoutSeconds: 70 };
    const path = '/api/v1/namespaces/nothing-happens-here/configmaps';
    const { frames, endedAtMs } = await rawWatch(plane, path, query);
    expect(new Set(frames.map(({ type }) => type))).toEqual(new Set(['BOOKMARK']));
    const [first] = frames;
    expect(first?.atMs).toBeGreaterThan(55_000);
    expect(first?.atMs).toBeLessThan(65_000);
    expect(endedAtMs - (frames.at(-1)?.atMs ?? 0)).toBeLessThan(4_000);
    const versions = frames.map(({ object }) => versionOf(object));
    expect(versions[0]).toBeGreaterThan(resourceVersion);
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
  });

  describe.concurrent.each(ASKED)('$name', ({ name, kind }) => {
    const watch = (query: Record<string, string | number>): Promise<RawWatch> =>
      rawWatch(plane, MAPS, query, { url: urls.get(name) ?? '' });

    test(`F17: an echo knows of the last write, and its bookmark comes ${kind === 'buffers' ? 'with its end' : 'at once'}`, async () => {
      const early: number[] = [];
      for (let at = 0; at < TRIES; at += 1) {
        const version = await write();
        const { status, frames, endedAtMs } = await watch({ ...ECHO, timeoutSeconds: 1 });
        // While others write, an ordinary bookmark may follow the marked one.
        expect([status, new Set(frames.map(({ type }) => type))]).toEqual([200, new Set(['BOOKMARK'])]);
        const [{ object, atMs } = { object: { metadata: { resourceVersion: '0' } }, atMs: endedAtMs }] = frames;
        expect(versionOf(object)).toBeGreaterThanOrEqual(version);
        early.push(Math.round(endedAtMs - atMs));
      }
      const prompt = early.filter((ms) => ms > PROMPT_MS);
      // A busy machine may hold back one of them.
      if (kind === 'buffers') expect(prompt, String(early)).toEqual([]);
      else expect(prompt.length, String(early)).toBeGreaterThanOrEqual(TRIES - 1);
    });

    test('F17: a watch of a few seconds brings exactly what happened since its version', async () => {
      const resourceVersion = await write();
      const watching = watch({ resourceVersion, timeoutSeconds: 3 });
      const during: number[] = [];
      for (let at = 0; at < 3; at += 1) during.push(await write());
      const { frames, endedAtMs } = await watching;
      const since = frames.map(({ object }) => versionOf(object));
      // Other tests write too.
      expect(since.filter((version) => during.includes(version))).toEqual(during);
      expect(since.every((version) => version > resourceVersion)).toBe(true);
      expect(endedAtMs).toBeLessThan(10_000);
    });

    test('an invalid version is a 500 without a reason for a watch, and a 400 for a list', async () => {
      const { status, text } = await watch({ resourceVersion: 'abc' });
      const { reason, message } = JSON.parse(text) as { reason?: string; message: string };
      expect([status, reason]).toEqual([500, undefined]);
      expect(message).toMatch(/^resourceVersion: Invalid value: "abc"/);
      const { status: listed } = await plane.ask('GET', `${MAPS}?resourceVersion=abc`);
      expect(listed).toBe(400);
    });
  });
});

/** How many requests about a resource the server has counted. */
async function requestsOf(plane: ControlPlane, resource: string): Promise<number> {
  const lines = (await asked(plane, 'GET', '/metrics')).split('\n');
  const counters = lines.filter(
    (line) => line.startsWith('apiserver_request_total{') && line.includes(`resource="${resource}"`),
  );
  return counters.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

const versionOf = ({ metadata }: { metadata: { resourceVersion: string } }): number => Number(metadata.resourceVersion);
