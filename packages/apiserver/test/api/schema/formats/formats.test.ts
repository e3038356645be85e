import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasFormat, isKnownFormat } from '../../../../src/api/schema/formats/formats.ts';

/** Texts and formats as a real server judged them. */
const FORMATS = JSON.parse(
  readFileSync(new URL('../../../../../../test/conformance/cases/formats.json', import.meta.url), 'utf8'),
) as Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>;

describe.each(Object.entries(FORMATS))('%s', (format, { good, bad }) => {
  test('takes what a real server takes, and nothing else', () => {
    expect(good.filter((text) => !hasFormat(format, text))).toEqual([]);
    expect(bad.filter((text) => hasFormat(format, text))).toEqual([]);
  });

  test('looks at a text once: a long one takes no longer than it is', () => {
    const long = ['a', '1', 'a.', '1-', '"', '(', 'a@', ' ', '%', '[', ':', '\u0301', '.5', '1h'].map((piece) =>
      piece.repeat(100_000 / piece.length),
    );
    // For what looks twice, twice as long is four times as slow; this would be minutes, and the time for a test over.
    for (const text of long) for (const end of ['', '!', 'a', '1']) hasFormat(format, text + end);
  });
});

test('an unknown format is not checked', () => {
  expect(isKnownFormat('nonsense')).toBe(false);
  expect(hasFormat('nonsense', 'x')).toBe(true);
});
