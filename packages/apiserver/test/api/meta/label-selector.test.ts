import fc from 'fast-check';
import { LabelSelector } from 'kube-informer/core';
import { describe, expect, test } from 'vitest';
import { parseLabelSelector } from '../../../src/api/meta/label-selector.ts';
import { StatusError } from '../../../src/core/status-error.ts';
import { fixtures } from '../../rig/fixtures.ts';

const { label: recorded } = fixtures<{ label: [text: string, message: string | null][] }>(
  'selectors.fixtures.json',
  import.meta,
);

/** The error of a text; undefined if it is valid. */
function refusal(text: string): StatusError['status'] | undefined {
  try {
    parseLabelSelector(text);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
}

describe('which label selectors are valid', () => {
  test.each(recorded)('the same verdict as on a real server: %j', (text, message) => {
    expect(refusal(text)?.message ?? null).toBe(message);
  });

  test('an invalid one is a 400 without details', () => {
    expect(refusal('a in')).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(refusal('a in')).not.toHaveProperty('details');
  });
});

describe('what a label selector matches', () => {
  const matching = (text: string): string[] => {
    const objects = { none: undefined, empty: {}, one: { a: '1' }, ten: { a: '10', b: '' }, word: { a: 'x', b: 'y' } };
    const selector = parseLabelSelector(text);
    return Object.entries(objects)
      .filter(([, labels]) => selector.matches(labels))
      .map(([name]) => name);
  };

  test.each([
    ['', ['none', 'empty', 'one', 'ten', 'word']],
    ['a', ['one', 'ten', 'word']],
    ['!a', ['none', 'empty']],
    ['a=1', ['one']],
    ['a==1', ['one']],
    ['a!=1', ['none', 'empty', 'ten', 'word']],
    ['a in (1,x)', ['one', 'word']],
    ['a notin (1,x)', ['none', 'empty', 'ten']],
    ['b=', ['ten']],
    ['b in ()', ['ten']],
    ['b in (y,)', ['ten', 'word']],
    ['a>1', ['ten']],
    ['a<10', ['one']],
    ['a<x1', undefined],
    ['a,b=y', ['word']],
    ['!b,a', ['one']],
  ] as const)('%j', (text, names) => {
    if (names === undefined) expect(refusal(text)).toBeDefined();
    else expect(matching(text)).toEqual(names);
  });

  test('a key is never found on the prototype of labels', () => {
    expect(parseLabelSelector('constructor').matches({})).toBe(false);
    expect(parseLabelSelector('!toString').matches({ a: '1' })).toBe(true);
  });

  test('an empty selector is known to select everything', () => {
    expect(parseLabelSelector(' ').everything).toBe(true);
    expect(parseLabelSelector('a').everything).toBe(false);
  });
});

describe('the text of a label selector', () => {
  test('does not depend on order, blanks and spelling', () => {
    const texts = ['b in (y,x), a==1', 'a = 1,b in(x,y,x)'].map((text) => parseLabelSelector(text).text);
    expect(new Set(texts)).toEqual(new Set(['a=1,b in (x,y)']));
  });
});

const word = fc.constantFrom('a', 'b', 'in', 'notin', 'x.io/a', '1', '12', '007', '');
const piece = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 2, arbitrary: fc.constantFrom(',', '=', '==', '!=', '!', '(', ')', '>', '<', ' in (', ' notin (', ' ') },
  { weight: 1, arbitrary: fc.constantFrom('a=1', 'b!=12', '!a', 'a in (1,12)', ',b', 'a>5') },
);
const labels = fc.dictionary(fc.constantFrom('a', 'b', 'in', 'x.io/a'), fc.constantFrom('', '1', '12', 'a', '007'));

test('this implementation and the client’s agree on which selectors are valid and what they match', () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(labels, { maxLength: 6 }), (pieces, objects) => {
      const text = pieces.join('');
      let theirs: LabelSelector | undefined;
      try {
        theirs = LabelSelector.parse(text);
      } catch {
        theirs = undefined;
      }
      expect([text, refusal(text) === undefined]).toEqual([text, theirs !== undefined]);
      if (theirs === undefined) return;
      taken++;
      const ours = parseLabelSelector(text);
      for (const object of objects)
        expect([text, object, ours.matches(object)]).toEqual([text, object, theirs.matches(object)]);
      // The printed form of one is parsed by the other to the same selector.
      expect(parseLabelSelector(theirs.toString()).text).toBe(ours.text);
    }),
    { numRuns: 2000 },
  );
  expect(taken).toBeGreaterThan(200);
});
