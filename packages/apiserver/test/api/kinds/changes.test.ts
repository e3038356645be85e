import { expect, test } from 'vitest';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { fixtures } from '../../rig/fixtures.ts';
import { histories } from '../../rig/kinds/changes.ts';
import { pipeline, type RecordedHistory } from '../../rig/kinds/pipeline.ts';

const recorded = fixtures<readonly RecordedHistory[]>('changes.fixtures.json', import.meta);

test('the recording was made from the current histories', () => {
  const replayed = recorded.map(({ sent, steps }) => ({
    sent,
    steps: steps.map(({ patch, subresource }) => ({ patch, ...(subresource === undefined ? {} : { subresource }) })),
  }));
  expect(replayed).toEqual(JSON.parse(JSON.stringify(histories)));
});

for (const { sent, stored, steps } of recorded)
  test(`${sent.apiVersion} ${sent.kind} changes as on a real server`, () => {
    const { patch } = pipeline();
    let old = stored as ApiObject;
    for (const [index, step] of steps.entries()) {
      const ours = patch(old, step.patch, step.subresource);
      const title = `step ${index}: ${JSON.stringify(step.patch)}`;
      if (step.causes === undefined) expect(ours, title).toEqual({ stored: step.stored });
      else expect(ours, title).toEqual({ causes: step.causes });
      old = step.stored ?? old;
    }
  });
