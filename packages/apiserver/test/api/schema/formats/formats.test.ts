import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasFormat, isKnownFormat } from '../../../../src/api/schema/formats/formats.ts';

/** Texts, formats and the verdicts of a real server. */
const FORMATS = JSON.parse(
  readFileSync(new URL('../../../../../../test/conformance/rig/formats.json', import.meta.url), 'utf8'),
) as Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>;

describe.each(Object.entries(FORMATS))('%s', (format, { good, bad }) => {
  test('accepts exactly what a real server accepts', () => {
    expect(good.filter((text) => !hasFormat(format, text))).toEqual([]);
    expect(bad.filter((text) => hasFormat(format, text))).toEqual([]);
  });

  test('checks a text in linear time', () => {
    const long = ['a', '1', 'a.', '1-', '"', '(', 'a@', ' ', '%', '[', ':', '\u0301', '.5', '1h'].map((piece) =>
      piece.repeat(100_000 / piece.length),
    );
    // A quadratic check would take minutes here and exceed the timeout of a test.
    for (const text of long) for (const end of ['', '!', 'a', '1']) hasFormat(format, text + end);
  });
});

test('an unknown format is not checked', () => {
  expect(isKnownFormat('nonsense')).toBe(false);
  expect(hasFormat('nonsense', 'x')).toBe(true);
});
