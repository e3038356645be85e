import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { asked } from '../harness/kinds.ts';
import { Proxy, whatProxiesLack } from '../harness/proxies.ts';
import { until } from '../harness/until.ts';
import { Follower } from './follower.ts';
import { type Path, PATHS } from './paths.ts';
import { PROMISED_MS, SLACK_MS, wordsOf } from './promises.ts';

const missing = (await whatIsMissing()) ?? whatProxiesLack();
if (missing !== undefined) console.warn(`\nSKIPPED: proxies in front of a real kube-apiserver: ${missing}\n`);

const MAPS = '/api/v1/namespaces/default/configmaps';
/** Seconds before each change. The long ones are longer than the proxies keep an idle connection. */
const PAUSES = [1, 1, 2, 25, 1, 3, 5, 1, 25, 2, 1, 8, 1, 3, 25, 1, 2, 5, 1, 1];
/** Longer than any buffer on the way. */
const LARGE_BYTES = 13_000;
/** Milliseconds were measured where nothing holds a stream back; the rest is a busy machine, and a cut that is noticed. */
const STREAMED_MS = 10_000;

/** The share of the time that a stream which is cut after 20 idle seconds must be there. */
const UNBROKEN = 0.98;

/** One experiment: followers on all paths at once, and the same changes for all of them. */
describe.skipIf(missing !== undefined)('paths to a real kube-apiserver', () => {
  let plane: ControlPlane;
  const proxies: Proxy[] = [];
  const followers = new Map<Path, Follower>();
  /** On the same paths, of a namespace in which nothing happens. */
  const quiet = new Map<Path, Follower>();
  const follower = (path: Path): Follower => followers.get(path) as Follower;

  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    const { ca, token } = plane.credentials;
    for (const path of PATHS) {
      const proxy = path.proxy === undefined ? undefined : await Proxy.before(plane, path.proxy);
      if (proxy !== undefined) proxies.push(proxy);
      const connect = { url: proxy?.url ?? plane.url, ca, token, http2: path.http2 };
      followers.set(path, await Follower.start({ name: path.name, connect, namespace: 'default' }));
      if (path.kind === 'streams')
        quiet.set(path, await Follower.start({ name: `${path.name}, quiet`, connect, namespace: 'quiet' }));
    }
    const all = [...followers.values()];
    await until('all followers have the first state', () => all.every(({ isReady }) => isReady), {
      inTheWay: () => all.map((one) => one.describe()).join('\n'),
    });
    for (const [at, seconds] of PAUSES.entries()) {
      await sleep(seconds * 1_000);
      const name = `change-${at}`;
      // Random, so that compression does not make it small again.
      const value = randomBytes((at % 3 === 2 ? LARGE_BYTES : 20) / 2).toString('hex');
      await asked(plane, 'POST', MAPS, { metadata: { name }, data: { value } });
      for (const one of all) one.wrote(name);
    }
    const isDone = (): boolean => all.every(({ unseen }) => unseen.length === 0);
    // What is unseen by then is a finding of its test, not of this one.
    await until('all changes are seen', isDone, { withinMs: 80_000 }).catch(() => {});
    console.log([...all, ...quiet.values()].map((one) => one.describe()).join('\n'));
  }, 600_000);
  afterAll(async () => {
    for (const one of [...followers.values(), ...quiet.values()]) await one[Symbol.asyncDispose]();
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  describe.each(PATHS)('$name', (path) => {
    test('G4, F17: every change is seen', () => {
      const one = follower(path);
      expect(one.unseen, one.describe()).toEqual([]);
      expect(one.lags.size, 'all of them, and the one that every namespace has').toBeGreaterThanOrEqual(PAUSES.length);
    });

    test('G15, G17: the cache is never further behind than its state says', () => {
      const one = follower(path);
      for (const [kind, promisedMs] of Object.entries(PROMISED_MS))
        expect(one.longest[kind] ?? 0, `${kind}: ${one.describe()}`).toBeLessThanOrEqual(promisedMs + SLACK_MS);
    });
  });

  test.each(PATHS.filter(({ kind }) => kind === 'streams'))(
    'G4: $name: changes come at once, and it says synced',
    (path) => {
      const one = follower(path);
      expect(one.maxLag, one.describe()).toBeLessThanOrEqual(STREAMED_MS);
      expect(one.state.kind, one.describe()).toBe('synced');
      expect(shareOf('synced', one), one.describe()).toBeGreaterThan(UNBROKEN);
    },
  );

  test.each(PATHS.filter(({ kind }) => kind === 'streams'))(
    'F2: $name: a quiet watch that is cut again and again is reopened at once',
    (path) => {
      const one = quiet.get(path) as Follower;
      expect(one.state.kind, one.describe()).toBe('synced');
      expect(shareOf('synced', one), one.describe()).toBeGreaterThan(UNBROKEN);
    },
  );

  test.each(PATHS.filter(({ kind }) => kind === 'buffers'))(
    'F17, G15: $name: it polls, and says that the path buffers',
    (path) => {
      const one = follower(path);
      expect(one.state.kind, one.describe()).toBe('polling');
      expect(wordsOf(one.state)).toMatch(/buffer/i);
      expect(shareOf('polling', one), one.describe()).toBeGreaterThan(0.8);
      expect(one.maxLag, one.describe()).toBeLessThanOrEqual((PROMISED_MS['polling'] as number) + SLACK_MS);
    },
  );

  test.each(PATHS.filter(({ kind }) => kind === 'stutters'))(
    'F17: $name: an event that stops in the middle is fetched',
    (path) => {
      const one = follower(path);
      expect(['synced', 'polling'], one.describe()).toContain(one.state.kind);
      expect(one.maxLag, one.describe()).toBeLessThanOrEqual((PROMISED_MS['polling'] as number) + SLACK_MS);
    },
  );
});

function shareOf(kind: string, { time }: Follower): number {
  const all = Object.values(time).reduce((sum, ms) => sum + ms, 0);
  return (time[kind] ?? 0) / all;
}
