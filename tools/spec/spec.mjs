/**
 * Checks that every rule docs/SPEC.md claims has a test.
 *
 *   npm run spec            writes, into the last column, the test that proves each claimed rule
 *   npm run spec -- --check only checks
 *
 * A rule is claimed when its verdict is `same` or `better`. A test proves a rule when its title begins
 * with the rule's id (`REF-05, PAG-10: …`). The titles come from the test runner, not from the files.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const SPEC = join(root, 'docs/SPEC.md');
const ROW = /^\| (?<id>[A-Z]+-?\d+|Trap \d+) \| (?<rule>[^|]*) \| (?<verdict>[^|]*) \| (?<how>[^|]*) \|(?<test>.*)\|$/;

/** Prefixes of titles in the table, by suite; `npm test` runs those without one. */
export const PREFIXES = { main: '', slow: 'slow: ', real: 'real: ' };

/** The suite that runs the test with this title in the table. */
export const suiteOf = (titleInTable) =>
  ['slow', 'real'].find((suite) => titleInTable.startsWith(PREFIXES[suite])) ?? 'main';

/** Every test title the runners would run, without the names of enclosing blocks. Takes a while: all files are loaded. */
export function runnerTitles() {
  return [
    ...titlesOf('vitest.config.ts'),
    ...titlesOf('vitest.slow.config.ts').map((title) => PREFIXES.slow + title),
    ...titlesOf('vitest.real.config.ts').map((title) => PREFIXES.real + title),
  ];
}

function titlesOf(config) {
  const out = join(mkdtempSync(join(tmpdir(), 'spec-')), 'list.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  execFileSync(process.execPath, [vitest, 'list', `--config=${config}`, `--json=${out}`], {
    cwd: root,
    stdio: 'ignore',
  });
  return JSON.parse(readFileSync(out, 'utf8')).map(({ name }) => name.split(' > ').at(-1));
}

/** The ids a title claims: those in the list before its first colon, ranges (`DFI-01..03`) spelled out. */
export function idsOf(titleInTable) {
  const title = titleInTable.slice(PREFIXES[suiteOf(titleInTable)].length);
  const colon = title.indexOf(':');
  if (colon === -1) return [];
  return title
    .slice(0, colon)
    .split(/[,;()]/)
    .map((id) => id.trim())
    .flatMap((id) => {
      const range = /^([A-Z]+-?)(\d+)\.\.(?:[A-Z]+-?)?(\d+)$/.exec(id);
      if (range === null) return /^([A-Z]+-?\d+|Trap \d+)$/.test(id) ? [id] : [];
      const [, group, from, to] = range;
      return Array.from(
        { length: Number(to) - Number(from) + 1 },
        (_, i) => `${group}${String(Number(from) + i).padStart(from.length, '0')}`,
      );
    });
}

export function readRows(text = readFileSync(SPEC, 'utf8')) {
  return text.split('\n').flatMap((line) => {
    const match = ROW.exec(line);
    if (match === null) return [];
    const { id, rule, verdict, how, test } = match.groups;
    return [{ id, rule: rule.trim(), verdict: verdict.trim(), how: how.trim(), test: test.trim() }];
  });
}

const isClaimed = ({ verdict }) => verdict === 'same' || verdict === 'better';
const cell = (title) => title.replaceAll('|', '∣').trim();

/** The errors of the table, as sentences. */
export function complaints(rows, titles) {
  const known = new Set(titles.map(cell));
  const found = [];
  const seen = new Set();
  for (const row of rows) {
    if (seen.has(row.id)) found.push(`${row.id} has two rows`);
    seen.add(row.id);
    if (!['same', 'better', 'left out', 'open'].includes(row.verdict))
      found.push(`${row.id}: unknown verdict "${row.verdict}"`);
    if (row.verdict !== 'same' && row.how === '') found.push(`${row.id}: "${row.verdict}" needs a reason`);
    if (isClaimed(row) && row.test === '') found.push(`${row.id} is claimed and no test proves it`);
    if (row.test !== '' && !known.has(row.test)) found.push(`${row.id}: the runner has no test "${row.test}"`);
  }
  return found;
}

/** Gives every claimed row the first test that begins with its id. */
export function fill(text, titles) {
  const proofs = new Map();
  const known = new Set(titles.map(cell));
  for (const title of titles) for (const id of idsOf(title)) if (!proofs.has(id)) proofs.set(id, title);
  // A test about one rule is preferred to one about several.
  for (const title of titles)
    if (idsOf(title).length === 1 && suiteOf(title) === 'main') {
      const [id] = idsOf(title);
      if (idsOf(proofs.get(id)).length > 1) proofs.set(id, title);
    }
  return text
    .split('\n')
    .map((line) => {
      const match = ROW.exec(line);
      if (match === null) return line;
      const { id, rule, verdict, how } = match.groups;
      // If a file does not load, its titles stay in the table, and --check complains.
      const old = match.groups.test.trim();
      // A title that still runs is kept: the runner's order is not always the same.
      const proof = old !== '' && known.has(old) ? old : (proofs.get(id) ?? old);
      const title = isClaimed({ verdict: verdict.trim() }) ? proof : '';
      return `| ${id} | ${rule.trim()} | ${verdict.trim()} | ${how.trim()} | ${cell(title)} |`;
    })
    .join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const titles = runnerTitles();
  const before = readFileSync(SPEC, 'utf8');
  const after = process.argv.includes('--check') ? before : fill(before, titles);
  if (after !== before) writeFileSync(SPEC, after);
  const rows = readRows(after);
  const wrong = complaints(rows, titles);
  for (const complaint of wrong) console.error(complaint);
  const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  console.log(
    `${rows.length} rules: ${count('same')} same, ${count('better')} better, ${count('left out')} left out, ${count('open')} open; ${titles.length} tests; ${wrong.length} complaints`,
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
