import fc from 'fast-check';
import { reasonOf } from '../../../src/informer/reflector/watch-error.ts';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { seededRandom } from '../../../src/testing/fake-clock.ts';
import { type FakeSource, statusFailure } from '../../../src/testing/fake-source.ts';
import { broken, failure, pod, refused, serverRig, throttled } from '../rig/reflector-rig.ts';

/** What a server that answers normally needs at most: 75 s of silence, one wait of 60 s, one list. */
const BOUND_MS = 75_000 + 60_000;

function rig(options: Parameters<typeof serverRig>[0] = {}): ReturnType<typeof serverRig> {
  const made = serverRig(options);
  for (const name of ['a', 'b', 'c']) made.server.create(pod(name, 0));
  return made;
}

const lists = (verbs: readonly string[]): number => verbs.filter((verb) => verb !== 'watch').length;

describe('a watch that breaks', () => {
  test('G18: a cut inside the history is resumed: nothing is listed, nothing is lost, nothing comes twice', async () => {
    const { server, sink, verbs, clock, expectEqual, start, stop } = rig();
    await start();
    sink.lines.length = 0;
    server.cut(broken());
    server.create(pod('d', 0));
    server.delete('web/a');
    await clock.advance(800);
    expect(sink.lines).toEqual(['add d@5', 'delete a@6']);
    expect(verbs()).toEqual(['watch-list', 'watch']);
    expectEqual();
    await stop();
  });

  test.each([true, false])(
    'F19, G4: a partition longer than the history, with streaming %s: 410, a new state, exact to the last delete',
    async (watchList) => {
      const { server, clock, verbs, expectEqual, errors, start, stop } = rig({ watchList });
      await start();
      server.cut(broken());
      server.failNext('watch', refused(), 8);
      for (let minute = 0; minute < 10; minute += 1) {
        server.create(pod(`p${minute}`, 0));
        server.update(pod('b', 0));
        await clock.advance(5_000);
      }
      server.delete('web/a');
      server.delete('web/p3');
      server.expireHistory();
      await clock.advance(BOUND_MS);
      expectEqual();
      expect(lists(verbs())).toBeGreaterThanOrEqual(2);
      expect(errors.map(reasonOf)).not.toContain('expired');
      await stop();
    },
  );

  test('F22, F23: an ERROR inside the stream: 410 lists, 500 resumes; the state is right either way', async () => {
    for (const code of [410, 500]) {
      const { server, clock, verbs, expectEqual, start, stop } = rig();
      await start();
      server.send(failure(code, code === 410 ? 'Expired' : 'InternalError'));
      server.create(pod('z', 0));
      await clock.advance(800);
      expect(lists(verbs())).toBe(code === 410 ? 2 : 1);
      expectEqual();
      await stop();
    }
  });

  test('F27, F58: a replay of what was already applied changes nothing', async () => {
    const { server, sink, clock, expectEqual, start, stop } = rig();
    await start();
    server.update(pod('a', 0));
    server.update(pod('a', 0));
    server.update(pod('b', 0));
    await clock.advance(0);
    const before = sink.lines.length;
    server.repeat(3);
    await clock.advance(0);
    // Only the newest, which is not older than what was seen, may pass again; the store sees the same state.
    expect(sink.lines.slice(before)).toEqual(['update b@7']);
    expectEqual();
    await stop();
  });
});

describe('a server that refuses', () => {
  test('F38, G15, G16: forbidden from the start: retried slowly without a limit, the reason is readable, and it recovers', async () => {
    const { server, reflector, errors, sink, clock, expectEqual, start, stop } = rig();
    const no = statusFailure(403, 'Forbidden', 'pods is forbidden');
    server.failNext('watch', no, 5);
    server.failNext('list', no, 5);
    await start();
    await clock.advance(10_000);
    expect(reflector.problem?.reason).toBe('forbidden');
    expect(reflector.state.kind).toBe('waiting');
    expect(sink.lines).toEqual([]);
    expect(errors).toHaveLength(1);
    await clock.advance(60_000);
    expect(reflector.problem).toBeUndefined();
    expectEqual();
    await stop();
  });

  test('F38, G2: rights removed while running: the cache stays as it is and is marked, until they are back', async () => {
    const { server, reflector, sink, clock, expectEqual, start, stop } = rig();
    await start();
    const no = statusFailure(403, 'Forbidden', 'no');
    server.failNext('watch', no, 4);
    server.failNext('list', no, 3);
    server.cut();
    server.delete('web/a');
    await clock.advance(5_000);
    expect(reflector.problem?.reason).toBe('forbidden');
    expect(sink.text).toBe('a@2 b@3 c@4');
    await clock.advance(BOUND_MS);
    expectEqual();
    await stop();
  });

  test('F39: a kind that is not installed is waited for; when it is removed nothing is deleted before an empty list', async () => {
    const { server, reflector, sink, clock, expectEqual, start, stop } = rig();
    const missing = statusFailure(404, 'NotFound', 'the server could not find the requested resource');
    server.failNext('watch', missing, 2);
    server.failNext('list', missing, 2);
    await start();
    expect(reflector.problem?.reason).toBe('not-found');
    await clock.advance(5_000);
    expectEqual();
    for (const name of ['a', 'b', 'c']) server.delete(`web/${name}`);
    server.expireHistory();
    await clock.advance(0);
    sink.lines.length = 0;
    server.create(pod('later', 0));
    await clock.advance(0);
    expect(sink.text).toBe('later@8');
    // Removed: everything is 404 again, and the cache keeps what it has.
    server.failNext('watch', missing, 3);
    server.failNext('list', missing, 3);
    server.cut();
    await clock.advance(10_000);
    expect(sink.text).toBe('later@8');
    expect(reflector.problem?.reason).toBe('not-found');
    // Installed again, empty: now it is gone.
    server.restore([], 20);
    await clock.advance(BOUND_MS);
    expect(sink.text).toBe('');
    await stop();
  });
});

