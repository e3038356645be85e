import { createHook } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import {
  IteratorSource,
  type PullReceiver,
  type PullSource,
  pullSourceOf,
  PullStream,
} from '../../../src/core/async/pull-stream.ts';
import { settle } from '../../../src/testing/fake-clock.ts';

const END = { done: true, value: undefined };
const value = (n: number): unknown => ({ done: false, value: n });

/** A stream whose source is answered by hand. */
function rig(onClose: () => unknown = () => {}) {
  const calls = { pulls: 0, closes: 0 };
  const stream = new PullStream<number>({
    pull: () => void (calls.pulls += 1),
    close: () => {
      calls.closes += 1;
      return onClose();
    },
  });
  return { stream, calls };
}

/** A source that answers at once: 1, 2, 3, … */
function counter(): PullSource<number> {
  let n = 0;
  return { pull: (receiver) => receiver.push((n += 1)), close() {} };
}

function promisesOf(work: () => unknown): number {
  let count = 0;
  const hook = createHook({ init: (_, type) => void (count += type === 'PROMISE' ? 1 : 0) }).enable();
  work();
  hook.disable();
  return count;
}

describe('reading', () => {
  test('the source is asked once for each value, and only when one is wanted', async () => {
    const { stream, calls } = rig();
    expect(calls.pulls).toBe(0);
    const first = stream.next();
    await settle();
    expect(calls.pulls).toBe(1);
    stream.push(1);
    expect(await first).toEqual(value(1));
    await settle();
    expect(calls.pulls).toBe(1);
  });

  test('buffered values are handed out without asking the source', async () => {
    const { stream, calls } = rig();
    stream.push(1);
    stream.push(2);
    expect([await stream.next(), await stream.next()]).toEqual([value(1), value(2)]);
    expect(calls.pulls).toBe(0);
  });

  test('several next are answered in order, and the source is asked for one at a time', async () => {
    const { stream, calls } = rig();
    const all = Promise.all([stream.next(), stream.next(), stream.next()]);
    expect(calls.pulls).toBe(1);
    stream.push(1);
    await settle();
    expect(calls.pulls).toBe(2);
    stream.push(2);
    stream.end(undefined);
    expect(await all).toEqual([value(1), value(2), END]);
  });

  test('one promise for each value, through any number of streams', async () => {
    let stream = new PullStream(counter());
    for (let i = 0; i < 5; i += 1) stream = new PullStream(pullSourceOf(stream));
    expect(promisesOf(() => stream.next())).toBe(1);
    expect(await stream.next()).toEqual(value(2));
  });

  test('pull makes no promise, and is for one caller', () => {
    const got: unknown[] = [];
    const receiver: PullReceiver<number> = {
      push: (n) => void got.push(n),
      end: () => void got.push('end'),
      fail: (error) => void got.push(error),
    };
    const { stream } = rig();
    expect(
      promisesOf(() => {
        stream.pull(receiver);
        stream.push(1);
      }),
    ).toBe(0);
    stream.pull(receiver);
    expect(() => stream.pull(receiver)).toThrow('already being read');
    stream.fail('broken');
    stream.pull(receiver);
    expect(got).toEqual([1, 'broken', 'end']);
  });

  test('take gives what is at hand without a promise, and next what comes later', async () => {
    const { stream, calls } = rig();
    expect(stream.take()).toBeUndefined();
    expect(stream.take()).toBeUndefined();
    const later = stream.next();
    stream.push(1);
    expect(await later).toEqual({ done: false, value: 1 });
    expect([stream.take(), calls.pulls]).toEqual([undefined, 2]);
    // Arrived between the two: next gives it, and asks for nothing more.
    stream.push(2);
    expect(await stream.next()).toEqual({ done: false, value: 2 });
    stream.push(3);
    expect([stream.take(), calls.pulls]).toEqual([{ done: false, value: 3 }, 2]);
    expect(stream.take()).toBeUndefined();
    expect(promisesOf(() => stream.push(4))).toBe(0);
    await stream.return();
    expect(stream.take()).toEqual(END);
  });

  test('take throws a failure once, and then gives the end', () => {
    const { stream } = rig();
    expect(stream.take()).toBeUndefined();
    stream.fail(new Error('broken'));
    expect(() => stream.take()).toThrow('broken');
    expect(stream.take()).toEqual(END);
  });

  test('next beside a pending pull throws, and takes nothing from it', async () => {
    const { stream } = rig();
    const got: number[] = [];
    stream.pull({ push: (n) => void got.push(n), end() {}, fail() {} });
    expect(() => stream.next()).toThrow(expect.objectContaining({ code: 'ILLEGAL_STATE' }));
    stream.push(1);
    expect(got).toEqual([1]);
    stream.push(2);
    expect(await stream.next()).toEqual(value(2));
  });
});

