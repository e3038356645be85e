import { expect, test } from 'vitest';
import { FieldSelector, LabelSelector } from '../../../src/core/selector/selector.ts';
import type * as Selectors from '../../../src/core/selector/selector.ts';

test('F77: a selector made by another copy of the package is understood', async () => {
  // A query makes the module load a second time, with classes of its own.
  const copy = (await import('../../../src/core/selector/selector.ts?copy' as string)) as typeof Selectors;
  const label = copy.LabelSelector.parse('app=shop,!old');
  expect(label).not.toBeInstanceOf(LabelSelector);
  expect(LabelSelector.of(label as LabelSelector).matches({ app: 'shop' })).toBe(true);
  expect(LabelSelector.of(label as LabelSelector).matches({ app: 'shop', old: '1' })).toBe(false);
  const field = copy.FieldSelector.parse('metadata.name=a');
  expect(FieldSelector.of(field as FieldSelector).toString()).toBe('metadata.name=a');
});
