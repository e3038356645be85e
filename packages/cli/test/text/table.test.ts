import fc from 'fast-check';
import { expect, test } from 'vitest';
import { colourStyle, plainStyle, stylePalette } from '../../src/text/style.ts';
import { statusTone } from '@kube-informer/inspector/internal';
import {
  tableLineWidths,
  fittedTableLines,
  tableTextLayout,
  tableRowLine,
  type TableColumn,
  tableLines,
} from '../../src/text/table-lines.ts';
import { clipToWidth, fitWidth, truncateToWidth, textWidth } from '../../src/text/width.ts';
import { byteNumberText, pluralNumber, thousandsNumber, perSecondNumberText } from '../../src/text/numbers.ts';
import { escapeText } from '../../src/text/escape.ts';
import { safe } from '../../src/text/safe.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: safe`NAME`, priority: Infinity },
  { title: safe`COUNT`, align: 'right' },
  { title: safe`TEXT`, priority: 2, minWidth: 4 },
];

test('columns are as wide as their contents, and numbers are aligned right', () => {
  const rows = [
    { cells: [safe`web`, safe`3`, safe`fine`] },
    { cells: [safe`checkout`, safe`12,000`, safe``], mark: safe`~` },
  ];
  expect(tableLines(COLUMNS, rows, plainStyle)).toEqual([
    ' NAME        COUNT   TEXT',
    ' web             3   fine',
    '~checkout   12,000',
  ]);
});

test('a table that is too wide truncates texts, then drops columns by priority, and truncates names last', () => {
  expect(tableTextLayout(COLUMNS, [10, 5, 30], 52)).toEqual({ shown: [0, 1, 2], widths: [10, 5, 30] });
  expect(tableTextLayout(COLUMNS, [10, 5, 30], 40)).toEqual({ shown: [0, 1, 2], widths: [10, 5, 18] });
  expect(tableTextLayout(COLUMNS, [10, 5, 30], 24)).toEqual({ shown: [0, 2], widths: [10, 10] });
  expect(tableTextLayout(COLUMNS, [10, 5, 30], 17)).toEqual({ shown: [0], widths: [10] });
  expect(tableTextLayout(COLUMNS, [10, 5, 30], 8)).toEqual({ shown: [0], widths: [7] });
  const rows = [{ cells: [escapeText('a'.repeat(10)), safe`5`, safe`abcdef`] }];
  expect(fittedTableLines(COLUMNS, [10, 5, 30], rows, 19, plainStyle)).toEqual([
    ' NAME         TEXT',
    ' aaaaaaaaaa   abcd…',
  ]);
});