describe('the end', () => {
  test('buffered values come before the end, and the end comes with its result each time', async () => {
    const stream = new PullStream<number, string>({ pull() {}, close() {} });
    stream.push(1);
    stream.end('why');
    stream.end('again');
    stream.push(2);
    expect(stream.isOver).toBe(true);
    const end = { done: true, value: 'why' };
    expect([await stream.next(), await stream.next(), await stream.next()]).toEqual([value(1), end, end]);
  });

  test('an error rejects one next, after the values before it; then the stream has ended', async () => {
    const { stream, calls } = rig();
    stream.push(1);
    stream.fail('broken');
    stream.fail('again');
    expect(await stream.next()).toEqual(value(1));
    await expect(stream.next()).rejects.toBe('broken');
    expect(await stream.next()).toEqual(END);
    await stream.return();
    expect(calls).toEqual({ pulls: 0, closes: 0 });
  });

  test('an error rejects the pending next; the ones behind it get the end', async () => {
    const { stream } = rig();
    const [first, second] = [stream.next(), stream.next()];
    stream.fail('broken');
    await expect(first).rejects.toBe('broken');
    expect(await second).toEqual(END);
  });
});

describe('STR-06: leaving', () => {
  test('STR-06: return settles a pending next at once, closes the source once, and waits for that', async () => {
    let closed = (): void => {};
    const { stream, calls } = rig(() => new Promise<void>((resolve) => (closed = resolve)));
    const pending = [stream.next(), stream.next()];
    let left = 0;
    const leaving = [stream.return(), stream.return()].map((leave) => leave.then(() => (left += 1)));
    expect(await Promise.all(pending)).toEqual([END, END]);
    await settle();
    expect(left).toBe(0);
    closed();
    await Promise.all(leaving);
    expect(calls).toEqual({ pulls: 1, closes: 1 });
  });

  test('STR-06: return drops buffered values and an unreported error', async () => {
    const { stream, calls } = rig();
    stream.push(1);
    stream.fail('broken');
    await stream.return();
    stream.push(2);
    expect(await stream.next()).toEqual(END);
    expect(calls).toEqual({ pulls: 0, closes: 0 });
  });

  test('STR-06: return reports an error of closing; abandon does not, and reports its own at once', async () => {
    const left = rig(() => Promise.reject(new Error('cannot close')));
    await expect(left.stream.return()).rejects.toThrow('cannot close');
    for (const onClose of [() => Promise.reject(new Error('cannot close')), () => new Promise<void>(() => {})]) {
      const { stream, calls } = rig(onClose);
      const pending = stream.next();
      stream.abandon('broken');
      stream.abandon('again');
      await expect(pending).rejects.toBe('broken');
      expect(calls.closes).toBe(1);
    }
    const { stream } = rig(() => {
      throw new Error('cannot close');
    });
    stream.abandon('broken');
    await expect(stream.next()).rejects.toBe('broken');
    expect(await stream.return()).toEqual(END);
  });

  test('STR-06: leaving a loop closes the source through all streams between', async () => {
    const { stream, calls } = rig();
    stream.push(1);
    for await (const n of new PullStream(pullSourceOf(new PullStream(pullSourceOf(stream))))) {
      expect(n).toBe(1);
      break;
    }
    expect(calls).toEqual({ pulls: 0, closes: 1 });
  });
});

describe('IteratorSource', () => {
  const read = (iterator: unknown): PullStream<number> =>
    new PullStream(new IteratorSource(iterator as AsyncIterator<number>));

  test.each([undefined, null])(
    'STR-05, U1: an iterator whose next resolves with %s fails the stream',
    async (result) => {
      const stream = read({ next: () => Promise.resolve(result) });
      await expect(stream.next()).rejects.toThrow(TypeError);
    },
  );

  test('any async iterator is read by its next and closed by its return', async () => {
    let closed = false;
    async function* numbers(): AsyncGenerator<number, string> {
      try {
        yield 1;
        yield 2;
        return 'ignored';
      } finally {
        closed = true;
      }
    }
    const stream = read(numbers());
    expect([await stream.next(), await stream.next(), await stream.next()]).toEqual([value(1), value(2), END]);
    closed = false;
    for await (const _ of read(numbers())) break;
    expect(closed).toBe(true);
  });

  test('an iterator may throw, reject, return no promise, and have no return', async () => {
    const boom = new Error('boom');
    const thrown = read({
      next: () => {
        throw boom;
      },
    });
    await expect(thrown.next()).rejects.toBe(boom);
    await expect(read({ next: () => Promise.reject(boom) }).next()).rejects.toBe(boom);
    const sloppy = read({ next: () => ({ done: false, value: 1 }) });
    expect(await sloppy.next()).toEqual(value(1));
    expect(await sloppy.return()).toEqual(END);
  });

  test('what arrives after the consumer has left is ignored', async () => {
    let fail: (error: Error) => void = () => {};
    const stream = read({ next: () => new Promise((_, reject) => (fail = reject)) });
    const pending = stream.next();
    await stream.return();
    expect(await pending).toEqual(END);
    fail(new Error('late'));
    await settle();
    expect(await stream.next()).toEqual(END);
  });
});
