import { expect, test } from 'vitest';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import type { Pod } from '../rig/informer-rig.ts';
import { TimedServer, type TimedWorld } from '../rig/timed-server.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** Writes of other resources, minute by minute. */
const UNEVEN = [90, 10, 300, 40, 700, 5, 120, 60, 20, 500];

const unevenVersion = (now: number): number => {
  const minutes = Math.floor(now / MINUTE);
  const writes = (minute: number): number => UNEVEN[minute % UNEVEN.length] ?? 0;
  let version = 1_000;
  for (let minute = 0; minute < minutes; minute += 1) version += writes(minute);
  return version + Math.floor((writes(minutes) * (now % MINUTE)) / MINUTE);
};

async function anHour(world: TimedWorld): Promise<{ readonly server: TimedServer; readonly states: Set<string> }> {
  const env = fakeEnv({ random: 0.9 });
  const server = new TimedServer(env, world);
  const informer = new SharedInformer<Pod>(server, { env, name: 'pods', watchList: false });
  informer.start();
  await env.clock.advance(2_000);
  const states = new Set<string>();
  for (let at = 0; at < HOUR; at += 1_000) {
    await env.clock.advance(1_000);
    states.add(informer.state.kind);
  }
  await informer.stop();
  return { server, states };
}

test('G22: where the writes of a cluster are uneven, one request before each bookmark is enough, also before the last of a watch', async () => {
  const { server, states } = await anHour({ versionAt: unevenVersion });
  expect(states).toEqual(new Set(['synced']));
  const watches = server.requests('long').length;
  // A bookmark a minute, and the last one of each watch; an echo after each opening.
  expect(server.requests('echo').length).toBeLessThanOrEqual(60 + 2 * watches);
  // The first pace that was measured is tried, and fails.
  expect(server.requests('short').length).toBeLessThanOrEqual(1);
});

test('G22: where bookmarks do not advance, the request before one also serves the short watch after it: two requests a minute', async () => {
  const { server, states } = await anHour({ versionAt: unevenVersion, bookmarkAt: () => 1_001 });
  expect(states).toEqual(new Set(['synced']));
  const watches = server.requests('long').length;
  expect(server.requests('echo').length).toBeLessThanOrEqual(60 + 2 * watches);
  expect(server.requests('short').length).toBeLessThanOrEqual(60 + 2 * watches);
});
