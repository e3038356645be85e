import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { jsonObjectText, yamlObjectText } from '../../src/output/object-text.ts';

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

test('S36: escaped YAML shows all characters and parses to the same value', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.dictionary(text, text), (data) => {
      const yaml = yamlObjectText({ data });
      expect(HIDDEN.test(yaml.replaceAll('\n', ''))).toBe(false);
      expect((parse(yaml) as { data: object }).data).toEqual({ ...data });
    }),
  );
});

test('a multi-line text stays readable in YAML', () => {
  expect(yamlObjectText({ script: 'one\ntwo\n' })).toBe('script: |\n  one\n  two\n');
});

test('words that YAML 1.1 reads as booleans are quoted', () => {
  expect(yamlObjectText({ a: 'on', b: 'no', c: '012', d: 'plain' })).toBe('a: "on"\nb: "no"\nc: "012"\nd: plain\n');
});

test('S30: a key named __proto__ is data in JSON and in YAML', () => {
  const object: unknown = JSON.parse('{"__proto__":{"x":1},"constructor":"data"}');
  expect(jsonObjectText(object, 0)).toBe('{"__proto__":{"x":1},"constructor":"data"}');
  expect(yamlObjectText(object)).toBe('__proto__:\n  x: 1\nconstructor: data\n');
  expect(({} as { x?: number }).x).toBeUndefined();
});
