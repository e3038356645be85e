import { describe, expect, test } from 'vitest';
import { parseSafeYaml, YAML_LIMITS } from '../../../src/client/config/safe-yaml.ts';
import { failure } from '../rig/auth-rig.ts';

const problem = async (text: string): Promise<string> => (await failure(() => parseSafeYaml(text, 'the file'))).message;

/** Nine lists, each with nine references to the one before. */
const ALIAS_BOMB = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'.split('').map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(',')}]`),
].join('\n');

/** Each mapping merges the one before ten times over: a billion, for who reads it anew each time. */
const MERGE_TOWER = [
  'm0: &m0 {x: 0}',
  ...Array.from({ length: 9 }, (_, i) => `m${i + 1}: &m${i + 1} {<<: [${Array(10).fill(`*m${i}`).join(', ')}]}`),
].join('\n');

/** Each holds two mappings that merge the one before: doubled with each line. */
const DEEP_MERGE_BOMB = [
  'm0: &m0 {x: 0}',
  ...Array.from({ length: 49 }, (_, i) => `m${i + 1}: &m${i + 1} {p: {<<: *m${i}}, q: {<<: *m${i}}}`),
].join('\n');

const WIDE_MERGES = [
  `w: &w {${Array.from({ length: 12_000 }, (_, i) => `k${i}: 0`).join(', ')}}`,
  ...Array.from({ length: 90 }, (_, i) => `m${i}: {<<: *w}`),
].join('\n');

const DEEP_ALIASES = ['m0: &m0 {x: 0}', ...Array.from({ length: 90 }, (_, i) => `m${i + 1}: &m${i + 1} [*m${i}]`)].join(
  '\n',
);

describe('S12: hostile YAML is refused by limits that are checked before anything is built', () => {
  test.each<[string, string, RegExp]>([
    ['an alias bomb', ALIAS_BOMB, /aliases/],
    ['20,000 aliases', `a: &a {b: c}\nlist:\n${'  - *a\n'.repeat(20_000)}`, /more than 100 YAML aliases/],
    ['20,000 merge keys', `a: &a {b: c}\nd:\n${'  <<: *a\n'.repeat(20_000)}`, /more than 100 YAML aliases/],
    ['10 MB', `a: "${'x'.repeat(10 << 20)}"`, /larger than 1 MB/],
    ['10,000 levels of [', '['.repeat(10_000), /nested deeper than 64/],
    ['10,000 levels of {a:', '{a: '.repeat(10_000), /nested deeper than 64/],
    ['10,000 levels of -', `${'- '.repeat(10_000)}x`, /nested deeper than 64/],
    ['10,000 levels of ?', `${'? '.repeat(10_000)}x`, /nested deeper than 64/],
    [
      '1,000 levels of indentation',
      Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      /nested deeper/,
    ],
    [
      'levels hidden in levels',
      Array.from({ length: 70 }, (_, i) => `${'  '.repeat(i)}- - a:`).join('\n'),
      /nested deeper/,
    ],
    ['half a million tokens', 'k: v\n'.repeat(125_000), /more than 100000 YAML tokens/],
    ['a function', 'a: !!js/function "function () {}"', /YAML tag/],
    ['an ordered map', 'a: !!omap [b: c]', /YAML tag/],
    ['a tag in full', 'a: !<tag:yaml.org,2002:omap> [b: c]', /YAML tag/],
    ['bytes', 'a: !!binary aGk=', /YAML tag/],
    ['a renamed tag', '%TAG !e! tag:yaml.org,2002:\n---\na: !e!omap [b: c]', /YAML directive/],
    ['an alias to nothing', 'a: *b', /an alias without an anchor, line 1, column 4/],
    ['an alias within itself', 'a: &a [*a]', /an alias inside its own anchor, line 1, column 8/],
    ['merging itself', 'a: &a {<<: *a}', /an alias inside its own anchor/],
    ['a bomb of merge keys', DEEP_MERGE_BOMB, /aliases that expand to too many values/],
    ['merging a large mapping again and again', WIDE_MERGES, /aliases that expand to too many values/],
    ['levels of aliases', DEEP_ALIASES, /aliases that expand to too many values, line 65/],
    ['merging a string', 'a:\n  <<: CANARY', /a merge key \(<<\) whose value is not a mapping, line 2, column 3/],
    ['merging nothing', 'a:\n  <<:', /not a mapping/],
    ['merging a list of texts', 'a: {<<: [CANARY]}', /not a mapping/],
    ['merging an alias of a list', 'l: &l [{b: c}]\na: {<<: *l}', /not a mapping/],
    ['<< twice', 'a: {<<: {b: c}, <<: {d: e}}', /duplicate key/],
    ['a duplicate key', 'a: 1\nb: 2\na: 3', /duplicate key, line 3, column 1/],
    ['two documents', 'a: 1\n---\nb: 2', /contains 2 documents/],
    ['broken YAML', 'a: [1, 2', /not valid YAML: \w+, line 1/],
  ])('%s', async (_, text, expected) => {
    expect(await problem(text)).toMatch(expected);
  });
});

