import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPlainYaml } from '../../../src/client/config/plain-yaml.ts';
import { parseSafeYamlFully } from '../../../src/client/config/safe-yaml.ts';
import { WRITERS } from '../rig/kubeconfigs.ts';

/** Scalars of every type and many that look like another type, as they would be written. */
const ODD_SCALARS = String.raw`
true ¦ True ¦ FALSE ¦ null ¦ ~ ¦ ~/x ¦ Null ¦ yes ¦ no ¦ on ¦ 0 ¦ -0 ¦ +1 ¦ 007 ¦ 123 ¦ 0x1f ¦ 0o17 ¦ 1e3 ¦ 1e-3 ¦ -1
1. ¦ .5 ¦ -.5 ¦ 1_000 ¦ .inf ¦ -.INF ¦ .nan ¦ 2024-01-01 ¦ 2024-01-01T00:00:00Z ¦ 12:30:45 ¦ 127.0.0.1
127.0.0.1:6443 ¦ 123456789012345678901 ¦ 1e400 ¦ 0.0 ¦ NaN ¦ e3 ¦ 1e ¦ 0x ¦ -- ¦ --region ¦ -c ¦ - ¦ - a ¦ --- ¦ ...
-  ¦ a: b ¦ a:b ¦ a: ¦ :a ¦ : a ¦ a #b ¦ a#b ¦ #a ¦  # a ¦ 'a' ¦ 'a''b' ¦ 'a' # b ¦ 'a ¦ 'a'b ¦ 'a'#b ¦ "a" ¦ "a\"b"
"a\nb" ¦ "a\x41" ¦ "a\u0041" ¦ "a" # b ¦ "a"b ¦ "a ¦ "" ¦ '' ¦ '#' ¦ ": " ¦ 'a: b' ¦ [] ¦ {} ¦ [ ] ¦ {a: b} ¦ [a]
[] # a ¦ {}x ¦ &a b ¦ *a ¦ !!str 1 ¦ | ¦ |- ¦ |2 ¦ |+ ¦ > ¦ >- ¦ | # a ¦ %a ¦ @a ¦ ? ¦ ? a ¦ ?a ¦ << ¦ = ¦ ! ¦ & ¦ *
$(a) ¦ <a> ¦ (a, b) ¦ Mon, 02 Jan 2006 15:04:05 MST ¦ https://a:1/b?c=d&e#f ¦ a  b ¦ ä ¦ 名 ¦ 😀
`
  .slice(1, -1)
  .split(/ ¦ |\n/);
const oddScalar = fc.oneof(
  fc.constantFrom(...ODD_SCALARS, '', '`a', 'a\tb', '\u00a0', '\ufeff'),
  fc.string({ maxLength: 8 }),
  fc.string({ maxLength: 6, unit: fc.constantFrom(...'ab01 :#-\'"\\[]{}&*!|>,.~%@?=<'.split('')) }),
  fc.base64String({ maxLength: 12 }),
);
const scalar = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      'a',
      'true',
      '0',
      '443',
      '""',
      "'b c'",
      '"d: e"',
      '{}',
      '[]',
      'f:g',
      '--h',
      'i, j',
      'null',
      '10.0.0.1',
      'k # l',
    ),
    weight: 12,
  },
  oddScalar,
);
const oddKey = fc.oneof(
  fc.constantFrom(
    'name',
    'user',
    'a',
    'b',
    '__proto__',
    'as-groups',
    'example.com/x',
    'null',
    'true',
    '1',
    '1e3',
    '<<',
    '"q"',
    "'q'",
    '? a',
    '-a',
    '.inf',
  ),
  fc.string({ maxLength: 4 }),
);
const key = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      'name',
      'user',
      'cluster',
      'server',
      'a',
      'b',
      'c',
      'd',
      'e',
      'example.com/x',
      '__proto__',
    ),
    weight: 30,
  },
  oddKey,
);
const usually = (text: string, ...others: readonly string[]) =>
  fc.oneof({ arbitrary: fc.constant(text), weight: 20 }, fc.constantFrom(...others));
const comment = usually('', ' # c', '#c', '  ', '  # c');
const gap = usually('', '\n', '# c\n', '   # c\n', '  \n', '\n\n', '---\n', '...\n', '\t\n');
const space = usually(' ', '  ', '', '   ');

interface Written {
  /** Lines, each without the indentation of the collection around it. */
  readonly lines: readonly string[];
  readonly kind: 'scalar' | 'map' | 'list' | 'text';
}

const indent = (lines: readonly string[], width: number): string[] =>
  lines.map((line) => (line.trim() === '' ? line : ' '.repeat(width) + line));

