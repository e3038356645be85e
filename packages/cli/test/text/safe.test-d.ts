import { expectTypeOf, test } from 'vitest';
import type { Output } from '../../src/host/host.ts';
import { escapeText } from '../../src/text/escape.ts';
import { joinSafe, safe, type Safe } from '../../src/text/safe.ts';
import type { Palette } from '../../src/text/style.ts';
import type { TableColumn, TableRow } from '../../src/text/table-lines.ts';
import { truncateToWidth } from '../../src/text/width.ts';

declare const output: Output;
declare const palette: Palette;
declare const name: string;

test('S68: a text that was not escaped does not compile', () => {
  // @ts-expect-error -- a text of a cluster
  output.write(name);
  // @ts-expect-error -- a literal too: it might be a template one day
  output.write(`${name}\n`);
  // @ts-expect-error -- inside of a safe text
  output.write(safe`${name}\n`);
  // @ts-expect-error -- coloured
  palette('bold', name);
  // @ts-expect-error -- joined
  joinSafe([name]);
  // @ts-expect-error -- fitted
  truncateToWidth(name, 3);
  // @ts-expect-error -- a title of a column
  ({ title: name }) satisfies TableColumn;
  // @ts-expect-error -- a cell
  ({ cells: [name] }) satisfies TableRow;
  // @ts-expect-error -- the result of an operation is an ordinary text again
  output.write(safe`a` + name);
});

test('S68: an escaped text, a number, and literals of the program compile', () => {
  expectTypeOf(escapeText(name)).toEqualTypeOf<Safe>();
  expectTypeOf(safe`${escapeText(name)} ${7}\n`).toEqualTypeOf<Safe>();
  output.write(palette('bold', safe`ok`));
});
