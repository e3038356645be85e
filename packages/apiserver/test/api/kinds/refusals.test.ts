import { expect, test } from 'vitest';
import { fixtures } from '../../rig/fixtures.ts';
import { pipeline, type RecordedCreate } from '../../rig/kinds/pipeline.ts';
import { refused } from '../../rig/kinds/refusals.ts';

const recorded = fixtures<readonly RecordedCreate[]>('refusals.fixtures.json', import.meta);

test('the recording was made from the current refused objects', () => {
  expect(recorded.map(({ sent }) => sent)).toEqual(refused);
});

for (const [index, { sent, causes }] of recorded.entries())
  test(`${index}: ${sent.apiVersion} ${sent.kind} is refused for ${causes?.map(({ field }) => field).join(', ')}`, () => {
    const ours = pipeline().create(sent);
    expect(ours.causes?.map(({ field, message }) => `${field}: ${message}`)).toEqual(
      causes?.map(({ field, message }) => `${field}: ${message}`),
    );
    expect(ours).toEqual({ causes });
  });
