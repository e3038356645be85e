import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { goProgram, whatGoLacks } from '../program.ts';
import type { QueueName, Step, StepResult } from './our-queue.ts';
import { play, type Played, playRandom } from './scripts.ts';

const lacking = await whatGoLacks();
if (lacking !== undefined) console.warn(`\nSKIPPED: the queue next to those of Go: ${lacking}\n`);

const SCRIPTS = 500;

describe.skipIf(lacking !== undefined)('the queue next to those of Go, on a clock that stands still', () => {
  let program: string;
  beforeAll(async () => {
    program = await goProgram();
  }, 1_800_000);

  /** Runs the same scripts with the Go queues. */
  async function inGo(scripts: readonly Pick<Played, 'queue' | 'steps'>[]): Promise<StepResult[][]> {
    const child = spawn(program, ['queues'], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.end(JSON.stringify(scripts.map(({ queue, steps }) => ({ queue, steps }))));
    return JSON.parse(await text(child.stdout)) as StepResult[][];
  }

  test(`V01 ${SCRIPTS} random scripts have the result of client-go's queue`, () => compare('workqueue'));
  test(`V02 ${SCRIPTS} random scripts have the result of controller-runtime's queue`, () => compare('priorityqueue'));

  async function compare(queue: QueueName): Promise<void> {
    const played: Played[] = [];
    for (let seed = 1; seed <= SCRIPTS; seed += 1) played.push(await playRandom(queue, seed, seed % 2 === 0));
    const theirs = await inGo(played);
    let given = 0;
    for (const [at, { steps, results }] of played.entries()) {
      given += results.reduce((sum, result) => sum + result.given.length, 0);
      const isShutAt = steps.findIndex(({ do: what }) => what === 'shutdown');
      for (const [index, ours] of results.entries()) {
        const their = theirs[at]?.[index];
        // controller-runtime still counts what it will not give out.
        const ready = queue === 'priorityqueue' && index >= isShutAt ? ours.ready : their?.ready;
        expect(ours, `script ${at + 1}:\n${story(steps, results, index)}`).toEqual({ ...their, ready });
      }
    }
    expect(given).toBeGreaterThan(SCRIPTS * 10);
    const operations = played.reduce((sum, { steps }) => sum + steps.length, 0);
    console.log(`${queue}: ${SCRIPTS} scripts, ${operations} operations, ${given} keys given out, no difference`);
  }

  /** Keys that getters received, in order. */
  const keys = (results: readonly StepResult[]): string =>
    results.flatMap(({ given }) => given.map(({ key }) => key)).join(' ');

  async function three(steps: readonly Step[]): Promise<Record<'ours' | 'strict' | QueueName, readonly StepResult[]>> {
    const ours = await play('workqueue', steps);
    const strict = await play('priorityqueue', steps);
    const [workqueue = [], priorityqueue = []] = await inGo([ours, strict]);
    return { ours: ours.results, strict: strict.results, workqueue, priorityqueue };
  }

  const add = (key: string, priority = 0): Step => ({ do: 'add', key, priority });
  const get: Step = { do: 'get' };

  test('V01 exception CTR-10: a key added while it runs is placed by the time of the add, in client-go by that of done', async () => {
    const all = await three([add('a'), get, add('a'), add('b'), { do: 'done', key: 'a' }, get, get]);
    expect(keys(all.workqueue)).toBe('a b a');
    expect([all.ours, all.strict, all.priorityqueue].map(keys)).toEqual(['a a b', 'a a b', 'a a b']);
  });

  test('V01 exception CTR-13: "now" replaces a delay, in client-go the key runs again when the delay is over', async () => {
    const after: Step = { do: 'addAfter', key: 'a', ms: 100 };
    const wait: Step = { do: 'advance', ms: 100 };
    const all = await three([after, add('a'), get, { do: 'done', key: 'a' }, get, wait]);
    expect(keys(all.workqueue)).toBe('a a');
    expect([all.ours, all.strict, all.priorityqueue].map(keys)).toEqual(['a', 'a', 'a']);
  });

  test('V01 exception CTR-14: drained waits for ready keys too, in client-go for running ones only', async () => {
    const all = await three([add('a'), add('b'), get, { do: 'drain' }, { do: 'done', key: 'a' }]);
    expect(all.workqueue.map(({ drained }) => drained)).toEqual([false, false, false, false, true]);
    expect(all.ours.map(({ drained }) => drained)).toEqual([false, false, false, false, false]);
  });

  test('V02 exception: a delayed add of a key at work keeps its place, in controller-runtime it gets one when it is due', async () => {
    const again: Step = { do: 'addAfter', key: 'a', ms: 10 };
    const steps: Step[] = [
      add('a'),
      get,
      again,
      add('b'),
      { do: 'advance', ms: 10 },
      { do: 'done', key: 'a' },
      get,
      get,
    ];
    const all = await three(steps);
    expect([all.priorityqueue, all.workqueue, all.ours].map(keys)).toEqual(['a b a', 'a b a', 'a b a']);
    expect(keys(all.strict)).toBe('a a b');
  });
});

/** The steps up to one that differs. */
const story = (steps: readonly Step[], results: readonly StepResult[], end: number): string =>
  steps
    .slice(0, end + 1)
    .map(
      (step, at) =>
        `${JSON.stringify(step)} → ${results[at]?.given.map(({ key, at: ms }) => `${key}@${ms}`).join(' ')}`,
    )
    .join('\n');
