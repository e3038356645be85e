import { expect, onTestFinished, test } from 'vitest';
import { controller, type Operator, terminal, type WhyKind } from '../../src/index.ts';
import { startLab } from '../../src/testing/lab.ts';
import { configMap, definition, rig, type Widget, widget, WIDGETS } from './rig.ts';

const reasonOf = (operator: Operator, name = 'a', of = 'widgets') => operator.why(of, `web/${name}`);

test('CTR-52: X06 why, of a key that runs or would run', async () => {
  const release: (() => void)[] = [];
  const { lab, operator } = await rig({
    concurrency: 1,
    timeoutMs: 5_000,
    labels: 'app=shop',
    owns: ['v1/configmaps'],
    async reconcile({ name, apply, object }) {
      if (name === 'slow') await new Promise<void>((resolve) => void release.push(resolve));
      if (name === 'later') return { requeueAfterMs: 30_000 };
      if (name === 'broken') throw new Error('the bucket is locked');
      if (name === 'bad') throw terminal('no such class');
      if (name === 'writer') await apply('v1/configmaps', configMap(`child-${object.spec?.size ?? 0}`));
      return undefined;
    },
  });
  const make = (name: string, spec: object = {}) => lab.user.apply(widget(name, spec, { labels: { app: 'shop' } }));
  const shows = async (name: string, kind: WhyKind, sentence: RegExp): Promise<void> => {
    await expect.poll(() => reasonOf(operator, name).kind).toBe(kind);
    expect(reasonOf(operator, name).sentence).toMatch(sentence);
  };

  await shows('none', 'not in the cache', /^web\/none is not in the cache: .* not selected by labels app=shop$/);
  await make('later');
  await shows('later', 'waiting', /^web\/later runs again in 30\.0 s because of requeue$/);
  await make('broken');
  await shows(
    'broken',
    'waiting',
    /^web\/broken runs again in \S+ s because of retry\(\d+\); .* failed: the bucket is locked$/,
  );
  await make('bad');
  await shows('bad', 'terminal', /^web\/bad is not retried until something changes: no such class$/);
  await make('quiet');
  await shows('quiet', 'idle', /^web\/quiet ran \S+ s ago \(success\) because of created with 0 writes$/);

  lab.server.faults.pauseEvents({ resource: 'configmaps' });
  await make('writer');
  await expect.poll(() => lab.list('v1/configmaps', 'web').length).toBe(1);
  await make('writer', { size: 1 });
  await shows(
    'writer',
    'stale',
    /^web\/writer has waited \S+ s for the cache to have its own write: v1\/configmaps web\/child-0/,
  );
  lab.server.faults.resumeEvents();

  await make('slow');
  await shows('slow', 'running', /^web\/slow has been running for \S+ s$/);
  await make('next');
  await make('after');
  await shows(
    'after',
    'ready',
    /^web\/after has been in line for \S+ s: \d\w\w of \d, its turn is in about \d+ s( or less)?$/,
  );
  const [place, of] = ['next', 'after'].map(
    (name) => /: (\d)\w\w of (\d)/.exec(reasonOf(operator, name).sentence) ?? [],
  );
  expect(Number(of?.[1])).toBe(Number(place?.[1]) + 1);
  await lab.env.clock.advance(15_000);
  await shows('slow', 'hung', /^web\/slow has a run that ignores its signal and has not ended for 15\.0 s$/);
  await shows('next', 'idle', /success/);
  for (const end of release) end();
});

test('CTR-52: X06 why, of a key that cannot run here', async () => {
  const lab = await startLab({ definitions: [definition()] });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  for (const name of ['a', 'mine']) await lab.user.apply(widget(name));
  const full = lab.server.faults.failRequests({ match: { resource: 'secrets' }, status: 503, times: Infinity });
  const scope = { holds: (key: string) => key !== 'web/a' };
  const operator = lab.run([
    controller<Widget>(lab.cluster, WIDGETS, { name: 'widgets', scope, reconcile() {} }),
    controller(lab.cluster, 'v1/secrets', { name: 'secrets', reconcile() {} }),
    controller<Widget>(lab.cluster, 'other.com/v1/things', { name: 'things', reconcile() {} }),
  ]);
  await expect.poll(() => reasonOf(operator, 'a', 'things').kind).toBe('parked');
  expect(reasonOf(operator, 'a', 'things').sentence).toBe(
    'web/a does not run: the server does not serve other.com/v1/things',
  );
  expect(reasonOf(operator, 'a', 'secrets')).toEqual({
    kind: 'starting',
    sentence: expect.stringMatching(/^web\/a does not run yet: the caches fill \(v1\/secrets/),
  });
  full.remove();
  // One that never ran because it is out of scope, and whose status changed: what is known is said.
  await expect.poll(() => reasonOf(operator, 'mine').kind).toBe('idle');
  expect(reasonOf(operator).sentence).toBe('web/a has not run, and has no reason to run');
  const change = { status: { seen: 1 } };
  await lab.cluster.resource<Widget>(WIDGETS).patch('web/a', change, { subresource: 'status' });
  await expect.poll(() => reasonOf(operator).kind).toBe('filtered');
  expect(reasonOf(operator).sentence).toBe('web/a did not run: its last changes were filtered out: updated(status)');
});

test('CTR-52: X06 why, of a key whose changes are filtered out, and in standby', async () => {
  const { lab, operator } = await rig({ reconcile() {} }, { run: { election: 'web/widgets' } });
  await lab.user.apply(widget('a'));
  await lab.settled();
  const status = (seen: number) =>
    lab.cluster.resource<Widget>(WIDGETS).patch('web/a', { status: { seen } }, { subresource: 'status' });
  await status(1);
  await lab.settled();
  expect(reasonOf(operator).sentence).toMatch(/; filtered out since: updated\(status\)$/);
  operator.enqueue('widgets', 'web/a');
  await lab.settled();
  expect(reasonOf(operator).sentence).toMatch(/because of manual with 0 writes$/);

  const replica = controller<Widget>(await lab.connect(), WIDGETS, { name: 'widgets', reconcile() {} });
  const second = lab.run([replica], { election: 'web/widgets' });
  await lab.advance(3_000);
  expect(reasonOf(second)).toEqual({ kind: 'standby', sentence: 'web/a does not run here: replica-1 leads' });
});
