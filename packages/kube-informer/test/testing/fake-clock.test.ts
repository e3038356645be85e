import { describe, expect, test } from 'vitest';
import { FakeClock, fakeEnv, seededRandom, settle } from '../../src/testing/fake-clock.ts';
import { countListeners } from '../informer/rig/informer-rig.ts';

/** A clock, and who woke when. */
function rig() {
  const clock = new FakeClock();
  const woken: string[] = [];
  const sleep = (name: string, ms: number, signal?: AbortSignal): Promise<void> =>
    clock.sleep(ms, signal).then(() => void woken.push(`${name}@${clock.now()}`));
  return { clock, woken, sleep };
}

describe('FakeClock', () => {
  test('OTH-04: time moves only with advance, and wakes sleepers in order of their deadlines, equal ones in order of falling asleep', async () => {
    const { clock, woken, sleep } = rig();
    void sleep('late', 30);
    void sleep('first', 10);
    void sleep('second', 10);
    await settle();
    expect([woken, clock.now(), clock.sleeping]).toEqual([[], 0, 3]);
    await clock.advance(9);
    expect(woken).toEqual([]);
    await clock.advance(1);
    expect(woken).toEqual(['first@10', 'second@10']);
    await clock.advance(100);
    expect([woken.at(-1), clock.now(), clock.sleeping]).toEqual(['late@30', 110, 0]);
  });

  test('OTH-04: a woken sleeper may sleep again, and wakes again in the same advance when the time comes', async () => {
    const { clock, woken, sleep } = rig();
    void (async () => {
      for (let i = 0; i < 3; i += 1) await sleep(`step${i}`, 10);
    })();
    await clock.advance(25);
    expect([woken, clock.sleeping]).toEqual([['step0@10', 'step1@20'], 1]);
    await clock.advance(5);
    expect(woken.at(-1)).toBe('step2@30');
  });

  test('OTH-04: each continuation runs before the next sleeper wakes', async () => {
    const { clock } = rig();
    const order: string[] = [];
    const chain = async (name: string): Promise<void> => {
      await clock.sleep(10);
      order.push(`${name} wakes`);
      await Promise.resolve();
      order.push(`${name} goes on`);
    };
    const both = Promise.all([chain('a'), chain('b')]);
    await clock.advance(10);
    await both;
    expect(order).toEqual(['a wakes', 'a goes on', 'b wakes', 'b goes on']);
  });

  test('OTH-04: an aborted sleep ends at once, never rejects, and leaves no listener', async () => {
    const { clock, woken, sleep } = rig();
    const stop = new AbortController();
    const listeners = countListeners(stop.signal);
    const sleeping = [sleep('a', 100, stop.signal), sleep('b', 1, stop.signal)];
    await clock.advance(1);
    expect([woken, listeners(), clock.sleeping]).toEqual([['b@1'], 1, 1]);
    stop.abort();
    await Promise.all(sleeping);
    await sleep('c', 100, stop.signal);
    expect([woken, listeners(), clock.sleeping]).toEqual([['b@1', 'a@1', 'c@1'], 0, 0]);
  });

  test('OTH-04, F63: the wall clock can jump, and sleepers do not notice', async () => {
    const { clock, woken, sleep } = rig();
    void sleep('a', 1_000);
    const before = clock.wallNow();
    clock.jumpWall(3_600_000);
    expect([clock.wallNow() - before, clock.now()]).toEqual([3_600_000, 0]);
    await clock.advance(999);
    clock.jumpWall(-7_200_000);
    expect(woken).toEqual([]);
    await clock.advance(1);
    expect(woken).toEqual(['a@1000']);
  });

  test('OTH-04, F64: after a freeze overdue sleepers wake at the next advance, at the time it is then', async () => {
    const { clock, woken, sleep } = rig();
    void sleep('a', 10);
    void sleep('b', 700_000);
    clock.freeze(600_000);
    await settle();
    expect([woken, clock.now()]).toEqual([[], 600_000]);
    await clock.advance(0);
    expect(woken).toEqual(['a@600000']);
    await clock.advance(100_000);
    expect(woken.at(-1)).toBe('b@700000');
  });

  test('OTH-04, F64: a suspend passes on the boot and wall clocks only, and sleepers have as long to sleep as before', async () => {
    const { clock, woken, sleep } = rig();
    void sleep('a', 10_000);
    await clock.advance(4_000);
    const [boot, wall] = [clock.bootNow(), clock.wallNow()];
    clock.suspend(8 * 3_600_000);
    await settle();
    expect([clock.now(), clock.bootNow() - boot, clock.wallNow() - wall]).toEqual([4_000, 28_800_000, 28_800_000]);
    await clock.advance(5_999);
    expect(woken).toEqual([]);
    await clock.advance(1);
    expect(woken).toEqual(['a@10000']);
    clock.jumpWall(3_600_000);
    expect(clock.bootNow() - boot).toBe(28_806_000);
    clock.freeze(1_000);
    expect([clock.now(), clock.bootNow() - boot]).toEqual([11_000, 28_807_000]);
  });
});

describe('fakeEnv', () => {
  test('OTH-04: it records its log, runs on its clock, and yields without the passing of time', async () => {
    const env = fakeEnv();
    env.log('warn', 'careful', { n: 1 });
    env.log('info', 'fine');
    expect(env.lines).toEqual([
      { level: 'warn', message: 'careful', fields: { n: 1 } },
      { level: 'info', message: 'fine', fields: {} },
    ]);
    await env.yield();
    expect([env.now(), env.random(), env.clock.sleeping]).toEqual([0, 0, 0]);
    const slept = env.sleep(5);
    await env.clock.advance(5);
    await slept;
    expect([env.now(), env.wallNow()]).toEqual([5, 1_700_000_000_005]);
  });

  test('OTH-04, F64: it has a boot clock, unless the platform of the test has none', () => {
    const env = fakeEnv();
    env.clock.suspend(60_000);
    expect([env.bootNow?.(), env.now()]).toEqual([60_000, 0]);
    expect('bootNow' in fakeEnv({ bootClock: false })).toBe(false);
  });

  test("OTH-04: random numbers are a value, a sequence or a function, and the log can be one's own", () => {
    expect(fakeEnv({ random: 0.5 }).random()).toBe(0.5);
    const [a, b] = [seededRandom(7), seededRandom(7)];
    const numbers = Array.from({ length: 100 }, a);
    expect(Array.from({ length: 100 }, b)).toEqual(numbers);
    expect(numbers.every((n) => n >= 0 && n < 1)).toBe(true);
    expect(new Set(numbers).size).toBeGreaterThan(95);
    expect(seededRandom(8)()).not.toBe(seededRandom(7)());
    const heard: string[] = [];
    fakeEnv({ log: (_, message) => void heard.push(message) }).log('error', 'mine');
    const clock = new FakeClock();
    expect([heard, fakeEnv({ clock }).clock === clock]).toEqual([['mine'], true]);
  });
});
