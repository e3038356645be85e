import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeColumns, escapeJsonText, escapeLines, escapeText } from '../../src/text/escape.ts';

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

test.each([
  ['a terminal title', '\u001b]0;owned\u0007', '\\x1b]0;owned\\x07'],
  ['a colour', '\u001b[31mred', '\\x1b[31mred'],
  ['a link', '\u001b]8;;http://evil\u001b\\x', '\\x1b]8;;http://evil\\x1b\\x'],
  ['an eight-bit escape', '\u009b2J', '\\x9b2J'],
  ['a change of direction', 'user\u202etxt.exe', 'user\\u202etxt.exe'],
  ['an invisible space', 'web\u200b-1', 'web\\u200b-1'],
  ['line breaks and tabs', 'a\r\n\tb', 'a\\r\\n\\tb'],
  ['half a character', 'x\ud800y', 'x\\ud800y'],
  ['a tag character', 'x\u{e0041}y', 'x\\u{e0041}y'],
])('S36: %s is escaped', (_, text, shown) => {
  expect(escapeText(text)).toBe(shown);
});

test('S36: printed text contains no invisible characters, whatever the input', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(HIDDEN.test(escapeText(text))).toBe(false);
      expect(HIDDEN.test(escapeLines(text).replaceAll('\n', ''))).toBe(false);
    }),
  );
});

test('S36: a template keeps its tabs and line breaks, and nothing else that is invisible', () => {
  expect(escapeColumns('a\tb\nc\u001b[31m')).toBe('a\tb\nc\\x1b[31m');
});

test('ordinary text is not changed', () => {
  fc.assert(fc.property(fc.stringMatching(/^[ -~]*$/), (text) => escapeText(text) === text));
  expect(escapeText('Größe 大小 🚀')).toBe('Größe 大小 🚀');
});

test('S36: escaped JSON parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const json = escapeJsonText(JSON.stringify({ value, text }));
      expect(HIDDEN.test(json)).toBe(false);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text })));
    }),
  );
});
