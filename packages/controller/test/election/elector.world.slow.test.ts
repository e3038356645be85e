import { FakeClock, fakeEnv, seededRandom } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { LeaderElector, type Term } from '@kube-informer/controller/election';
import { FakeLeases, untilAborted } from './rig.ts';

const SEEDS = 60;
const STEP_MS = 100;
const MINUTES = 5;

/** Three electors on one Lease, with slow, failing and lost requests, skewed clocks, stops and restarts. */
async function world(seed: number): Promise<{ leaders: Set<string>; two: string[]; fences: number[] }> {
  const random = seededRandom(seed);
  const clock = new FakeClock();
  const leases = new FakeLeases();
  const terms = new Map<string, Term>();
  const leaders = new Set<string>();
  const fences: number[] = [];
  const two: string[] = [];
  const stops = new Map<string, AbortController>();
  const ended: Promise<void>[] = [];

  const start = (name: string): void => {
    const skewMs = (random() - 0.5) * 7_200_000;
    const env = {
      ...fakeEnv({ clock, random: seededRandom(random() * 2 ** 32) }),
      wallNow: () => clock.wallNow() + skewMs,
    };
    const delay = (): Promise<void> => clock.sleep(random() < 0.1 ? random() * 8_000 : random() * 50);
    const stop = new AbortController();
    stops.set(name, stop);
    const elector = new LeaderElector({ leases: leases.client(name, delay), name: 'lease', identity: name, env });
    const lead = async (term: Term): Promise<void> => {
      terms.set(name, term);
      leaders.add(name);
      fences.push(term.fence.number);
      await untilAborted(term.signal);
      await clock.sleep(random() * 4_000);
      terms.delete(name);
    };
    ended.push(elector.run(lead, stop.signal));
  };

  for (const name of ['a', 'b', 'c']) start(name);
  for (let at = 0; at < (MINUTES * 60_000) / STEP_MS; at += 1) {
    await clock.advance(STEP_MS);
    const held = [...terms].filter(([, { fence }]) => fence.held()).map(([name]) => name);
    if (held.length > 1) two.push(`${clock.now()}: ${held.join(' and ')}`);
    const dice = random();
    if (dice < 0.004) leases.always = (['fail', 'hang', 'lose-answer', undefined] as const)[Math.floor(random() * 4)];
    else if (dice < 0.01) leases.always = undefined;
    else if (dice < 0.012) {
      const name = 'abc'.charAt(Math.floor(random() * 3));
      stops.get(name)?.abort();
      start(`${name}${at}`);
      stops.set(name, stops.get(`${name}${at}`) as AbortController);
    }
  }
  leases.always = undefined;
  for (const stop of stops.values()) stop.abort();
  await clock.advance(60_000);
  await Promise.all(ended);
  expect(clock.sleeping).toBe(0);
  return { leaders, two, fences };
}

test(`CTR-46: in ${SEEDS} random worlds there are never two leaders, one leads in the end, and fences grow`, async () => {
  let terms = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { leaders, two, fences } = await world(seed);
    expect(two, `seed ${seed}`).toEqual([]);
    expect(leaders.size, `seed ${seed}`).toBeGreaterThan(0);
    expect(fences, `seed ${seed}`).toEqual(fences.toSorted((one, other) => one - other));
    terms += fences.length;
  }
  expect(terms).toBeGreaterThan(2 * SEEDS);
});
