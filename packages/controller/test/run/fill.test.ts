/** A new leader adds all keys while its workers run. */
import { expect, onTestFinished, test } from 'vitest';
import { controller, type OperatorOptions } from '../../src/index.ts';
import { type Lab, startLab } from '../../src/testing/lab.ts';
import { definition, type Widget, widget, WIDGETS } from '../operator/rig.ts';

/** More than a leader adds in one turn of the event loop. */
const MANY = 300;

async function lab(objects = MANY): Promise<Lab> {
  const widgets = Array.from({ length: objects }, (_, n) => widget(`old-${n}`));
  const started = await startLab({ definitions: [definition()], objects: widgets });
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

/** The fake one yields to promises only. */
const turns = (here: Lab): OperatorOptions => ({
  env: { ...here.env, yield: () => new Promise((resolve) => void setImmediate(resolve)) },
});

test('CTR-44: the first run of a new leader begins before a second key is in line', async () => {
  const here = await lab();
  const inLine: number[] = [];
  const operator = here.run(
    [
      controller<Widget>(here.cluster, WIDGETS, {
        name: 'widgets',
        reconcile: () => void inLine.push(operator.inspect().controllers[0]?.ready ?? -1),
      }),
    ],
    turns(here),
  );
  await here.settled();
  expect(inLine).toHaveLength(MANY);
  expect(inLine[0]).toBe(0);
});

test('CTR-44: every controller has its first run before any has all its keys', async () => {
  const here = await lab();
  const ran: string[] = [];
  const names = Array.from({ length: 20 }, (_, n) => `widgets-${n}`);
  here.run(
    names.map((name) =>
      controller<Widget>(here.cluster, WIDGETS, { name, concurrency: 1, reconcile: () => void ran.push(name) }),
    ),
    turns(here),
  );
  await here.settled();
  expect(ran).toHaveLength(20 * MANY);
  expect(new Set(ran.slice(0, MANY)).size).toBe(20);
});

test('CTR-44: keys that change while others are still added run once for both, and before those', async () => {
  const here = await lab();
  const ran: string[] = [];
  const running = new Set<string>();
  const operator = here.run(
    [
      controller<Widget>(here.cluster, WIDGETS, {
        name: 'widgets',
        concurrency: 4,
        async reconcile({ key, name }) {
          expect(running.has(key)).toBe(false);
          running.add(key);
          if (ran.push(name) === 1) for (const n of [298, 299]) operator.enqueue('widgets', `web/old-${n}`);
          await Promise.resolve();
          running.delete(key);
        },
      }),
    ],
    turns(here),
  );
  await here.settled();
  expect(ran.slice(1, 3)).toEqual(['old-298', 'old-299']);
  // They had run when their turn among the others came, so they run again: an add after a run is another run.
  expect(new Set(ran).size).toBe(MANY);
  expect(ran.length).toBeLessThanOrEqual(MANY + 2);
});

test('CTR-44, CTR-05: a stop in the middle of adding ends it, and nothing runs afterwards', async () => {
  const here = await lab();
  let ran = 0;
  const operator = here.run(
    [
      controller<Widget>(here.cluster, WIDGETS, {
        name: 'widgets',
        reconcile() {
          ran += 1;
          if (ran === 1) void operator.stop();
        },
      }),
    ],
    turns(here),
  );
  await operator.ended;
  expect(ran).toBe(1);
  expect(operator.isBusy).toBe(false);
});

test('CTR-44, CTR-47: a lease that is lost in the middle of adding ends it; the next term runs all keys', async () => {
  const here = await lab(10);
  const reasons: string[] = [];
  let resume = (): void => {};
  const firstTurn = new Promise<void>((resolve) => (resume = resolve));
  const operator = here.run(
    [
      controller<Widget>(here.cluster, WIDGETS, {
        name: 'widgets',
        reconcile: ({ reasons: [why = ''] }) => void reasons.push(why),
      }),
    ],
    { election: 'ops/widgets', env: { ...here.env, yield: () => firstTurn } },
  );
  await expect.poll(() => reasons).toEqual(['initial']);
  const down = here.server.faults.failRequests({ match: { resource: 'leases' }, status: 503, times: Infinity });
  for (let s = 0; s < 10; s += 1) await here.env.clock.advance(1_000);
  expect(operator.why('widgets', 'web/old-9').kind).toBe('standby');
  resume();
  down.remove();
  await here.advance(20_000);
  expect(operator.state.kind).toBe('leading');
  expect(reasons).toEqual(['initial', ...Array.from({ length: 10 }, () => 'led')]);
});
