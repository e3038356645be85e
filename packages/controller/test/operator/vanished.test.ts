import { hasCode } from 'kube-informer';
import { expect, test } from 'vitest';
import type { Lab } from '../../src/testing/lab.ts';
import { configMap, rig, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';
const MAPS = 'v1/configmaps';
const outside = (name: string) => ({ metadata: { name: `of-${name}`, namespace: 'web' } });
const found = (lab: Lab): unknown => [lab.get<Widget>(WIDGETS, KEY), lab.list(MAPS, 'web').length];

/** A controller whose first run waits for `go`, then makes an object outside and ends. */
async function paused(options: object = {}) {
  let go = (): void => {};
  const refused: unknown[] = [];
  const started = await rig({
    ...options,
    async reconcile({ name, signal, apply }) {
      await new Promise<void>((resolve) => (go = resolve));
      await apply(MAPS, outside(name), { owner: false }).catch((error: unknown) => {
        refused.push(error, signal.aborted);
        throw error;
      });
    },
  });
  const { lab, operator } = started;
  const running = (): Promise<void> => expect.poll(() => operator.why('widgets', KEY).kind).toBe('running');
  return { ...started, refused, running, go: () => go(), warnings: () => lab.env.lines.filter(({ level }) => level === 'warn') }; // prettier-ignore
}

test('CTR-64: an object that a restored storage (bump) has lost ends its run, also after its finalizer was written: nothing would clean up', async () => {
  const cleaned: string[] = [];
  const { lab, operator, refused, running, go, warnings } = await paused({ cleanup: ({ name }: { name: string }) => void cleaned.push(name) }); // prettier-ignore
  const before = lab.server.snapshot();
  await lab.user.apply(widget('a'));
  await running();
  await expect.poll(() => lab.get<Widget>(WIDGETS, KEY)?.metadata?.finalizers).toEqual(['example.com/widgets']);
  lab.server.restore(before, { revisions: 'bump' });
  const cached = async (): Promise<unknown> => {
    await lab.env.clock.advance(500);
    return lab.cluster.informer<Widget>(WIDGETS).get(KEY);
  };
  await expect.poll(cached, { interval: 5, timeout: 60_000 }).toBeUndefined();
  go();
  await lab.advance(1_000);
  expect([hasCode(refused[0], 'RUN_ABORTED'), refused[1]]).toEqual([true, true]);
  expect([found(lab), cleaned]).toEqual([[undefined, 0], []]);
  // It is not a failure: there is nothing to retry.
  expect(operator.runs('widgets', KEY)).toMatchObject([{ outcome: 'aborted', error: expect.stringContaining('aborted') }]);
  expect(warnings().filter(({ message }) => message.startsWith('a run failed'))).toEqual([]);
}); // prettier-ignore

test('CTR-64: an object that a user deletes or makes again ends the run of the one before, and the next one runs', async () => {
  const { lab, outcomes, refused, running, go } = await paused();
  await lab.user.apply(widget('a'));
  await running();
  await lab.user.delete(WIDGETS, KEY);
  await expect.poll(() => lab.cluster.informer<Widget>(WIDGETS).get(KEY)).toBeUndefined();
  await lab.user.apply(widget('a'));
  await expect.poll(() => lab.cluster.informer<Widget>(WIDGETS).get(KEY)).toBeDefined();
  go();
  await expect.poll(() => outcomes(KEY)).toEqual(['aborted']);
  expect(hasCode(refused[0], 'RUN_ABORTED')).toBe(true);
  await running();
  go();
  await lab.settled();
  expect([outcomes(KEY), found(lab)]).toMatchObject([
    ['aborted', 'success'],
    [{ metadata: { name: 'a' } }, 1],
  ]);
});

test('CTR-64: a run that deletes its own object, or takes it out of its selection, is not aborted', async () => {
  const both = async (options: object, end: (run: { patch: (change: object) => Promise<unknown>; delete: (of: string, key: string) => Promise<void> }) => Promise<unknown>): Promise<unknown> => {
    const { lab, outcomes } = await rig({
      ...options,
      async reconcile({ name, patch, delete: remove, apply, get }) {
        await end({ patch, delete: remove });
        await expect.poll(() => lab.cluster.caches().find(({ resource }) => resource === WIDGETS)?.informer.get(KEY)).toBeUndefined();
        await apply(MAPS, outside(name), { owner: false });
        void get;
      },
    });
    await lab.user.apply(widget('a', {}, { labels: { todo: 'yes' } }));
    await lab.settled();
    return [outcomes(KEY), lab.list(MAPS, 'web').length];
  };
  expect(await both({}, ({ delete: remove }) => remove(WIDGETS, KEY))).toEqual([['success'], 1]);
  expect(await both({ labels: 'todo=yes' }, ({ patch }) => patch({ metadata: { labels: { todo: null } } }))).toEqual([['success'], 1]);
}); // prettier-ignore

test('CTR-64: a cleanup whose finalizer another client removes is not aborted: there is something to clean up', async () => {
  let go = (): void => {};
  const done: boolean[] = [];
  const { lab, operator } = await rig({
    reconcile() {},
    async cleanup({ signal }) {
      await new Promise<void>((resolve) => (go = resolve));
      done.push(signal.aborted);
    },
  });
  await lab.user.apply(widget('a'));
  await lab.settled();
  await lab.user.delete(WIDGETS, KEY);
  await expect.poll(() => operator.why('widgets', KEY).kind).toBe('running');
  await lab.user.patch(WIDGETS, KEY, { metadata: { finalizers: null } });
  await expect.poll(() => lab.cluster.informer<Widget>(WIDGETS).get(KEY)).toBeUndefined();
  go();
  await lab.settled();
  expect([done, operator.runs('widgets', KEY).at(-1)?.outcome]).toEqual([[false], 'success']);
});

test('CTR-44: a standby keeps nothing of the keys of its last term, which may go while another process leads', async () => {
  const gone: string[] = [];
  const led: number[] = [];
  const fails = ({ attempt, reasons }: { attempt: number; reasons: readonly string[] }): never => {
    if (reasons.includes('led')) led.push(attempt);
    throw new Error('no');
  };
  const { lab, operator } = await rig(
    { reconcile: fails, deleted: ({ key }) => void gone.push(key) },
    { run: { election: 'ops/widgets' }, lab: { objects: [widget('a'), widget('b')] } },
  ); // prettier-ignore
  await lab.advance(1_000);
  const failing = lab.server.faults.failRequests({ match: { resource: 'leases' }, status: 503, times: Infinity });
  await lab.advance(20_000);
  expect(operator.state.kind).toBe('standby');
  await lab.user.delete(WIDGETS, 'web/b');
  await lab.user.apply(configMap('unrelated'));
  await lab.settled();
  failing.remove();
  await lab.advance(30_000);
  expect(operator.state.kind).toBe('leading');
  operator.enqueue('widgets', 'web/b');
  await lab.settled();
  // `deleted` is for objects that went while this process led.
  expect([gone, led]).toEqual([[], [1]]);
});
