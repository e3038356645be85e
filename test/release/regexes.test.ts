import { expect, test } from 'vitest';
import { suspicionsOf } from './regex-ambiguity.ts';

test('S57: an expression with a back reference is refused: its time is unknown', () => {
  expect(() => suspicionsOf(/(["']).*\1/)).toThrow(/refers back/);
});
