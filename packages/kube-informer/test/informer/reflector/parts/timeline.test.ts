import { expect, test } from 'vitest';
import { Timeline } from '../../../../src/informer/reflector/timeline.ts';
import { fakeEnv } from '../../../../src/testing/fake-clock.ts';
import { broken, failure, pod, serverRig } from '../../rig/reflector-rig.ts';

test('REF-18: the timeline of a reflector records its steps, their durations and reasons', async () => {
  const { server, reflector, clock, env, start, stop } = serverRig({ resyncMs: 5_000 });
  server.create(pod('a', 0));
  await start();
  const startedAt = env.wallNow();
  server.create(pod('b', 0));
  await clock.advance(2_000);
  server.send(failure(500, 'InternalError'));
  await clock.advance(800);
  await clock.advance(4_000);
  const brief = reflector.timeline.map(({ kind, startedAt: at, endedAt, objects, because }) => [
    kind,
    at - startedAt,
    endedAt === undefined ? 'goes on' : endedAt - startedAt,
    objects,
    because,
  ]);
  expect(brief).toEqual([
    ['stream', 0, 0, 1, undefined],
    ['watch', 0, 2_000, 1, expect.stringContaining('InternalError')],
    ['wait', 2_000, 2_800, 0, expect.stringContaining('InternalError')],
    ['watch', 2_800, 'goes on', 0, undefined],
    ['resync', 5_000, 5_000, 0, undefined],
  ]);
  expect(reflector.timeline.map((step) => step.resourceVersion)).toEqual(['2', '2', undefined, '3', undefined]);
  await stop();
});

test('REF-18: a list that failed, and a storage that is another one, are steps of the timeline', async () => {
  const { server, reflector, clock, start, stop } = serverRig({ watchList: false });
  server.create(pod('a', 0));
  server.failNext('list', broken(), 1);
  await start();
  await clock.advance(1_000);
  const kinds = (): string[] => reflector.timeline.map(({ kind }) => kind);
  expect(kinds()).toEqual(['list', 'wait', 'list', 'watch']);
  expect(reflector.timeline[0]).toMatchObject({ objects: 0, because: expect.any(String), failed: true });
  expect(reflector.timeline[2]).toMatchObject({ objects: 1, resourceVersion: '2', because: undefined, failed: false });
  server.restore([], 1);
  server.cut(broken());
  await clock.advance(300_000);
  expect(kinds()).toContain('epoch');
  await stop();
});

test('REF-18: a step is counted while it lasts, ends once, and only the last steps are kept', () => {
  const env = fakeEnv();
  const timeline = new Timeline(env);
  let objects = 3;
  const end = timeline.begin('list', { count: () => objects, because: 'asked to' });
  expect(timeline.steps).toEqual([
    {
      kind: 'list',
      startedAt: env.wallNow(),
      endedAt: undefined,
      objects: 3,
      resourceVersion: undefined,
      because: 'asked to',
      failed: false,
    },
  ]);
  objects = 4;
  end({ resourceVersion: '7' });
  objects = 5;
  end({ resourceVersion: '8', because: 'again' });
  expect(timeline.steps).toMatchObject([{ objects: 4, resourceVersion: '7', because: 'asked to' }]);
  for (let at = 0; at < 250; at += 1) timeline.mark('resync', { because: `${at}` });
  expect(timeline.steps).toHaveLength(200);
  expect(timeline.steps.at(-1)?.because).toBe('249');
});
