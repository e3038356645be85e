import { expect, test } from 'vitest';
import type { Lab } from '../../src/testing/lab.ts';
import { rig, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';
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
    await expect.poll(mended, { interval: 5, timeout: 8_000 }).toEqual([2, 2]);
  },
);