test('S12: the lexical check ends at the first limit and reads no further', async () => {
  let read = 0;
  const { Lexer } = await import('yaml');
  type Lex = (this: InstanceType<typeof Lexer>, source: string) => Generator<string, void>;
  const lex = Reflect.get(Lexer.prototype, 'lex') as Lex;
  Lexer.prototype.lex = function* counted(source) {
    for (const token of lex.call(this, source)) {
      read += 1;
      yield token;
    }
  };
  try {
    await problem('['.repeat(500_000));
    expect(read).toBeGreaterThan(YAML_LIMITS.depth);
    expect(read).toBeLessThan(YAML_LIMITS.depth + 10);
    read = 0;
    await problem('k: v\n'.repeat(200_000));
    expect(read).toBe(YAML_LIMITS.tokens + 1);
  } finally {
    Lexer.prototype.lex = lex;
  }
});

describe('S12: merge keys are honoured', () => {
  const base = 'b: &b {token: t, user: u}\nc: &c {token: other, more: m}\n';
  test.each<[string, string, Record<string, unknown>]>([
    ['of an alias', 'a: {<<: *b}', { token: 't', user: 'u' }],
    ['of a mapping', 'a: {<<: {token: x}}', { token: 'x' }],
    ['what the mapping says itself wins', 'a: {<<: *b, token: own}', { token: 'own', user: 'u' }],
    ['after other keys', 'a: {own: 1, <<: *b}', { own: 1, token: 't', user: 'u' }],
    ['of several: the first wins', 'a: {<<: [*b, *c]}', { token: 't', user: 'u', more: 'm' }],
    ['of one that merges', 'd: &d {<<: *b, user: d}\na: {<<: *d}', { token: 't', user: 'd' }],
    ['the latest anchor of the name is meant', 'd: &b {token: late}\na: {<<: *b}', { token: 'late' }],
    ['not in quotes', 'a: {"<<": 1}', { '<<': 1 }],
    ['not with a tag', 'a: {!!str <<: 1}', { '<<': 1 }],
  ])('%s', async (_, text, expected) => {
    const value = (await parseSafeYaml(base + text, 'the file')) as Map<string, unknown>;
    expect(Object.fromEntries(value.get('a') as Map<string, unknown>)).toEqual(expected);
  });

  test('S12: each mapping is read once, however often it is merged', async () => {
    const value = (await parseSafeYaml(MERGE_TOWER, 'the file')) as Map<string, unknown>;
    expect(value.get('m9')).toEqual(new Map([['x', 0]]));
  });

  test('S12: a key that is given and then merged is refused: YAML means the one, kubectl takes the other', async () => {
    expect(await problem(`${base}a:\n  token: own\n  <<: *b`)).toBe(
      'the file: a merge key (<<) after a key that it sets too: put << first, line 5, column 3',
    );
  });

  test('S13: merged keys called __proto__ stay data', async () => {
    const text = 'b: &b {__proto__: {polluted: true}, constructor: 1}\na: {<<: *b}';
    const value = (await parseSafeYaml(text, 'the file')) as Map<string, Map<string, unknown>>;
    expect([...(value.get('a')?.keys() ?? [])]).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

test('S12: an error says where, and nothing of what the text held', async () => {
  for (const text of ['a: "CANARY', 'CANARY: b: c', '{CANARY', 'a: *CANARY', 'CANARY: 1\nCANARY: 2', '- CANARY\nb: c'])
    expect(await problem(text), text).not.toContain('CANARY');
});

test('S13: a key called __proto__ is data in a Map', async () => {
  const value = await parseSafeYaml(
    '__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}',
    'the file',
  );
  expect(value).toBeInstanceOf(Map);
  expect([...(value as Map<string, unknown>).keys()]).toEqual(['__proto__', 'constructor']);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('D7: what people and tools write is read: JSON, comments, anchors, folded texts, an empty document', async () => {
  const read = (text: string): Promise<unknown> => parseSafeYaml(text, 'the file');
  expect(await read('{\n\t"a": {"b":\t["[[[", true, null]}\n}')).toEqual(
    new Map([['a', new Map([['b', ['[[[', true, null]]])]]),
  );
  expect(await read('a: &x {b: c}\nd: *x # comment')).toEqual(
    new Map([
      ['a', new Map([['b', 'c']])],
      ['d', new Map([['b', 'c']])],
    ]),
  );
  expect(await read('a: |\n  one\n  two\nb: >-\n  one\n  two')).toEqual(
    new Map([
      ['a', 'one\ntwo\n'],
      ['b', 'one two'],
    ]),
  );
  expect(await read('a: !!str 1\nb: yes')).toEqual(
    new Map([
      ['a', '1'],
      ['b', 'yes'],
    ]),
  );
  expect(await read('a: b\n---\n')).toEqual(new Map([['a', 'b']]));
  expect(await read('')).toBeNull();
  expect(await read('# nothing')).toBeNull();
});