describe('a server that loses events', () => {
  test.each<[string, (server: FakeSource) => void]>([
    [
      'F31: a bookmark that ran ahead of an undelivered event',
      (server) => {
        server.loseNext(1);
        server.create(pod('lost', 0));
        server.bookmark();
      },
    ],
    [
      'F32: an event that was never sent',
      (server) => {
        server.loseNext(1);
        server.update(pod('b', 0));
        server.update(pod('c', 0));
      },
    ],
    [
      'F33: a delete that was never sent',
      (server) => {
        server.loseNext(1);
        server.delete('web/a');
      },
    ],
  ])('%s cannot be seen from here; a list on request heals it', async (_, lose) => {
    const { server, reflector, clock, expectEqual, start, stop } = rig();
    await start();
    lose(server);
    await clock.advance(10_000);
    expect(() => expectEqual()).toThrow();
    reflector.requestRelist(new Error('the audit found differences'));
    await clock.advance(1_000);
    expectEqual();
    await stop();
  });
});

test('F43: an object that appears twice between two pages reaches the sink as it was listed: the newest state wins there', async () => {
  const { server, sink, clock, start, stop } = rig({
    watchList: false,
    pageSize: 2,
    wrap: (source) => ({
      watch: source.watch,
      async list(options, signal) {
        const page = await source.list(options, signal);
        return options.continue === undefined ? page : { ...page, items: [pod('a', 2), ...page.items] };
      },
    }),
  });
  await start();
  await clock.advance(0);
  expect(sink.lines[0]).toBe('replace@4 [a@2 b@3 a@2 c@4]');
  expect(sink.state.size).toBe(server.objects.length);
  await stop();
});

type Fault =
  | { readonly kind: 'create' | 'update' | 'delete'; readonly name: string }
  | { readonly kind: 'cut' | 'close' | 'expire' | 'bookmark' | 'nonsense' | 'gone' | 'internal' | 'repeat' }
  | { readonly kind: 'fail'; readonly verb: 'list' | 'watch'; readonly how: number; readonly times: number }
  | { readonly kind: 'wait'; readonly ms: number };

const ERRORS = [
  refused(),
  broken(),
  throttled(2),
  statusFailure(500, 'InternalError', 'boom'),
  statusFailure(403, 'Forbidden', 'no'),
];

const fault: fc.Arbitrary<Fault> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('create', 'update', 'delete'),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('cut', 'close', 'expire', 'bookmark', 'nonsense', 'gone', 'internal', 'repeat'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fail'),
      verb: fc.constantFrom('list', 'watch'),
      how: fc.nat(ERRORS.length - 1),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.integer({ min: 0, max: 40_000 }) }) },
);

/** Answers the next requests of a kind with errors, until healed. */
class Failures {
  #next: { readonly verb: 'list' | 'watch'; readonly error: unknown }[] = [];

  add(verb: 'list' | 'watch', error: unknown, times: number): void {
    for (let i = 0; i < times; i += 1) this.#next.push({ verb, error });
  }

  heal(): void {
    this.#next = [];
  }

  readonly wrap = (source: ListWatch<KubeObject>): ListWatch<KubeObject> => ({
    list: async (options, signal) => {
      this.#throwNext('list');
      return source.list(options, signal);
    },
    watch: (options, signal) => {
      this.#throwNext('watch');
      return source.watch(options, signal);
    },
  });

  #throwNext(verb: 'list' | 'watch'): void {
    const at = this.#next.findIndex((failure) => failure.verb === verb);
    if (at !== -1) throw this.#next.splice(at, 1)[0]?.error;
  }
}

function inject(server: FakeSource, failures: Failures, step: Fault): void {
  if (step.kind === 'create') server.update(pod(step.name, 0));
  else if (step.kind === 'update') server.update(pod(step.name, 0));
  else if (step.kind === 'delete') server.delete(`web/${step.name}`);
  else if (step.kind === 'cut') server.cut(broken());
  else if (step.kind === 'close') server.cut();
  else if (step.kind === 'expire') server.expireHistory();
  else if (step.kind === 'bookmark') server.bookmark();
  else if (step.kind === 'nonsense') server.send({ type: 'WHAT', object: {} } as never);
  else if (step.kind === 'gone') server.send(failure(410, 'Expired'));
  else if (step.kind === 'internal') server.send(failure(500, 'InternalError'));
  else if (step.kind === 'repeat') server.repeat(2);
  else if (step.kind === 'fail') failures.add(step.verb, ERRORS[step.how], step.times);
}

test('G4, G8, G16: property: whatever went wrong, 135 s after the last fault the sink is the server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { maxLength: 25 }), fc.boolean(), fc.nat(), async (steps, watchList, seed) => {
      const failures = new Failures();
      const { wrap } = failures;
      const { server, clock, expectEqual, reflector, start, stop } = rig({
        watchList,
        random: seededRandom(seed),
        wrap,
      });
      await start();
      for (const step of steps) {
        inject(server, failures, step);
        await clock.advance(step.kind === 'wait' ? step.ms : 1);
      }
      failures.heal();
      await clock.advance(BOUND_MS);
      expectEqual();
      // This source ignores the lifetime of a watch and sends no bookmarks: once polled, nothing shows that its watches work.
      expect(['watching', 'polling', 'listing']).toContain(reflector.state.kind);
      await stop();
    }),
    { numRuns: 150 },
  );
});
