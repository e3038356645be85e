/**
 * The test of our names: random functions of all packages for a reader who sees the folder tree and no contents.
 *
 *   npx tsx tools/lint/find-the-room.ts --seed 7            20 names and the tree: name the file of each
 *   npx tsx tools/lint/find-the-room.ts --seed 7 --answers  the files
 *   npx tsx tools/lint/find-the-room.ts --score             what a reader who knows words only (name-reader.ts) makes of all names
 *   npx tsx tools/lint/find-the-room.ts --score --worst cli/src   every name it misses below packages/cli/src, and where it looks
 */
import { parseArgs } from 'node:util';
import { functionsOf, readableSources } from './functions.ts';
import { type NamedFunction, NameReader, type Reading, roomOf } from './name-reader.ts';
import { packageOf, scoreOf } from './check-names.ts';

const COUNT = 20;

/** Numbers between 0 and 1 that depend on the seed only (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function printQuestions(all: readonly NamedFunction[], paths: readonly string[], seed: number, answers: boolean): void {
  const random = seeded(seed);
  const picked = new Set<NamedFunction>();
  while (picked.size < COUNT) picked.add(all[Math.floor(random() * all.length)] as NamedFunction);
  console.log(`seed ${seed}: ${COUNT} of ${all.length} functions`);
  for (const { name, path } of picked) console.log(answers ? `  ${name}  ${path}` : `  ${name}`);
  if (!answers) for (const path of paths) console.log(path);
}

function printScore(readings: readonly Reading[], worst: string | undefined): void {
  if (worst === undefined) {
    printScores('all', [['all', readings]]);
    printScores('package', groupsOf(readings, packageOf));
    printScores('room', groupsOf(readings, roomOf));
  }
  const missed = readings.filter(({ path, room }) => room < 1 && path.startsWith(`packages/${worst ?? ''}`));
  for (const { name, path, files } of worst === undefined ? missed.slice(0, 40) : missed)
    console.log(`${name}  ${path}  looked for in ${files.slice(0, 3).join(', ') || 'no file'}`);
}

/** Scores of groups, the worst first. */
function printScores(title: string, groups: readonly (readonly [string, readonly Reading[]])[]): void {
  console.log(`\nfiles   rooms   of  ${title}`);
  const rows = groups.map(([name, readings]) => ({ name, count: readings.length, ...scoreOf(readings) }));
  for (const { name, count, files, rooms } of rows.toSorted((a, b) => a.rooms - b.rooms))
    console.log(
      `${files.toFixed(1).padStart(5)}%  ${rooms.toFixed(1).padStart(5)}%  ${String(count).padStart(4)}  ${name}`,
    );
}

function groupsOf(readings: readonly Reading[], keyOf: (path: string) => string): [string, Reading[]][] {
  const groups = new Map<string, Reading[]>();
  for (const reading of readings) {
    const key = keyOf(reading.path);
    groups.set(key, [...(groups.get(key) ?? []), reading]);
  }
  return [...groups];
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    answers: { type: 'boolean', default: false },
    score: { type: 'boolean', default: false },
    worst: { type: 'string' },
  },
});
const sources = readableSources();
const paths = sources.map(({ path }) => path);
const all = sources.flatMap((source) => functionsOf(source));
if (values.score) {
  const reader = new NameReader(paths, all);
  printScore(
    all.map((named) => reader.read(named)),
    values.worst,
  );
} else printQuestions(all, paths, Number(values.seed ?? Math.floor(Math.random() * 1_000_000)), values.answers);
