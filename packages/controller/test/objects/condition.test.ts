import { type Condition, setCondition } from './objects.ts';
import { expect, test } from 'vitest';

const AT = Date.parse('2026-01-01T00:00:00.999Z');
const ready = { type: 'Ready', status: true, reason: 'Ran' } as const;

test('CTR-38, B05: lastTransitionTime moves exactly when the status does', () => {
  const first = setCondition([], ready, { wallNow: AT, generation: 3 });
  expect(first).toEqual([
    { type: 'Ready', status: 'True', reason: 'Ran', message: '', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 3 }, // prettier-ignore
  ]);
  const later = AT + 60_000;
  expect(setCondition(first, ready, { wallNow: later, generation: 3 })).toBe(first);
  const reworded = setCondition(first, { ...ready, message: 'at noon' }, { wallNow: later, generation: 4 });
  expect(reworded).toMatchObject([{ message: 'at noon', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 4 }]); // prettier-ignore
  const failed = setCondition(reworded, { ...ready, status: false }, { wallNow: later, generation: 4 });
  expect(failed).toMatchObject([{ status: 'False', lastTransitionTime: '2026-01-01T00:01:00Z' }]);
  expect(setCondition(failed, { ...ready, status: 'Unknown' }, { wallNow: later })).toMatchObject([{ status: 'Unknown' }]); // prettier-ignore
});

test('CTR-38: other conditions keep their place and content', () => {
  const foreign = { type: 'Synced', status: 'True', reason: 'X', message: '', lastTransitionTime: 'then' } as Condition;
  const both = setCondition([foreign], ready, { wallNow: AT });
  expect(both.map(({ type }) => type)).toEqual(['Synced', 'Ready']);
  const changed = setCondition(both, { ...ready, reason: 'Again' }, { wallNow: AT });
  expect(changed[0]).toBe(foreign);
});

test('CTR-38: a message is cut to what the API accepts; a bad type or reason is refused', () => {
  const [long] = setCondition([], { ...ready, message: 'x'.repeat(40_000) }, { wallNow: AT });
  expect(long?.message).toHaveLength(32_768);
  const set = (more: object) => () => setCondition([], { ...ready, ...more }, { wallNow: AT });
  for (const reason of ['', 'with space', '1st', 'ends:', 'x'.repeat(1_025)]) expect(set({ reason })).toThrow(/reason/);
  for (const type of ['', 'not ok', 'x'.repeat(317), '-x']) expect(set({ type })).toThrow(/condition type/);
  expect(set({ type: 'example.com/Ready', reason: 'A,b:c_1' })).not.toThrow();
});