const { document } = fc.letrec<{
  document: Written;
  value: Written;
  map: Written;
  list: Written;
  text: Written;
  scalar: Written;
}>((tie) => ({
  document: fc.oneof({ arbitrary: tie('map'), weight: 8 }, tie('list'), tie('scalar')),
  value: fc.oneof({ maxDepth: 4 }, tie('scalar'), tie('text'), tie('map'), tie('list')),
  scalar: fc
    .record({ scalar, comment, more: fc.option(scalar, { freq: 20, nil: undefined }), width: fc.nat(4) })
    .map((s) => ({
      kind: 'scalar' as const,
      lines: [s.scalar + s.comment, ...(s.more === undefined ? [] : [' '.repeat(s.width) + s.more])],
    })),
  text: fc
    .record({
      head: fc.constantFrom('|', '|-', '|2', '|1-', '|+', '>'),
      lines: fc.array(scalar, { maxLength: 4 }),
      width: fc.nat(4),
    })
    .map(({ head, lines, width }) => ({
      kind: 'text' as const,
      lines: [head, ...lines.map((line) => ' '.repeat(width) + line)],
    })),
  map: fc
    .array(fc.record({ key, value: tie('value'), gap, comment, width: fc.nat(3), space }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((entries) => ({
      kind: 'map' as const,
      lines: entries.flatMap(({ key: name, value, gap: before, comment: behind, width, space: between }) => {
        const [first = '', ...rest] = value.lines;
        const own =
          value.kind === 'scalar' || value.kind === 'text'
            ? [`${name}:${between}${first}`, ...indent(rest, width)]
            : [`${name}:${behind}`, ...indent(value.lines, value.kind === 'list' ? width : Math.max(1, width))];
        return [...before.split('\n').slice(0, -1), ...own];
      }),
    })),
  list: fc.array(fc.record({ value: tie('value'), gap, space }), { minLength: 1, maxLength: 3 }).map((items) => ({
    kind: 'list' as const,
    lines: items.flatMap(({ value, gap: before, space: behind }) => {
      const [first = '', ...rest] = value.lines;
      return [...before.split('\n').slice(0, -1), `-${behind}${first}`, ...indent(rest, 1 + behind.length)];
    }),
  })),
}));
const generated = fc
  .record({
    document,
    head: usually('', '---\n', '# c\n', '%YAML 1.2\n---\n', ' '),
    tail: usually('\n', '', '\n\n', '\n# c', '\n...\n', '\n---\n'),
  })
  .map(({ document: { lines }, head, tail }) => head + lines.join('\n') + tail);

const json = fc
  .record({
    value: fc.dictionary(fc.oneof(key, fc.string()), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 }),
    space: fc.constantFrom(undefined, 1, 2, '\t'),
  })
  .map(({ value, space }) => JSON.stringify(value, undefined, space));

/** A text of a tool with some characters replaced, removed or added, and lines moved. */
const mutated = fc
  .record({
    text: fc.oneof(fc.constantFrom(...Object.values(WRITERS)), generated, json),
    changes: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        length: fc.nat(3),
        put: fc.oneof(
          scalar,
          fc.constantFrom(
            '',
            ' ',
            '  ',
            '\n',
            '\n  ',
            '\n- ',
            ': ',
            ' #',
            '#',
            '\r\n',
            '\t',
            '"',
            "'",
            '- ',
            ',',
            '{',
            '}',
          ),
        ),
        move: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ text, changes }) => {
    let now = text;
    for (const { at, length, put, move } of changes) {
      const from = Math.floor(at * now.length);
      if (!move) {
        now = now.slice(0, from) + put + now.slice(from + length);
        continue;
      }
      const lines = now.split('\n');
      const [line = ''] = lines.splice(Math.floor(at * lines.length), 1);
      lines.splice(Math.floor(at * 7919) % (lines.length + 1), 0, ' '.repeat(length) + line.trimStart());
      now = lines.join('\n');
    }
    return now;
  });

const runs = Number(process.env['PLAIN_YAML_RUNS'] ?? 2_000);

/** Number of texts that were read, so that a reader that refuses everything fails. */
async function countRead(texts: fc.Arbitrary<string>): Promise<number> {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const plain = readPlainYaml(text);
      if (plain === undefined) return;
      read += 1;
      expect(plain).toStrictEqual(await parseSafeYamlFully(text, 'the file'));
    }),
    { numRuns: runs },
  );
  return read / runs;
}

test('D7: what is read without the parser is what the parser reads: generated YAML', async () => {
  expect(await countRead(generated)).toBeGreaterThan(0.02);
});

test('D7: what is read without the parser is what the parser reads: generated JSON', async () => {
  expect(await countRead(json)).toBeGreaterThan(0.5);
});

test('D7: what is read without the parser is what the parser reads: files of tools with mistakes', async () => {
  expect(await countRead(mutated)).toBeGreaterThan(0.1);
});
