import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Names of client-go, as tools/docs/go-names.mjs found them in texts about its sources. */
const names = (await readFile('test/docs/data/client-go-names.txt', 'utf8')).trim().split('\n');
const page = await readFile('docs/coming-from-client-go.md', 'utf8');
const rows = tableRows(page);

interface Row {
  readonly cells: readonly string[];
  readonly header: readonly string[];
}

/** The rows of all tables, each with the header of its table. */
function tableRows(text: string): Row[] {
  const rows: Row[] = [];
  let header: string[] = [];
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('|') || line.startsWith('|--')) continue;
    const cells = line.split(' | ').map((cell) => cell.replaceAll(/^\| ?| ?\|$/g, ''));
    if (lines[at + 1]?.startsWith('|--') === true) header = cells;
    else rows.push({ cells, header });
  }
  return rows;
}

/** Identifiers in code font; texts in quotes and names of files are none. */
function identifiersOf(cell: string): string[] {
  const code = [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll(/'[^']*'/g, ''));
  return code.filter((span) => !/\.ts$|\/$|^@/.test(span)).flatMap((span) => span.match(/[A-Za-z_]\w*/g) ?? []);
}

/** `Class.member` and `Class.#member` in code font. */
function membersOf(cell: string): string[] {
  const code = [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll(/'[^']*'/g, ''));
  return code.flatMap((span) => span.match(/\b[A-Z]\w*\.#?[a-z]\w*/g) ?? []);
}

async function sourcesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'));
  return Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')));
}

/** Code without comments: a name that only a comment still mentions does not exist. */
const codeBelow = async (dir: string): Promise<string[]> =>
  (await sourcesBelow(dir)).map((text) => text.replaceAll(/^ *\/?\*.*$/gm, '').replaceAll(/(?<=^|\s)\/\/.*$/gm, ''));
const sources = await codeBelow('packages/kube-informer/src');
const namesIn = (code: readonly string[]): Set<string> =>
  new Set(code.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
const known = namesIn(sources);

/** Whether a file declares the class or interface, and in it the member: at the beginning of a line of its own. */
function isMember(path: string): boolean {
  const [owner = '', member = ''] = path.split('.');
  const declared = new RegExp(`\\b(?:class|interface|type) ${owner}\\b`);
  const modifiers = String.raw`(?:(?:readonly|get|set|static|async) |\* ?)*`;
  const inside = new RegExp(`^  ${modifiers}${member}\\b`, 'm');
  return sources.some((code) => declared.test(code) && inside.test(code));
}

test('there is a list of names, and the page has tables', () => {
  expect(names.length).toBeGreaterThan(300);
  expect(rows.length).toBeGreaterThan(150);
});

test('every name of client-go has a row in docs/coming-from-client-go.md', () => {
  const answered = new Set(rows.flatMap(({ cells }) => cells[0]?.match(/[A-Za-z_]\w*/g) ?? []));
  expect(names.filter((name) => !answered.has(name))).toEqual([]);
});

test('every row says what the name is here, or why there is none', () => {
  const empty = rows.filter(({ cells }) => (cells[1] ?? '') === '' || (cells[1] === '–' && (cells[2] ?? '') === ''));
  expect(empty.map(({ cells }) => cells[0])).toEqual([]);
});

test.each([
  'docs/coming-from-client-go.md',
  'docs/guides/inside.md',
  'docs/zh/inside.md',
  'docs/ARCHITECTURE.md',
  'docs/SPEC.md',
])('every name of ours in the tables of %s exists in the sources', async (file) => {
  const tables = tableRows(await readFile(file, 'utf8')).filter(({ header }) => ourColumn(header) !== -1);
  const ours = tables.flatMap(({ cells, header }) => identifiersOf(cells[ourColumn(header)] ?? ''));
  expect(ours.length).toBeGreaterThan(20);
  const missing = ours.filter((name) => !known.has(name));
  expect([...new Set(missing)]).toEqual([]);
  const members = tables.flatMap(({ cells, header }) => membersOf(cells[ourColumn(header)] ?? ''));
  expect(members.filter((path) => !isMember(path))).toEqual([]);
});

test('every name of ours in docs/coming-from-controller-runtime.md exists in the controller package or the library', async () => {
  const tables = tableRows(await readFile('docs/coming-from-controller-runtime.md', 'utf8'));
  expect(tables.length).toBeGreaterThan(60);
  expect(tables.every(({ header }) => ourColumn(header) === 1)).toBe(true);
  const empty = tables.filter(({ cells }) => (cells[1] ?? '') === '' || (cells[1] === '–' && (cells[2] ?? '') === ''));
  expect(empty.map(({ cells }) => cells[0])).toEqual([]);
  const all = namesIn([...sources, ...(await codeBelow('packages/controller/src'))]);
  const ours = tables.flatMap(({ cells }) => identifiersOf(cells[1] ?? ''));
  expect([...new Set(ours)].filter((name) => !all.has(name))).toEqual([]);
});

test('the guide in Chinese shows the same code and names the same functions as the one in English', async () => {
  const [english, chinese] = await Promise.all(
    ['docs/guides/inside.md', 'docs/zh/inside.md'].map(async (file) => {
      const text = await readFile(file, 'utf8');
      const functions = tableRows(text).map(({ cells, header }) => identifiersOf(cells[ourColumn(header)] ?? ''));
      return { functions, snippets: text.match(/<!-- cut from \S+ -->/g) };
    }),
  );
  expect(english?.snippets?.length).toBeGreaterThan(5);
  expect(chinese).toEqual(english);
});

/** Titles of columns that name functions of ours. */
const OUR_COLUMNS = new Set(['here', '这里', 'functions', 'where']);

function ourColumn(header: readonly string[]): number {
  return header.findIndex((title) => OUR_COLUMNS.has(title));
}
