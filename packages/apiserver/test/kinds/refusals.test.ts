import { expect, test } from 'vitest';
import { pipeline, type RecordedCreate, recording } from './pipeline.ts';
import { refused } from './refusals.ts';

const recorded = recording<RecordedCreate>('refusals.fixtures.json');

test('the recording is of the refused objects as they are', () => {
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
