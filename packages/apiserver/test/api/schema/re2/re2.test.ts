import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Re2, Re2SyntaxError } from '../../../../src/api/schema/re2/re2.ts';

/** The error of Go's compiler for an expression, recorded from kube-apiserver 1.36; undefined: it is valid. */
const fault = (source: string): string | undefined => {
  try {
    new Re2(source).test('');
    return undefined;
  } catch (error) {
    if (error instanceof Re2SyntaxError) return error.message;
    throw error;
  }
};

describe('the syntax', () => {
  test('what Go refuses is refused with the same message', () => {
    const refused: readonly (readonly [string, string])[] = [
      ['[', 'missing closing ]: `[`'],
      ['(', 'missing closing ): `(`'],
      ['a)', 'unexpected ): `a)`'],
      ['*', 'missing argument to repetition operator: `*`'],
      ['a**', 'invalid nested repetition operator: `**`'],
      ['a{1001}', 'invalid repeat count: `{1001}`'],
      ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
      ['(?!a)', 'invalid or unsupported Perl syntax: `(?!`'],
      ['(?<=a)', 'invalid named capture: `(?<=a)`'],
      ['\\1', 'invalid escape sequence: `\\1`'],
      ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`'],
      ['[z-a]', 'invalid character class range: `z-a`'],
      ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
      ['(?P<n', 'invalid named capture: `(?P<n`'],
      ['\\', 'trailing backslash at end of expression: ``'],
      ['a{2,1}', 'invalid repeat count: `{2,1}`'],
      ['\\C', 'invalid escape sequence: `\\C`'],
      ['\\q', 'invalid escape sequence: `\\q`'],
      ['(?x)a', 'invalid or unsupported Perl syntax: `(?x`'],
      ['\\x{110000}', 'invalid escape sequence: `\\x{110000`'],
      ['((a{100}){100})', 'invalid repeat count: `{100}`'],
      ['[a', 'missing closing ]: `[a`'],
      ['[^]', 'missing closing ]: `[^]`'],
      ['x{2}{3}', 'invalid nested repetition operator: `{2}{3}`'],
      ['a+*', 'invalid nested repetition operator: `+*`'],
      ['a???', 'invalid nested repetition operator: `???`'],
      ['(?i', 'invalid or unsupported Perl syntax: `(?i`'],
      ['(?', 'invalid or unsupported Perl syntax: `(?`'],
      ['(?:', 'missing closing ): `(?:`'],
      ['|*', 'missing argument to repetition operator: `*`'],
      ['(?P=n)', 'invalid or unsupported Perl syntax: `(?P`'],
      ['[a-\\d]', 'invalid escape sequence: `\\d`'],
      ['\\x4', 'invalid escape sequence: `\\x4`'],
      ['\\u0041', 'invalid escape sequence: `\\u`'],
      ['\\8', 'invalid escape sequence: `\\8`'],
      ['(?z)', 'invalid or unsupported Perl syntax: `(?z`'],
      ['\\pX', 'invalid character class range: `\\pX`'],
      ['\\p{', 'invalid character class range: `\\p{`'],
      ['[[:alpha:]', 'missing closing ]: `[[:alpha:]`'],
      ['\\Z', 'invalid escape sequence: `\\Z`'],
      ['(?#c)', 'invalid or unsupported Perl syntax: `(?#`'],
      ['(a{1,1000}){2}', 'invalid repeat count: `{2}`'],
      ['(?P<a b>x)', 'invalid named capture: `(?P<a b>`'],
      ['[\\b]', 'invalid escape sequence: `\\b`'],
      ['{1}', 'missing argument to repetition operator: `{1}`'],
      ['a|*', 'missing argument to repetition operator: `*`'],
    ];
    for (const [source, why] of refused) expect(fault(source), source).toBe(why);
  });

  test('what Go accepts is accepted', () => {
    const taken = [
      '(?P<n>a)(?P<n>b)',
      'a{,2}',
      'a{',
      '[]a]',
      'a??',
      '(?i)',
      '^*',
      '$+',
      '(?<n>a)',
      '\\Qa*\\E',
      '\\pLx',
      '[\\pL\\d]',
      '\\0',
      '\\07',
      '\\_',
      '\\/',
      '(?-i)a',
      '(?i-s:a)',
      '[[:^alpha:]]',
      'a{1,1000}',
      '[a-]',
      '[-a]',
      '[a-b-c]',
      '(?P<1a>x)',
      '()',
      '(?s).',
      '(?U)a+',
      '\\z',
      '\\A',
      '\\b',
    ];
    for (const source of taken) expect(fault(source), source).toBe(undefined);
  });

  test('the nesting of groups is limited', () => {
    expect(fault(`${'('.repeat(1000)}a${')'.repeat(1000)}`)).toBe(undefined);
    expect(fault(`${'('.repeat(1001)}a${')'.repeat(1001)}`)).toMatch(/^expression nests too deeply: /);
  });
});

describe('the meaning', () => {
  const matches: readonly (readonly [source: string, yes: readonly string[], no: readonly string[]])[] = [
    ['^[a-z]+$', ['abc'], ['', 'aBc', 'abc\n']],
    ['b', ['abc'], ['ac']],
    ['(?i)^abc$', ['ABC', 'aBc'], ['abd']],
    ['(?i)k', ['K', '\u212a'], ['l']],
    ['^(?i:a)b$', ['Ab', 'ab'], ['aB']],
    ['^(a(?i)b)c$', ['aBc'], ['aBC', 'ABc']],
    ['^(?P<year>[0-9]{4})-(?<month>[0-9]{2})$', ['2026-01'], ['26-01']],
    ['^[[:alpha:]_]+$', ['aZ_'], ['a1', 'é']],
    ['^[[:^alpha:]]$', ['1', 'é'], ['a']],
    ['^\\pL+$', ['aéα'], ['a1']],
    ['^\\p{Greek}+$', ['αβ'], ['a']],
    ['^\\PL$', ['1'], ['a']],
    ['^\\w+$', ['a_1'], ['é']],
    ['^\\s$', ['\t', ' '], ['\v', '\u00a0']],
    ['^.$', ['a', '\u{1f600}'], ['\n', 'ab']],
    ['(?s)^.$', ['\n'], []],
    ['(?m)^b$', ['a\nb\nc'], ['ab']],
    ['\\Aa\\z', ['a'], ['a\n', 'ba']],
    ['\\bcat\\b', ['a cat.'], ['cats']],
    ['^\\Qa.b\\E$', ['a.b'], ['axb']],
    ['^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']],
    ['^a{2,}$', ['aa', 'aaaaa'], ['a']],
    ['^(ab|c)*d$', ['d', 'abcabd'], ['abd ', 'ac']],
    ['^(a*)*$', ['', 'aaa'], ['b']],
    ['^[]a]+$', [']a'], ['b']],
    ['^[a-c-e]+$', ['b-e'], ['d']],
    ['^\\x41\\x{e9}\\101$', ['AéA'], []],
    ['^a{,2}$', ['a{,2}'], ['aa']],
    ['^$', [''], ['a']],
  ];
  for (const [source, yes, no] of matches)
    test(source, () => {
      const expression = new Re2(source);
      for (const text of yes) expect(expression.test(text), JSON.stringify(text)).toBe(true);
      for (const text of no) expect(expression.test(text), JSON.stringify(text)).toBe(false);
    });

  test('where JavaScript has the same syntax, it has the same meaning', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '(?:',
      '(',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{2}',
      '^',
      '$',
      '\\d',
    );
    const source = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const text = fc.array(fc.constantFrom('a', 'b', '1', '\n'), { maxLength: 6 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(source, text, (pattern, subject) => {
        fc.pre(fault(pattern) === undefined);
        let native: RegExp;
        try {
          native = new RegExp(pattern, 'u');
        } catch {
          return fc.pre(false);
        }
        expect(new Re2(pattern).test(subject)).toBe(native.test(subject));
        return undefined;
      }),
      { numRuns: 2000 },
    );
  });

  test('matching takes at most length of text × size of expression steps', () => {
    // With backtracking the first expression alone would never end.
    const text = `${'a'.repeat(5000)}!`;
    for (const source of ['^(a+)+$', '^(a|a)*$', '^(a*)*b$', '(x+x+)+y', `^${'a?'.repeat(30)}${'a'.repeat(30)}$`])
      expect(new Re2(source).test(text), source).toBe(false);
    expect(new Re2('^(a+)+!$').test(text)).toBe(true);
  });
});
