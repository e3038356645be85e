import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KubeError } from '../../../src/core/errors.ts';
import { FieldSelector } from '../../../src/core/selector/selector.ts';

/** What a call threw, which must be a KubeError with INVALID_OPTION. */
function refusal(call: () => unknown): KubeError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(KubeError);
    expect((error as KubeError).code).toBe('INVALID_OPTION');
    return error as KubeError;
  }
  throw new Error('expected an INVALID_OPTION error, but the input was accepted');
}

describe('FieldSelector', () => {
  test.each([
    ['', ''],
    ['metadata.name=x,status.phase!=Running', 'metadata.name=x,status.phase!=Running'],
    ['status.phase!=Running,metadata.name==x', 'metadata.name=x,status.phase!=Running'],
    ['a=', 'a='],
    ['a!=', 'a!='],
    ['a=b,', 'a=b'],
    [',,a=b,,c=d', 'a=b,c=d'],
    [String.raw`a=b\,c\=d\\e`, String.raw`a=b\,c\=d\\e`],
    ['a=b c!d', 'a=b c!d'],
    ['a=b!', 'a=b!'],
  ])('the text %j is accepted and printed as %j', (text, printed) => {
    expect(String(FieldSelector.parse(text))).toBe(printed);
  });

  test('escapes are taken off and put back', () => {
    const selector = FieldSelector.parse(String.raw`a=\\\,\=`);
    expect(selector.requirements).toEqual([{ field: 'a', operator: '=', value: String.raw`\,=` }]);
    expect(selector.matches({ a: String.raw`\,=` })).toBe(true);
  });

  test.each([
    ['abc', 3, 'an operator'],
    ['=x', 0, 'a field path'],
    ['!=x', 0, 'a field path'],
    [' a=x', 0, 'a field path'],
    ['a=x, b=y', 4, 'a field path'],
    ['a =x', 1, 'an operator'],
    ['a!x', 1, 'an operator'],
    ['a>5', 3, 'an operator'],
    ['a\\=x', 1, 'an operator'],
    ['a=b=c', 3, 'a value where'],
    ['a===b', 3, 'a value where'],
    ['a!==b', 3, 'a value where'],
    ['a=\\x', 2, 'a value where'],
    ['a=b\\', 3, 'a value where'],
    ['a=b,c', 5, 'an operator'],
  ])('the text %j is refused at position %i, naming what was expected: %s', (text, position, expected) => {
    const { message } = refusal(() => FieldSelector.parse(text));
    expect(message).toContain(`expected ${expected}`);
    expect(message).toContain(`at position ${position}, got `);
  });

  test('a field that is missing has the value "", in a map and from a function', () => {
    const phase = FieldSelector.parse('status.phase!=Running,spec.nodeName=');
    expect(phase.matches({})).toBe(true);
    expect(phase.matches({ 'status.phase': 'Running' })).toBe(false);
    expect(phase.matches(() => undefined)).toBe(true);
    expect(phase.matches((field) => (field === 'spec.nodeName' ? 'node-1' : undefined))).toBe(false);
    expect(FieldSelector.parse('metadata.name=x').matches({})).toBe(false);
  });

  test('S31: what a field map inherits is not a field', () => {
    expect(FieldSelector.parse('constructor=').matches({})).toBe(true);
    expect(FieldSelector.parse('x=a').matches(Object.create({ x: 'a' }) as Record<string, string>)).toBe(false);
    const own = FieldSelector.of(JSON.parse('{"__proto__": "x"}') as Record<string, string>);
    expect(String(own)).toBe('__proto__=x');
    expect([own.matches({}), own.matches(JSON.parse('{"__proto__": "x"}') as Record<string, string>)]).toEqual([
      false,
      true,
    ]);
  });

  test('of() takes a map of fields, a text or a selector', () => {
    const selector = FieldSelector.of({ 'metadata.namespace': 'a,b', 'metadata.name': 'x' });
    expect(String(selector)).toBe(String.raw`metadata.name=x,metadata.namespace=a\,b`);
    expect(FieldSelector.of(selector)).toBe(selector);
    expect(String(FieldSelector.of('a==b'))).toBe('a=b');
    expect(FieldSelector.of({}).isEverything).toBe(true);
    expect(selector.isEverything).toBe(false);
    expect(String(FieldSelector.everything)).toBe('');
    const impossible: unknown[] = [undefined, null, 5, ['a'], { a: 5 }, { 'a b': 'c' }, { '': 'c' }, { 'a=b': 'c' }];
    for (const input of impossible) refusal(() => FieldSelector.of(input as string));
    refusal(() => FieldSelector.parse(5 as unknown as string));
  });

  test('property: parse(toString(x)) is x for every value, and matching is comparing', () => {
    const field = fc.constantFrom('a', 'metadata.name', 'constructor', 'spec.x');
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'a,=\\! '.split('')) }));
    const term = fc.record({ field, operator: fc.constantFrom('=', '!='), value });
    const fields = fc.dictionary(field, value);
    fc.assert(
      fc.property(fc.array(term, { maxLength: 5 }), fields, (terms, actual) => {
        const escaped = (text: string): string => text.replace(/[\\,=]/g, String.raw`\$&`);
        const selector = FieldSelector.parse(terms.map((t) => t.field + t.operator + escaped(t.value)).join(','));
        const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
        expect(selector.requirements.toSorted(byText)).toEqual(terms.toSorted(byText));
        const again = FieldSelector.parse(String(selector));
        expect(again.requirements).toEqual(selector.requirements);
        expect(String(again)).toBe(String(selector));
        const known = new Map(Object.entries(actual));
        const expected = terms.every((t) => ((known.get(t.field) ?? '') === t.value) === (t.operator === '='));
        expect(selector.matches(actual)).toBe(expected);
        expect(selector.matches((path) => known.get(path))).toBe(expected);
      }),
    );
  });
});
