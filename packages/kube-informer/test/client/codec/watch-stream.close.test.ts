import { expect, test } from 'vitest';
import { decodeWatchStream } from '../../../src/client/codec/watch-stream.ts';
import type { KubeError } from '../../../src/core/errors.ts';
import type { WatchEvent } from '../../../src/core/object/watch-event.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { body, type BodyOptions, bytes, failureOf, type TestBody } from '../rig/bodies.ts';

type Stream = AsyncIterableIterator<WatchEvent<{ n: number }>, undefined>;

interface Rig {
  readonly source: TestBody;
  readonly stream: Stream & Required<Pick<Stream, 'return'>>;
}

const frame = (n: number): string => `{"type":"ADDED","object":{"n":${n}}}\n`;
const numberOf = (result: IteratorResult<WatchEvent<{ n: number }>, undefined>): unknown =>
  (result.value?.object as { n?: number } | undefined)?.n;

function rig(chunks: Iterable<Uint8Array | string>, options: BodyOptions = {}): Rig {
  const source = body(chunks, options);
  return { source, stream: decodeWatchStream<{ n: number }>(source) as Rig['stream'] };
}

/** A body that never delivers again, as in a quiet watch; closing it does not end the pending read. */
function silent(first: string): AsyncIterable<Uint8Array> & { closed: number } {
  let isFirst = true;
  const source = {
    closed: 0,
    [Symbol.asyncIterator]: () => ({
      next: (): Promise<IteratorResult<Uint8Array>> => {
        if (!isFirst) return new Promise(() => {});
        isFirst = false;
        return Promise.resolve({ done: false, value: bytes(first) });
      },
      return: () => {
        source.closed += 1;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  return source;
}

test('STR-06: leaving the iteration closes the body once', async () => {
  const { source, stream } = rig([frame(1), frame(2), frame(3)]);
  for await (const event of stream) if ((event.object as { n: number }).n === 2) break;
  expect(source).toMatchObject({ pulled: 2, closed: 1 });
});

test('STR-06: return is idempotent, waits for the body to close, and ends the stream', async () => {
  let release = (): void => {};
  const { source, stream } = rig([frame(1) + frame(2)], {
    onReturn: () => new Promise((resolve) => (release = resolve)),
  });
  expect(numberOf(await stream.next())).toBe(1);
  let closed = 0;
  const returns = [stream.return(), stream.return()].map(async (done) => {
    expect(await done).toEqual({ done: true, value: undefined });
    closed += 1;
  });
  await settle();
  expect(closed).toBe(0);
  release();
  await Promise.all(returns);
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  expect(await stream.return()).toEqual({ done: true, value: undefined });
  expect(source).toMatchObject({ pulled: 1, closed: 1 });
});

test('STR-06: return before the first event closes the body', async () => {
  const { source, stream } = rig([frame(1)]);
  await stream.return();
  expect(source).toMatchObject({ pulled: 0, closed: 1 });
});

test('STR-06: return settles a pending next, even if the body is still pending', async () => {
  const source = silent(frame(1));
  const stream = decodeWatchStream<{ n: number }>(source);
  expect(numberOf(await stream.next())).toBe(1);
  const waiting = stream.next();
  await stream.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(source.closed).toBe(1);
});

test('STR-06: the next frame is decoded only when it is asked for, and no chunk is read ahead', async () => {
  const { source, stream } = rig([`${frame(1)}not json\n`, frame(2)]);
  expect(numberOf(await stream.next())).toBe(1);
  await settle();
  expect(source.pulled).toBe(1);
  expect((await failureOf(stream.next())) as KubeError).toMatchObject({ code: 'WATCH_DECODE' });
  expect(source).toMatchObject({ pulled: 1, closed: 1 });
});

test('STR-06: a body that ended or failed by itself is not closed again', async () => {
  const ended = rig([frame(1)]);
  await ended.stream.next();
  expect((await ended.stream.next()).done).toBe(true);
  await ended.stream.return();
  expect(ended.source.closed).toBe(0);

  const failed = rig([], { error: new Error('gone') });
  expect(await failureOf(failed.stream.next())).toMatchObject({ message: 'gone' });
  expect((await failed.stream.next()).done).toBe(true);
  await failed.stream.return();
  expect(failed.source).toMatchObject({ pulled: 1, closed: 0 });
});

test('STR-06: an error in the bytes is reported at once, also when closing fails or hangs', async () => {
  for (const onReturn of [() => Promise.reject(new Error('cannot close')), () => new Promise<void>(() => {})]) {
    const { source, stream } = rig(['oops\n'], { onReturn });
    expect(await failureOf(stream.next())).toMatchObject({ code: 'WATCH_DECODE' });
    expect((await stream.next()).done).toBe(true);
    expect(source.closed).toBe(1);
  }
});

test('several events asked for at once come in order, then the end', async () => {
  const { stream } = rig([frame(1), frame(2) + frame(3), frame(4)]);
  const asked = Array.from({ length: 6 }, () => stream.next());
  expect((await Promise.all(asked)).map(numberOf)).toEqual([1, 2, 3, 4, undefined, undefined]);
});

test('a body that throws instead of rejecting, and answers without a promise, is read all the same', async () => {
  let calls = 0;
  const sloppy = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        calls += 1;
        if (calls === 2) throw new Error('at once');
        return { done: false, value: bytes(frame(1)) };
      },
    }),
  } as unknown as AsyncIterable<Uint8Array>;
  const stream = decodeWatchStream<{ n: number }>(sloppy);
  expect(numberOf(await stream.next())).toBe(1);
  expect(await failureOf(stream.next())).toMatchObject({ message: 'at once' });
  await stream.return?.();
});

test('F51: events of one chunk give the event loop its turn once ten milliseconds have passed', async () => {
  const env = fakeEnv();
  let yields = 0;
  const source = body([Array.from({ length: 1_000 }, (_, n) => frame(n)).join('')]);
  const stream = decodeWatchStream<{ n: number }>(source, {
    env: { ...env, yield: () => ((yields += 1), Promise.resolve()) },
  });
  const seen: unknown[] = [];
  for await (const event of stream) {
    seen.push((event.object as { n: number }).n);
    env.clock.freeze(0.5);
  }
  expect(seen).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  // 500 ms of work; the first events are watched one by one: a turn after 20 of them, of 0.5 ms each.
  expect(yields).toBe(50);
});

test('F51: large events count as many: a look at the clock every 32 kilobytes at the latest', async () => {
  const env = fakeEnv();
  let yields = 0;
  const big = `{"type":"ADDED","object":{"data":"${'x'.repeat(40_000)}"}}\n`;
  const stream = decodeWatchStream(body([big.repeat(10)]), {
    env: { ...env, yield: () => ((yields += 1), Promise.resolve()) },
  });
  for await (const _ of stream) env.clock.freeze(10);
  expect(yields).toBe(10);
});

test('STR-06: leaving during such a pause ends the stream, and nothing more is read', async () => {
  const env = fakeEnv();
  let go = (): void => {};
  const source = body([frame(1).repeat(31), frame(2)]);
  const stream = decodeWatchStream<{ n: number }>(source, {
    env: { ...env, yield: () => new Promise((resolve) => (go = resolve)) },
  });
  for (let i = 0; i < 31; i += 1) await stream.next();
  env.clock.freeze(10);
  const waiting = stream.next();
  await stream.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  go();
  await settle();
  expect(source).toMatchObject({ pulled: 1, closed: 1 });
});
