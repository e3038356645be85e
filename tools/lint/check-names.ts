/**
 * Checks that names tell where a function is: no two files have the same name, and a reader who knows words only
 * (name-reader.ts) finds the room and the file of most functions.
 *
 *   npx tsx tools/lint/check-names.ts
 */
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { functionsOf, readableSources } from './functions.ts';
import { type NamedFunction, NameReader, type Reading } from './name-reader.ts';

/** Percent of the functions whose file and room the reader finds. */
export interface Score {
  readonly files: number;
  readonly rooms: number;
}

/** The least score of each package. Raise a floor when names became better; a new function that lowers it needs another name or file. */
const FLOORS: Readonly<Record<string, Score>> = {
  'packages/apiserver/src': { files: 88, rooms: 90 },
  'packages/cli/src': { files: 88, rooms: 92 },
  'packages/controller/src': { files: 90, rooms: 90.5 },
  'packages/inspector/src': { files: 89, rooms: 90 },
  'packages/inspector/web': { files: 97, rooms: 98 },
  'packages/kube-informer/src': { files: 81, rooms: 84.5 },
  'packages/kubernetes/src': { files: 97, rooms: 97 },
};

/** Names that many folders have: lists of exports, and the files that programs start with. */
const SHARED_NAMES = new Set(['index.ts', 'main.ts']);

/** The source folder of a package. */
export const packageOf = (path: string): string => path.split('/').slice(0, 3).join('/');

/** The score of some readings. */
export function scoreOf(readings: readonly Reading[]): Score {
  const percent = (sum: number): number => (100 * sum) / Math.max(1, readings.length);
  return {
    files: percent(readings.reduce((sum, { file }) => sum + file, 0)),
    rooms: percent(readings.reduce((sum, { room }) => sum + room, 0)),
  };
}

/** Everything wrong with the names, one line each. */
export function namingViolations(
  paths: readonly string[],
  functions: readonly NamedFunction[],
  floors: Readonly<Record<string, Score>>,
): string[] {
  const reader = new NameReader(paths, functions);
  const readings = functions.map((named) => reader.read(named));
  return [
    ...sameNames(paths),
    ...Object.entries(floors).flatMap(([root, floor]) =>
      belowFloor(
        root,
        floor,
        readings.filter(({ path }) => packageOf(path) === root),
      ),
    ),
  ];
}

function sameNames(paths: readonly string[]): string[] {
  const first = new Map<string, string>();
  return paths.flatMap((path) => {
    const name = posix.basename(path);
    const other = first.get(name);
    if (other === undefined) first.set(name, path);
    return other === undefined || SHARED_NAMES.has(name) ? [] : [`${path}: ${other} has the same name`];
  });
}

function belowFloor(root: string, floor: Score, readings: readonly Reading[]): string[] {
  const { files, rooms } = scoreOf(readings);
  if (files >= floor.files && rooms >= floor.rooms) return [];
  const score = `${files.toFixed(1)} % of the files and ${rooms.toFixed(1)} % of the rooms`;
  const hint = `npx tsx tools/lint/find-the-room.ts --score --worst ${root.slice('packages/'.length)}`;
  return [`${root}: names tell ${score}; the floor is ${floor.files} and ${floor.rooms}. See: ${hint}`];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sources = readableSources();
  const paths = sources.map(({ path }) => path);
  const functions = sources.flatMap((source) => functionsOf(source));
  const violations = namingViolations(paths, functions, FLOORS);
  for (const violation of violations) console.error(violation);
  console.log(`names: ${functions.length} functions in ${paths.length} files, ${violations.length} violations`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
