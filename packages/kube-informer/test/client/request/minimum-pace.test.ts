import { describe, expect, test } from 'vitest';
import { atMinimumPace } from '../../../src/client/request/minimum-pace.ts';
import { discardResponseBody } from '../../../src/client/request/response.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { transportFailureReason } from '../../../src/client/transport/transport-failure.ts';
import { body, collect } from '../rig/bodies.ts';

/** A body with a chunk of `size` bytes every `everyMs`, read by a reader that takes `readMs` for each. */
async function read(size: number, everyMs: number, count: number, readMs = 0) {
  const { clock, ...env } = fakeEnv();
  const state = { closed: 0, sent: 0 };
  const source = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (state.sent === count) return { done: true as const, value: undefined };
        state.sent += 1;
        await env.sleep(everyMs);
        return { done: false as const, value: new Uint8Array(size) };
      },
      return: async () => {
        state.closed += 1;
        return { done: true as const, value: undefined };
      },
    }),
  };
  const reading = (async () => {
    let received = 0;
    for await (const chunk of atMinimumPace(source, env, 'GET /api/v1/pods')) {
      received += chunk.length;
      await env.sleep(readMs);
    }
    return received;
  })().then(
    (received) => ({ received, error: undefined }),
    (error: unknown) => ({ received: -1, error }),
  );
  await clock.advance((everyMs + readMs) * (count + 1));
  return { ...(await reading), ...state };
}

describe('a body needs a minimum pace', () => {
  test('F11: one byte in 20 seconds is given up after a minute, and the body is closed', async () => {
    const { error, sent, closed } = await read(1, 20_000, 1_000);
    expect(error).toMatchObject({
      code: 'TRANSPORT',
      message: expect.stringContaining('only 3 bytes of the body arrived in 60 s') as string,
    });
    expect(transportFailureReason(error)).toBe('ERR_TOO_SLOW');
    expect([sent, closed]).toEqual([3, 1]);
  });

  test('F11: a large list on a slow link is read to its end, however long it takes', async () => {
    const { received, error } = await read(3_000, 10_000, 2_000);
    expect([error, received]).toEqual([undefined, 6_000_000]);
  });

  test('F11, F13: the time the reader takes does not count', async () => {
    const { received, error } = await read(10, 1_000, 50, 300_000);
    expect([error, received]).toEqual([undefined, 500]);
  });

  test('F11: each minute is judged by itself', async () => {
    const { clock, ...env } = fakeEnv();
    async function* source(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10_000_000);
      for (let n = 0; n < 10; n += 1) {
        await env.sleep(30_000);
        yield new Uint8Array(1);
      }
    }
    const reading = collect(atMinimumPace(source(), env, 'x'));
    await clock.advance(600_000);
    const { values, error } = await reading;
    expect(error).toMatchObject({ code: 'TRANSPORT' });
    // The first window has the ten million bytes in it, the second has two.
    expect(values).toHaveLength(4);
  });

  test('leaving early, or not beginning at all, closes the body', async () => {
    const left = body(['a', 'b']);
    for await (const _ of atMinimumPace(left, fakeEnv(), 'x')) break;
    const unread = body(['a']);
    await discardResponseBody(atMinimumPace(unread, fakeEnv(), 'x'));
    expect([left.closed, unread.closed]).toEqual([1, 1]);
  });
});
