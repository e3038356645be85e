import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IteratorSource, pullSourceOf, PullStream } from '../../../src/core/async/pull-stream.ts';
import { settle } from '../../../src/testing/fake-clock.ts';

type Command = 'next' | 'push' | 'end' | 'fail' | 'return';

/** The same stream, spelled out: which answer each `next` gets. `undefined`: none yet. */
class Model {
  readonly answers: (string | undefined)[] = [];
  closes = 0;
  #values: string[] = [];
  #isOver = false;
  #pushed = 0;

  run(command: Command): void {
    if (command === 'next') this.answers.push(undefined);
    else if (command === 'return') {
      if (!this.#isOver) this.closes += 1;
      this.#isOver = true;
      this.#values = [];
    } else {
      this.#pushed += 1;
      if (this.#isOver) return;
      this.#isOver = command !== 'push';
      if (command !== 'end') this.#values.push(`${command} ${this.#pushed}`);
    }
    for (const [i, answer] of this.answers.entries()) {
      if (answer === undefined) this.answers[i] = this.#values.shift() ?? (this.#isOver ? 'end' : undefined);
    }
  }
}

/** A stream behind `depth` others, fed at its far end and read at its near end. */
function rig(depth: number, byPromise: boolean) {
  const counts = { closes: 0, unanswered: 0, mostUnanswered: 0 };
  const far = new PullStream<string>({
    pull: () => {
      counts.unanswered += 1;
      counts.mostUnanswered = Math.max(counts.mostUnanswered, counts.unanswered);
    },
    close: () => void (counts.closes += 1),
  });
  let near = far;
  for (let i = 0; i < depth; i += 1) {
    near = new PullStream(byPromise && i % 2 === 0 ? new IteratorSource(near) : pullSourceOf(near));
  }
  const answers: (string | undefined)[] = [];
  let pushed = 0;
  const run = (command: Command): void => {
    if (command === 'return') return void near.return();
    if (command === 'next') {
      const i = answers.push(undefined) - 1;
      near.next().then(
        ({ done, value }) => (answers[i] = done === true ? 'end' : value),
        (error: unknown) => (answers[i] = error as string),
      );
      return;
    }
    pushed += 1;
    counts.unanswered = 0;
    if (command === 'push') far.push(`push ${pushed}`);
    else if (command === 'fail') far.fail(`fail ${pushed}`);
    else far.end(undefined);
  };
  return { counts, answers, run };
}

const command = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Command>('next') },
  { weight: 5, arbitrary: fc.constant<Command>('push') },
  { weight: 1, arbitrary: fc.constantFrom<Command>('end', 'fail', 'return') },
);

test('STR-06: whatever the order of calls, each next settles as in a naive model', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { maxLength: 25 }),
      fc.nat({ max: 3 }),
      fc.boolean(),
      async (commands, depth, byPromise) => {
        const model = new Model();
        const { counts, answers, run } = rig(depth, byPromise);
        for (const one of commands) {
          model.run(one);
          run(one);
          await settle();
          expect(answers).toEqual(model.answers);
          expect(counts.closes).toBe(model.closes);
        }
        expect(counts.mostUnanswered).toBeLessThan(2);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('one consumer gets all values in order, however they come in bursts, then the end or the error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 5 }), { maxLength: 10 }),
      fc.boolean(),
      fc.nat({ max: 3 }),
      async (bursts, fails, depth) => {
        const { answers, run, counts } = rig(depth, fails);
        const total = bursts.reduce((sum, n) => sum + n, 0);
        const expected = Array.from({ length: total }, (_, i) => `push ${i + 1}`);
        for (let i = 0; i <= total; i += 1) run('next');
        for (const burst of bursts) {
          for (let i = 0; i < burst; i += 1) run('push');
          await settle();
        }
        run(fails ? 'fail' : 'end');
        await settle();
        expect(answers).toEqual([...expected, fails ? `fail ${total + 1}` : 'end']);
        expect(counts.closes).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});
