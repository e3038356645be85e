import { describe, expect, test, vi } from 'vitest';
import type { KubeError } from '../../../src/core/errors.ts';
import { FieldSelector, LabelSelector } from '../../../src/core/selector/selector.ts';

const MEGABYTE = 1_000_000;
/** Tokens of one character are the dearest: each is looked at as a space, a symbol, a word and a value. */
const READS_PER_CHARACTER = 8;

/**
 * Runs `call` and counts how often it reads a character. Reading more than `budget` ends it: a
 * scanner that goes back fails this way in an instant instead of running for an hour.
 */
function charactersRead(call: () => void, budget: number): number {
  const charAt = Reflect.get(String.prototype, 'charAt') as (this: string, at: number) => string;
  let reads = 0;
  const counting = function (this: string, at: number): string {
    reads += 1;
    if (reads > budget) throw new Error(`more than ${budget} characters read`);
    return charAt.call(this, at);
  };
  Object.defineProperty(String.prototype, 'charAt', { value: counting, configurable: true, writable: true });
  try {
    call();
  } finally {
    Object.defineProperty(String.prototype, 'charAt', { value: charAt, configurable: true, writable: true });
  }
  return reads;
}

describe('LabelSelector', () => {
  test.each<[string, string]>([
    ['one long word', 'a'.repeat(MEGABYTE)],
    ['one long value', `a=${'a'.repeat(MEGABYTE)}`],
    ['many keys', `${'a,'.repeat(MEGABYTE / 2)}a`],
    ['many keys and a bad end', 'a,'.repeat(MEGABYTE / 2)],
    ['many equalities', 'a=b,'.repeat(MEGABYTE / 4)],
    ['many values', `a in (${'b,'.repeat(MEGABYTE / 2)})`],
    ['many empty values', `a in (${','.repeat(MEGABYTE)})`],
    ['many values without an end', `a in (${'b,'.repeat(MEGABYTE / 2)}`],
    ['spaces', ' '.repeat(MEGABYTE)],
    ['spaces between', `a${' '.repeat(MEGABYTE)}=${' '.repeat(MEGABYTE)}b`],
    ['bangs', '!'.repeat(MEGABYTE)],
    ['equals signs', '='.repeat(MEGABYTE)],
    ['open brackets', `a in ${'('.repeat(MEGABYTE)}`],
    ['slashes', 'a/'.repeat(MEGABYTE / 2)],
    ['a long prefix', `${'a.'.repeat(MEGABYTE / 2)}a/x`],
    ['dashes', `a${'-'.repeat(MEGABYTE)}`],
    ['a long number', `a>${'9'.repeat(MEGABYTE)}`],
    ['leading zeros', `a>${'0'.repeat(MEGABYTE)}1`],
    ['words', 'in '.repeat(MEGABYTE / 3)],
    ['zero bytes', '\0'.repeat(MEGABYTE)],
    ['pairs of surrogates', '😀'.repeat(MEGABYTE / 2)],
  ])('S33: 1 MB of %s ends, and reads every character a fixed number of times', (_, text) => {
    let outcome: unknown;
    const reads = charactersRead(() => {
      try {
        outcome = LabelSelector.parse(text);
      } catch (error) {
        outcome = error;
      }
    }, READS_PER_CHARACTER * text.length);
    if (outcome instanceof LabelSelector) {
      // Also proves that the counter sees the scanner at work.
      expect(reads).toBeGreaterThanOrEqual(text.length);
    } else {
      expect(outcome).toMatchObject({ code: 'INVALID_OPTION' });
      expect((outcome as KubeError).message.length).toBeLessThan(1_000);
    }
  });

  test('S33: a 1 MB label value is compared by reading it once, and no long text is ever turned into a number', () => {
    const selector = LabelSelector.parse('a>5');
    const [zeros, nines] = ['0'.repeat(MEGABYTE), '9'.repeat(MEGABYTE)];
    const original = BigInt;
    let longest = 0;
    // Turning digits into a BigInt costs more than their number.
    const watching = (text: string): bigint => {
      longest = Math.max(longest, String(text).length);
      return original(text);
    };
    vi.stubGlobal('BigInt', Object.assign(watching, { asIntN: (bits: number, n: bigint) => original.asIntN(bits, n) }));
    try {
      for (const [value, expected] of [
        [zeros, false],
        [`${zeros}6`, true],
        [`${zeros}x`, false],
        [nines, false],
        [`-${nines}`, false],
      ] as const) {
        let answer: boolean | undefined;
        charactersRead(() => (answer = selector.matches({ a: value })), 2 * MEGABYTE);
        expect(answer).toBe(expected);
      }
    } finally {
      vi.unstubAllGlobals();
    }
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThanOrEqual(19);
  });
});

describe('FieldSelector', () => {
  test.each<[string, string]>([
    ['one long word', 'a'.repeat(MEGABYTE)],
    ['one long value', `a=${'b'.repeat(MEGABYTE)}`],
    ['escapes', `a=${'\\,'.repeat(MEGABYTE / 2)}`],
    ['backslashes', `a=${'\\'.repeat(MEGABYTE)}`],
    ['commas', ','.repeat(MEGABYTE)],
    ['equals signs', '='.repeat(MEGABYTE)],
    ['bangs', `a${'!'.repeat(MEGABYTE)}`],
    ['terms', 'a=b,'.repeat(MEGABYTE / 4)],
    ['spaces', ' '.repeat(MEGABYTE)],
  ])('S33: 1 MB of %s ends, and reads every character a fixed number of times', (_, text) => {
    let outcome: unknown;
    const reads = charactersRead(() => {
      try {
        outcome = FieldSelector.parse(text);
      } catch (error) {
        outcome = error;
      }
    }, READS_PER_CHARACTER * text.length);
    if (outcome instanceof FieldSelector) {
      expect(reads).toBeGreaterThanOrEqual(text.length);
      expect(String(outcome).length).toBeLessThanOrEqual(text.length);
    } else {
      expect(outcome).toMatchObject({ code: 'INVALID_OPTION' });
      expect((outcome as KubeError).message.length).toBeLessThan(1_000);
    }
  });
});
