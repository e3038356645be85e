import { expect, test } from 'vitest';
import { goQuantityFault } from '../../../src/core/go/go-quantity.ts';

const MUST_MATCH = expect.stringContaining('quantities must match') as string;

test.each<[string, string | undefined]>([
  ['100', undefined],
  ['1.5', undefined],
  ['.5', undefined],
  ['100m', undefined],
  ['-1Gi', undefined],
  ['1e3', undefined],
  ['1E-3', undefined],
  ['abc', MUST_MATCH],
  ['1x', MUST_MATCH],
  ['', MUST_MATCH],
  ['1mm', "unable to parse quantity's suffix"],
  ['1+3', "unable to parse quantity's suffix"],
])('the quantity %j is parsed as by a real server', (text, fault) => {
  expect(goQuantityFault(text)).toEqual(fault);
});
