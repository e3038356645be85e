import { describe, expect, test } from 'vitest';
import { settle } from '../../src/testing/fake-clock.ts';
import { EventPipe } from '../../src/testing/event-pipe.ts';
import { countListeners } from '../informer/rig/informer-rig.ts';

/** A pipe with one reader, and what the reader got. */
function rig() {
  const stop = new AbortController();
  const listeners = countListeners(stop.signal);
  let ends = 0;
  const pipe = new EventPipe<number>(stop.signal, () => (ends += 1));
  const got: unknown[] = [];
  const read = async (): Promise<void> => {
    try {
      for await (const event of pipe) got.push(event);
      got.push('end');
    } catch (error) {
      got.push(error);
    }
  };
  return { stop, listeners, pipe, got, read, ends: () => ends };
}

describe('EventPipe', () => {
  test('OTH-04, STR-04: pushed events arrive in order, before and during a read', async () => {
    const { pipe, got, read } = rig();
    pipe.push(1);
    pipe.push(2);
    void read();
    await settle();
    pipe.push(3);
    await settle();
    pipe.push(4);
    pipe.push(5);
    await settle();
    expect(got).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([undefined, new Error('broken')])(
    'OTH-04, STR-05: what was pushed before the end still arrives, then the end or its error: %s',
    async (error) => {
      const { pipe, got, read, ends, listeners } = rig();
      pipe.push(1);
      pipe.end(error);
      pipe.push(2);
      pipe.end(new Error('twice'));
      await read();
      expect([got, ends(), listeners(), pipe.isEnded]).toEqual([[1, error ?? 'end'], 1, 0, true]);
      expect(await pipe.next()).toEqual({ done: true, value: undefined });
    },
  );

  test.each([undefined, new Error('broken')])(
    'OTH-04, STR-05: a reader that waits gets the end at once: %s',
    async (error) => {
      const { pipe, got, read } = rig();
      const reading = read();
      await settle();
      pipe.end(error);
      await reading;
      expect(got).toEqual([error ?? 'end']);
    },
  );

  test('OTH-04, STR-06: a reader that leaves ends the pipe and forgets what waited', async () => {
    const { pipe, ends, listeners } = rig();
    for (const event of [1, 2, 3]) pipe.push(event);
    for await (const event of pipe) if (event === 1) break;
    expect([pipe.isEnded, ends(), listeners()]).toEqual([true, 1, 0]);
    expect(await pipe.next()).toEqual({ done: true, value: undefined });
  });

  test('OTH-04, STR-06: an abort ends it, also one that came before', async () => {
    const { pipe, got, read, stop, ends, listeners } = rig();
    const reading = read();
    await settle();
    stop.abort();
    await reading;
    expect([got, ends(), listeners()]).toEqual([['end'], 1, 0]);
    pipe.push(9);
    const late = new EventPipe<number>(AbortSignal.abort());
    late.push(1);
    expect([late.isEnded, await late.next()]).toEqual([true, { done: true, value: undefined }]);
  });
});
