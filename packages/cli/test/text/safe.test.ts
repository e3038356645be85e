import { expect, test } from 'vitest';
import { sourcesIn } from '../../../../test/release/sources.ts';
import { customResourceColumns } from '../../src/columns/resource-columns.ts';
import { targetKindName } from '../../src/session/session-target.ts';
import { escapeJsonText, escapeLines, escapeText, escapeYamlText } from '../../src/text/escape.ts';
import { joinSafe, safe } from '../../src/text/safe.ts';
import { plainStyle } from '../../src/text/style.ts';
import { tableLines } from '../../src/text/table-lines.ts';

/** Characters that a terminal or a reader must not get raw: C0, DEL, C1, direction, invisible, separators. */
const HOSTILE = '\u001b]0;owned\u0007\u007f\u0085\u009b31m\u200b\u200f\u202e\u2066\u2028\u2029\ufeff\u{e0041}';
const RAW = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;

test('S68: escaped texts have no control character, no C1, and nothing that hides or reverses text', () => {
  const json = JSON.stringify({ a: HOSTILE });
  for (const text of [escapeText(HOSTILE), escapeLines(`a\n${HOSTILE}`), escapeJsonText(json), escapeYamlText(json)])
    expect(text).not.toMatch(RAW);
  expect(JSON.parse(escapeJsonText(json))).toEqual({ a: HOSTILE });
});

test('S117: what is invisible in any other way is escaped, and accents do not pile up', () => {
  const invisible = '\u034f\u115f\u17b4\u180b\u3164\ufe0f\uffa0\u{e0100}\u{e01ef}';
  const marks = `a${'\u0301'.repeat(500)}`;
  const json = JSON.stringify({ a: invisible, b: marks });
  for (const text of [escapeText(invisible), escapeLines(invisible), escapeJsonText(json), escapeYamlText(json)])
    expect(text).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
  for (const text of [escapeText(marks), escapeJsonText(json), escapeYamlText(json)])
    expect(text).not.toMatch(/\p{M}{9}/u);
  expect(JSON.parse(escapeJsonText(json))).toEqual({ a: invisible, b: marks });
  expect(escapeText('é ê ก้ क्षि')).toBe('é ê ก้ क्षि');
});

test("S68: the title of a custom resource's column is escaped", () => {
  const columns = customResourceColumns([{ name: HOSTILE, type: 'string', jsonPath: '.spec.a' }], { random: () => 0 });
  expect(tableLines(columns, [], plainStyle).join('\n')).not.toMatch(RAW);
});

test('S68: the kind in front of a name is escaped', () => {
  const resource = { group: `x${HOSTILE}`, singular: HOSTILE, kind: 'X' } as Parameters<typeof targetKindName>[0];
  expect(targetKindName(resource)).not.toMatch(RAW);
});

test('S68: a safe template is the text itself', () => {
  expect(safe`a${1}${safe`b`}\n`).toBe('a1b\n');
  expect(joinSafe([safe`a`, safe`b`], ', ')).toBe('a, b');
});

test('S68: only the room of texts turns an ordinary text into a safe one', () => {
  const outside = sourcesIn('packages/cli/src').filter(({ path }) => !path.startsWith('packages/cli/src/text/'));
  expect(outside.length).toBeGreaterThan(50);
  expect(outside.filter(({ text }) => /keptSafe|as (?:unknown as )?Safe\b/.test(text)).map(({ path }) => path)).toEqual(
    [],
  );
});
