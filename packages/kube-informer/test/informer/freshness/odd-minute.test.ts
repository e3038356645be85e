import { describe, expect, test } from 'vitest';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import type { Pod } from '../rig/informer-rig.ts';
import { TimedServer } from '../rig/timed-server.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FIRST_VERSION = 1_000;
/** Leases of other resources: ten are renewed every 4 s. */
const LEASES = 10;
const RENEW_MS = 4_000;
/** The watch is opened at the beginning; its bookmarks come every minute after that. */
const LAST_COMMON_BOOKMARK = 4 * MINUTE;
const CUT_OFF = LAST_COMMON_BOOKMARK + 1_000;

const evenVersion = (now: number): number => FIRST_VERSION + Math.floor(now / RENEW_MS) * LEASES;

/**
 * In the odd world the writes of one minute come in its first second, and then the server is cut off from its storage, where an
 * object of the informer is written: it is not sent.
 */
const ODD = {
  versionAt: (now: number): number => evenVersion(now > LAST_COMMON_BOOKMARK ? LAST_COMMON_BOOKMARK + MINUTE : now),
  answersAt: (now: number): boolean => now < CUT_OFF,
};

interface Played {
  readonly server: TimedServer;
  /** The state of the informer at every second. */
  readonly states: readonly string[];
}

async function play(isOdd: boolean, ms: number): Promise<Played> {
  const env = fakeEnv({ random: 0.9 });
  const server = new TimedServer(env, isOdd ? ODD : { versionAt: evenVersion });
  const informer = new SharedInformer<Pod>(server, { env, name: 'pods', watchList: false });
  informer.start();
  const states: string[] = [];
  for (let at = 0; at < ms; at += 1_000) {
    await env.clock.advance(1_000);
    states.push(informer.state.kind);
  }
  await informer.stop();
  return { server, states };
}

/**
 * Why `synced` may be 135 s behind in one odd minute, and why that is the price of 16 requests an hour.
 *
 * Versions tell no time. Of a cluster with an even pace (A) and of one in which the writes of a minute come at once, before
 * its server loses the storage (B), a client sees the same frames at the same times, until the bookmark after the next. So a
 * client that is right in B within 75 s must ask, in B, between the bookmark and 76 s later; and because it cannot
 * know that it is not in A, it must do so in A, too: after every bookmark, about 47 times an hour besides its watches.
 */
describe('a server that is cut off from its storage in an odd minute', () => {
  test('G19, G22: an even cluster costs no more than 16 requests an hour, and is synced throughout', async () => {
    const { server, states } = await play(false, HOUR);
    expect(new Set(states.slice(2))).toEqual(new Set(['synced']));
    // Watches of nine and a half minutes here, with an echo each; one more question measures the pace.
    expect(server.requests().length).toBeLessThanOrEqual(16);
  });

  test('G19: whatever a client sees is the same as in an even cluster, until the bookmark after the next', async () => {
    const [even, odd] = await Promise.all([play(false, 10 * MINUTE), play(true, 10 * MINUTE)]);
    const until = LAST_COMMON_BOOKMARK + 2 * MINUTE;
    const before = ({ server }: Played): unknown => server.transcript.filter(({ at }) => at < until - 1_000);
    expect(before(odd)).toEqual(before(even));
    expect(odd.server.transcript).not.toEqual(even.server.transcript.slice(0, odd.server.transcript.length));
    // Nothing is asked meanwhile: the only thing that could tell.
    expect(even.server.requests().filter((at) => at > LAST_COMMON_BOOKMARK && at < until)).toEqual([]);
    // 75 s after the write that the cache has not received.
    const second = (at: number): number => Math.ceil(at / 1_000);
    expect(odd.states[second(CUT_OFF + 76_000)]).toBe('synced');
  });

  test('G19: it is found by the bookmark after the next: at most 135 s behind', async () => {
    const { states } = await play(true, 10 * MINUTE);
    const last = states.lastIndexOf('synced') + 1;
    expect(last * 1_000 - CUT_OFF).toBeLessThanOrEqual(135_000);
    expect(last * 1_000 - CUT_OFF).toBeGreaterThan(75_000);
  });
});
