import { expect, test } from 'vitest';
import { fixtures } from '../../rig/fixtures.ts';
import { manifests } from '../../rig/kinds/manifests.ts';
import { pipeline, type RecordedCreate } from '../../rig/kinds/pipeline.ts';

const recorded = fixtures<readonly RecordedCreate[]>('defaults.fixtures.json', import.meta);

test('the recording was made from the current manifests', () => {
  expect(recorded.map(({ sent }) => sent)).toEqual(JSON.parse(JSON.stringify(manifests)));
});

for (const { sent, stored } of recorded)
  test(`${sent.apiVersion} ${sent.kind} ${sent.metadata?.name} is stored as a real server stores it`, () => {
    const ours = pipeline().create(sent);
    expect(ours).toEqual({ stored });
    expect(JSON.stringify(ours.stored), 'order of fields').toBe(JSON.stringify(stored));
  });
