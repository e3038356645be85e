import { beforeAll, expect, test } from 'vitest';
import { expectFailure, expectStatus } from '../rig/failures.ts';
import { type Fixture, lease, names, ok, type Space } from '../rig/fixture.ts';
import type { Frame } from '../rig/target.ts';

/** Cases 37 and 74: after a compaction. They need a target with controls, and run alone. */
export function compactionCases(fixture: () => Fixture): void {
  let space: Space;
  let old: string;
  let token: string;

  beforeAll(async () => {
    const f = fixture();
    space = await f.space();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await f.create(space.leases, lease(name));
    const first = await f.get(space.leases, { limit: 2 });
    old = first.metadata.resourceVersion;
    token = first.metadata.continue ?? '';
    await f.remove(`${space.leases}/d`);
    await f.create(space.leases, lease('f'));
    await f.target.controls?.compact();
  }, 180_000);

  test('case 37: an old continue token expires, and its Status has a token to continue with', async ({ skip }) => {
    const f = fixture();
    if (f.target.controls === undefined) skip('the target has no controls');
    const expired = await f.http.ask('GET', space.leases, { query: { limit: 2, continue: token } });
    const { metadata } = expectFailure(expired, 410, 'Expired');
    const next = metadata.continue ?? '';
    expect(next).not.toBe('');
    const rest = await f.get(space.leases, { limit: 2, continue: next });
    expect(names(rest)).toEqual(['c', 'e']);
    expect(Number(rest.metadata.resourceVersion)).toBeGreaterThan(Number(old));
    const last = await f.get(space.leases, { limit: 2, continue: rest.metadata.continue ?? '' });
    expect(names(last)).toEqual(['f']);
    expect(last.metadata.resourceVersion).toBe(rest.metadata.resourceVersion);
  });

  test('case 37b: an exact list of a compacted version expires', async ({ skip }) => {
    const f = fixture();
    if (f.target.controls === undefined) skip('the target has no controls');
    for (const query of [{ resourceVersionMatch: 'Exact' }, { limit: 500 }]) {
      const answer = await f.http.ask('GET', space.leases, { query: { resourceVersion: old, ...query } });
      expectFailure(answer, 410, 'Expired', { message: 'The resourceVersion for the provided list is too old.' });
    }
    const present = ok(await f.http.ask('GET', space.leases, { query: { resourceVersion: old } }));
    expect(names(present).sort()).toEqual(['a', 'b', 'c', 'e', 'f']);
  });

  test('case 74: a watch from a compacted version gets one ERROR event', async ({ skip }) => {
    const f = fixture();
    if (f.target.controls === undefined) skip('the target has no controls');
    using watch = await f.http.watch(space.leases, { resourceVersion: old, allowWatchBookmarks: true });
    const frames = await watch.rest();
    expect(frames.map(({ type }) => type)).toEqual(['ERROR']);
    expectStatus(frames[0]?.object as Frame['object'], 410, 'Expired', {
      message: new RegExp(`^too old resource version: ${old} \\(\\d+\\)$`),
    });
  });
}
