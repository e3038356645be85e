import { describe, expect, test } from 'vitest';
import { errorMessageOf } from '../../../src/core/errors.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  broken,
  deleted,
  list,
  listFails,
  modified,
  newestList,
  pod,
  rig as scripted,
  type Rig,
  type Step,
  watch,
  watchAt,
  watchFails,
} from '../rig/reflector-rig.ts';

const rig = (...steps: readonly Step[]): Rig => scripted(steps, { watchList: false });
const unversioned = (...names: readonly string[]): Step => list(names.map((name) => pod(name, 1)), ''); // prettier-ignore
const verbs = ({ calls }: Rig): string[] => calls.map(({ verb }) => verb);

describe('a server whose lists have no version', () => {
  test('G5: what was deleted between the list and the watch is found by a second list, and healed by a third', async () => {
    const { sink, clock, start, stop, calls, reflector } = rig(
      unversioned('a', 'b'),
      watch(added('a', 1)),
      unversioned('a'),
      unversioned('a'),
      watch(added('a', 1)),
    );
    await start();
    expect(sink.text).toBe('a@1 b@1');
    await clock.advance(1_000);
    expect(calls).toHaveLength(3);
    // The delete may be on the way: it has a second.
    await clock.advance(999);
    expect(reflector.problem).toBeUndefined();
    await clock.advance(1);
    expect(errorMessageOf(reflector.problem?.error)).toMatch(/web\/b is gone without a DELETED event/);
    await clock.advance(800);
    expect(sink.text).toBe('a@1');
    expect(calls).toEqual([newestList, watchAt(''), newestList, newestList, watchAt('')]);
    await stop();
  });

  test('one whose watch sends an event for everything is not listed again', async () => {
    const one = rig(unversioned('a', 'b'), watch(added('a', 1), added('b', 1)));
    await one.start();
    await one.clock.advance(45_000);
    expect(verbs(one)).toEqual(['list', 'watch']);
    await one.stop();
  });

  test('neither is one whose later events cover all objects', async () => {
    const one = rig(unversioned('a', 'b'), watch());
    await one.start();
    one.streams[0]?.push(deleted('a', 2), modified('b', 3));
    await one.clock.advance(60_000);
    expect(verbs(one)).toEqual(['list', 'watch']);
    expect(one.sink.text).toBe('b@3');
    await one.stop();
  });

  test('a delete that was on the way costs no third list', async () => {
    const one = rig(unversioned('a', 'b'), watch(added('a', 1)), unversioned('a'));
    await one.start();
    await one.clock.advance(1_500);
    one.streams[0]?.push(deleted('b', 2));
    await one.clock.advance(60_000);
    expect(verbs(one)).toEqual(['list', 'watch', 'list']);
    expect(one.sink.text).toBe('a@1');
    await one.stop();
  });

  test('a stream that delivers nothing may not be open yet: the list is repeated, each time later, until an event arrives', async () => {
    const one = rig(unversioned('a'), watch(), unversioned('a'), listFails(broken()), unversioned('a'), unversioned('a'));
    await one.start();
    await one.clock.advance(1_000 + 2_000 + 4_000);
    expect(one.times).toEqual([0, 0, 1_000, 3_000, 7_000]);
    one.streams[0]?.push(added('b', 2));
    await one.clock.advance(8_000);
    expect(one.times.at(-1)).toBe(15_000);
    await one.clock.advance(200_000);
    expect(one.times).toHaveLength(6);
    await one.stop();
  }); // prettier-ignore

  test('after a break everything is in doubt again, as long as no event has given it a place', async () => {
    const one = rig(
      unversioned('a', 'b'),
      watchFails(broken(), added('a', 1), added('b', 1)),
      watch(added('a', 1)),
      unversioned('a'),
      unversioned('a'),
      watch(added('a', 1)),
    );
    await one.start();
    expect(one.sink.text).toBe('a@1 b@1');
    await one.clock.advance(1_000 + 1_000 + 800);
    await settle();
    expect(one.sink.text).toBe('a@1');
    await one.stop();
  });

  test('a place does not settle what was in doubt before; a list from then on does, and the book is closed', async () => {
    const one = rig(
      unversioned('a', 'b'),
      watchFails(broken(), added('a', 1), modified('a', 5)),
      watch(modified('a', 6)),
      unversioned('a', 'b'),
    );
    await one.start();
    await one.clock.advance(60_000);
    expect(one.calls.slice(2)).toEqual([watchAt(5), newestList]);
    expect(one.sink.text).toBe('a@6 b@1');
    one.streams[1]?.fail(broken());
    await settle();
    await one.stop();
  });

  test('a stop in the middle of the probe ends it at once', async () => {
    const one = rig(unversioned('a', 'b'), watch(added('a', 1)), unversioned('a'));
    await one.start();
    await one.clock.advance(1_500);
    await one.stop();
    expect(one.sink.text).toBe('a@1 b@1');
  });

  test('a list with a version is never doubted', async () => {
    const one = rig(list([pod('a', 1)], 10), watch());
    await one.start();
    await one.clock.advance(60_000);
    expect(verbs(one)).toEqual(['list', 'watch']);
    await one.stop();
  });
});
