import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeError } from '../../../src/core/errors.ts';
import { LabelSelector } from '../../../src/core/selector/selector.ts';

test('LabelSelector property: any text ends with a selector or INVALID_OPTION', () => {
  const unit = fc.constantFrom(...'ab/.-_=!(),<> \t\\19'.split(''), ' in ', ' notin ', 'é', '😀', '\0');
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: 'binary' })), (text) => {
      try {
        const selector = LabelSelector.parse(text);
        expect(LabelSelector.parse(String(selector)).requirements).toEqual(selector.requirements);
      } catch (error) {
        expect((error as KubeError).code).toBe('INVALID_OPTION');
      }
    }),
    { numRuns: 2_000 },
  );
});