test('in 10 to 200 columns no line of any table is too long, and names are truncated last', () => {
  const cell = fc
    .string({ unit: fc.constantFrom('a', 'b', ' ', '大', '🚀', 'e\u0301', '…', '⌚'), maxLength: 40 })
    .map(escapeText);
  const column = fc.record({
    title: fc.stringMatching(/^[A-Z]{1,12}$/).map(escapeText),
    align: fc.constantFrom('left' as const, 'right' as const),
    keep: fc.constantFrom(0, 1, 2, 3, Infinity),
    minWidth: fc.integer({ min: 1, max: 20 }),
  });
  const table = fc.array(column, { minLength: 1, maxLength: 9 }).chain((more) => {
    const columns: readonly TableColumn[] = [{ title: safe`NAME`, priority: Infinity }, ...more];
    const row = fc.record({ cells: fc.array(cell, { minLength: columns.length, maxLength: columns.length }) });
    return fc.record({ columns: fc.constant(columns), rows: fc.array(row, { maxLength: 5 }) });
  });
  fc.assert(
    fc.property(table, ({ columns, rows }) => {
      const widths = tableLineWidths(columns, rows);
      // Not one expectation for each line: 200,000 of them take seconds.
      const wrong: string[] = [];
      for (let line = 10; line <= 200; line += 1) {
        const { shown, widths: fitted } = tableTextLayout(columns, widths, line);
        if (shown[0] !== 0) wrong.push(`${line}: no name`);
        // A name is truncated only if every other column is at its minimum.
        const others = fitted.slice(1);
        if ((fitted[0] ?? 0) < (widths[0] ?? 0) && Math.max(0, ...others) > 7)
          wrong.push(`${line}: name before others`);
        // Columns that are always shown need a cell and a gap each; below that the screen clips.
        const isRoomy = line >= 1 + shown.length * 4;
        for (const one of fittedTableLines(columns, widths, rows, line, plainStyle))
          if (textWidth(isRoomy ? one : clipToWidth(one, line)) > line || textWidth(clipToWidth(one, line)) > line)
            wrong.push(`${line}: too long: ${one}`);
      }
      expect(wrong).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test('a coloured line is truncated by its visible width, and its colours are reset', () => {
  expect(clipToWidth(safe`\u001b[32mRunning\u001b[0m and more`, 9)).toBe('\u001b[32mRunning\u001b[0m a');
  expect(clipToWidth(safe`\u001b[32mRunning\u001b[0m`, 3)).toBe('\u001b[32mRun\u001b[0m');
  expect(clipToWidth(safe`大小`, 3)).toBe('大');
  expect(clipToWidth(safe`plain`, 5)).toBe('plain');
});

test('columns of a live table never get narrower', () => {
  expect(tableLineWidths(COLUMNS, [{ cells: [safe`x`, safe`1`, safe`y`] }], [9, 2, 2])).toEqual([9, 5, 4]);
});

test('East Asian characters take two cells and accents none', () => {
  expect([textWidth('大小'), textWidth('e\u0301'), textWidth('🚀'), textWidth('abc')]).toEqual([4, 1, 2, 3]);
  expect(truncateToWidth(safe`大小大小`, 5)).toBe('大小…');
  expect(fitWidth(safe`大`, 4)).toBe('大  ');
});

test('a row that has just changed is coloured as a whole, others by their status', () => {
  const widths = [4, 5, 4];
  expect(
    tableRowLine(
      COLUMNS,
      widths,
      { cells: [safe`web`, safe`1`, safe`ok`], mark: safe`-`, tone: 'deleted' },
      colourStyle,
    ),
  ).toBe('\u001b[2;9m-web        1   ok\u001b[0m');
  expect(
    tableRowLine(
      COLUMNS,
      widths,
      { cells: [safe`web`, safe`1`, safe`ok`], tones: [undefined, undefined, 'good'] },
      colourStyle,
    ),
  ).toBe(' web        1   \u001b[32mok\u001b[0m');
});

test('colours are used on terminals without NO_COLOR', () => {
  expect(stylePalette(true, {})).toBe(colourStyle);
  expect(stylePalette(true, { NO_COLOR: '' })).toBe(colourStyle);
  expect(stylePalette(true, { NO_COLOR: '1' })).toBe(plainStyle);
  expect(stylePalette(false, {})).toBe(plainStyle);
});

test.each([
  ['Running', 'good'], ['CrashLoopBackOff', 'bad'], ['Pending', 'warn'], ['Init:0/1', 'warn'], ['Init:Error', 'bad'], ['Anything', 'plain'],
] as const)('the status %s is shown as %s', (word, tone) => expect(statusTone(word)).toBe(tone)); // prettier-ignore

test('numbers are formatted', () => {
  expect([thousandsNumber(0), thousandsNumber(1_234_567)]).toEqual(['0', '1,234,567']);
  expect([byteNumberText(0), byteNumberText(999), byteNumberText(1_234), byteNumberText(123_456_789)]).toEqual(['0 B', '999 B', '1.2 kB', '123 MB']); // prettier-ignore
  expect([perSecondNumberText(0), perSecondNumberText(0.26), perSecondNumberText(123.4)]).toEqual(['0', '0.3', '123']);
  expect([pluralNumber(1, safe`object`), pluralNumber(2, safe`object`)]).toEqual(['1 object', '2 objects']);
});

test('S119: one cell of a megabyte widens no other row, and is printed whole', () => {
  const long = escapeText('x'.repeat(1_000_000));
  const rows = [{ cells: [long, safe`1`, safe`a`] }, ...Array.from({ length: 100 }, () => ({ cells: [safe`web`, safe`2`, safe`b`] }))];
  const lines = tableLines(COLUMNS, rows, plainStyle);
  expect(lines[1]).toBe(` ${long}       1   a`);
  expect(lines.slice(2).every((line) => line.length < 1_000)).toBe(true);
}); // prettier-ignore
