import { expect, test } from 'vitest';
import { colours, noColours, paletteFor, toneOf } from '../../src/terminal/style.ts';
import { columnWidths, fitWidths, rowLine, type TableColumn, tableLines } from '../../src/terminal/table.ts';
import { fit, truncate, widthOf } from '../../src/terminal/width.ts';
import { bytesText, counted, grouped, rateText } from '../../src/terminal/numbers.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: 'NAME' },
  { title: 'COUNT', align: 'right' },
  { title: 'TEXT', flexible: true },
];

test('columns are as wide as what they hold, numbers stand on the right', () => {
  const rows = [{ cells: ['web', '3', 'fine'] }, { cells: ['checkout', '12,000', ''], mark: '~' }];
  expect(tableLines(COLUMNS, rows, noColours)).toEqual([
    ' NAME        COUNT   TEXT',
    ' web             3   fine',
    '~checkout   12,000',
  ]);
});

test('a table that is too wide takes from the flexible column first, then from the widest', () => {
  expect(fitWidths(COLUMNS, [10, 5, 30], 40)).toEqual([10, 5, 18]);
  expect(fitWidths(COLUMNS, [30, 5, 6], 30)).toEqual([14, 5, 4]);
  const narrow = fitWidths(COLUMNS, [30, 5, 6], 30);
  const line = rowLine(COLUMNS, narrow, { cells: ['a'.repeat(30), '5', 'abcdef'] }, noColours);
  expect(line).toBe(` ${'a'.repeat(13)}…       5   abc…`);
});

test('columns never get narrower while a table lives', () => {
  expect(columnWidths(COLUMNS, [{ cells: ['x', '1', 'y'] }], [9, 2, 2])).toEqual([9, 5, 4]);
});

test('East Asian characters take two cells and accents none', () => {
  expect([widthOf('大小'), widthOf('e\u0301'), widthOf('🚀'), widthOf('abc')]).toEqual([4, 1, 2, 3]);
  expect(truncate('大小大小', 5)).toBe('大小…');
  expect(fit('大', 4)).toBe('大  ');
});

test('a row that has just changed is painted as a whole, others by the words in them', () => {
  const widths = [4, 5, 4];
  expect(rowLine(COLUMNS, widths, { cells: ['web', '1', 'ok'], mark: '-', tone: 'deleted' }, colours)).toBe(
    '\u001b[2;9m-web        1   ok\u001b[0m',
  );
  expect(rowLine(COLUMNS, widths, { cells: ['web', '1', 'ok'], tones: [undefined, undefined, 'good'] }, colours)).toBe(
    ' web        1   \u001b[32mok\u001b[0m',
  );
});

test('colours are for terminals whose owner did not say NO_COLOR', () => {
  expect(paletteFor(true, {})).toBe(colours);
  expect(paletteFor(true, { NO_COLOR: '' })).toBe(colours);
  expect(paletteFor(true, { NO_COLOR: '1' })).toBe(noColours);
  expect(paletteFor(false, {})).toBe(noColours);
});

test.each([
  ['Running', 'good'], ['CrashLoopBackOff', 'bad'], ['Pending', 'warn'], ['Init:0/1', 'warn'], ['Init:Error', 'bad'], ['Anything', 'plain'],
] as const)('the word %s looks %s', (word, tone) => expect(toneOf(word)).toBe(tone)); // prettier-ignore

test('numbers are written for people', () => {
  expect([grouped(0), grouped(1_234_567)]).toEqual(['0', '1,234,567']);
  expect([bytesText(0), bytesText(999), bytesText(1_234), bytesText(123_456_789)]).toEqual(['0 B', '999 B', '1.2 kB', '123 MB']); // prettier-ignore
  expect([rateText(0), rateText(0.26), rateText(123.4)]).toEqual(['0', '0.3', '123']);
  expect([counted(1, 'object'), counted(2, 'object')]).toEqual(['1 object', '2 objects']);
});
