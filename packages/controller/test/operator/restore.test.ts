import { hasCode } from 'kube-informer';
import { expect, test } from 'vitest';
import type { Lab } from '../../src/testing/lab.ts';
import { rig, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';
/** Moves the clock until the operator has seen that the storage was restored. */
async function untilRestoreNoticed(lab: Lab): Promise<void> {
  const noticed = async (): Promise<boolean> => {
    await lab.env.clock.advance(500);
    return lab.env.lines.some(({ message }) => message.startsWith('the storage of the server was restored'));
  };
  await expect.poll(noticed, { interval: 5, timeout: 60_000 }).toBe(true);
}

const seen = (lab: Lab): unknown => lab.get<Widget>(WIDGETS, KEY)?.status?.seen;

test.each(['rollback', 'bump'] as const)(
  'CTR-61: a status and a child that a restored storage (%s) has lost are written again, although no event tells',
  async (revisions) => {
    let backup: (() => void) | undefined;
    const { lab } = await rig({
      owns: ['v1/configmaps'],
      async reconcile({ object: { spec: { size = 0 } = {} }, status, apply }) {
        backup?.();
        // Not owned: when it vanishes, its widget does not run.
        const metadata = { name: `size-${size}`, namespace: 'web' };
        await apply('v1/configmaps', { metadata }, { owner: false });
        status.set({ seen: size });
      },
    });
    await lab.user.apply(widget('a', { size: 1 }));
    await lab.settled();
    const taken: ReturnType<typeof lab.server.snapshot>[] = [];
    backup = () => {
      taken.push(lab.server.snapshot());
      backup = undefined;
    };
    await lab.user.patch(WIDGETS, KEY, { spec: { size: 2 } });
    await lab.settled();
    expect(seen(lab)).toBe(2);
    lab.server.restore(taken[0] as (typeof taken)[number], { revisions });
    expect([seen(lab), lab.list('v1/configmaps', 'web').length]).toEqual([1, 1]);
    const mended = async (): Promise<unknown> => {
      await lab.env.clock.advance(500);
      return [seen(lab), lab.list('v1/configmaps', 'web').length];
    };
    await expect.poll(mended, { interval: 5, timeout: 60_000 }).toEqual([2, 2]);
  },
);

test('CTR-61: a run that began before a restore writes nothing after it was noticed: its object is gone', async () => {
  let go = (): void => {};
  const refused: unknown[] = [];
  const { lab, operator } = await rig({
    async reconcile({ name, attempt, apply }) {
      if (attempt === 1) await new Promise<void>((resolve) => (go = resolve));
      await apply('v1/configmaps', { metadata: { name: `of-${name}`, namespace: 'web' } }, { owner: false }).catch((error: unknown) => {
        refused.push(error);
        throw error;
      });
    },
  });
  const before = lab.server.snapshot();
  await lab.user.apply(widget('a'));
  await expect.poll(() => operator.why('widgets', KEY).kind).toBe('running');
  lab.server.restore(before, { revisions: 'rollback' });
  await untilRestoreNoticed(lab);
  go();
  await lab.advance(1_000);
  expect(refused.map((error) => hasCode(error, 'RUN_ABORTED'))).toEqual([true]);
  // Its widget is gone, and no finalizer is left that would clean up after it.
  expect([lab.get<Widget>(WIDGETS, KEY), lab.list('v1/configmaps', 'web')]).toEqual([undefined, []]);
}); // prettier-ignore

test('CTR-61: a run that began before a restore is aborted although its object is still there, in an older state', async () => {
  let go = (): void => {};
  const sizes: unknown[] = [];
  const refused: unknown[] = [];
  const { lab } = await rig({
    async reconcile({ object: { spec: { size = 0 } = {} }, apply }) {
      sizes.push(size);
      if (size === 2) await new Promise<void>((resolve) => (go = resolve));
      await apply('v1/configmaps', { metadata: { name: `size-${size}`, namespace: 'web' } }, { owner: false }).catch((error: unknown) => {
        refused.push(error);
        throw error;
      });
    },
  });
  await lab.user.apply(widget('a', { size: 1 }));
  await lab.settled();
  const before = lab.server.snapshot();
  await lab.user.patch(WIDGETS, KEY, { spec: { size: 2 } });
  await expect.poll(() => sizes).toEqual([1, 2]);
  lab.server.restore(before, { revisions: 'rollback' });
  await untilRestoreNoticed(lab);
  go();
  await lab.advance(1_000);
  expect(refused.map((error) => hasCode(error, 'RUN_ABORTED'))).toEqual([true]);
  expect(lab.list('v1/configmaps', 'web').map(({ metadata }) => metadata?.name)).toEqual(['size-1']);
}); // prettier-ignore
