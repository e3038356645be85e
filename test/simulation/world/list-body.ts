import { KubeError } from 'kube-informer/core';
import { atMinimumPace } from '../../../packages/kube-informer/src/client/request/minimum-pace.ts';
import { TOO_LARGE_BODY } from '../../../packages/kube-informer/src/core/status.ts';
import type { Call } from './call.ts';
import type { WorldParts } from './world.ts';

/** How the client reads a body. The zoo has its own copies, with a bug each. */
export type Pace = typeof atMinimumPace;

const BYTE_EVERY_MS = 20_000;

/** The client's error for a response above `maxResponseBytes`. */
export function tooManyItems(items: number, maxItems: number): Error {
  const cause = Object.assign(new Error('the list is too long'), { code: TOO_LARGE_BODY });
  return new KubeError('LIST_INVALID', `the list has ${items} items, ${maxItems} are read`, { cause });
}

/** Resolves when all bytes have come, one by one, through the client's own reader; rejects when the reader gives up. */
export async function trickle(call: Call<never>, bytes: number, { clock, pace }: WorldParts): Promise<void> {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < bytes; i += 1) {
      await new Promise<void>((resolve) => call.later(BYTE_EVERY_MS, resolve));
      yield new Uint8Array(1);
    }
  }
  const read = pace ?? atMinimumPace;
  for await (const _ of read(body(), { now: () => clock.monotonic() }, 'GET /items'));
}
