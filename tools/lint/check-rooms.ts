/**
 * Checks the folders of the repository: the imports between rooms (rooms.ts), cycles between them, and the number of
 * source files in a folder.
 *
 *   npx tsx tools/lint/check-rooms.ts
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { counted, type House, houses } from './rooms.ts';

const MAX_FILES = 20;
const SOURCE = /\.(?:ts|mts|mjs|js|css)$/;

/** Everything wrong with the rooms, one line each. `files` maps paths to texts. */
export function violationsOf(
  files: ReadonlyMap<string, string>,
  rules: { readonly houses: readonly House[]; readonly counted: readonly string[] },
): string[] {
  return [
    ...rules.houses.flatMap((house) => violationsInHouse(files, house)),
    ...crowded([...files.keys()], rules.counted),
  ];
}

function violationsInHouse(files: ReadonlyMap<string, string>, { root, rooms, node }: House): string[] {
  const found: string[] = [];
  const edges = new Map(Object.keys(rooms).map((room) => [room, new Set<string>()]));
  for (const [path, text] of files) {
    if (!path.startsWith(`${root}/`) || path.includes('/generated/')) continue;
    const room = roomOf(root, path);
    const isEntry = posix.basename(path) === 'index.ts';
    if (rooms[room] === undefined && !(isEntry && room === '.'))
      found.push(`${path}: the room ${room} is not in tools/lint/rooms.ts`);
    for (const specifier of importsOf(text)) {
      if (specifier.startsWith('node:') && node !== undefined && !node.test(room))
        found.push(`${path}: ${specifier} may be imported in folders that match ${node} only`);
      if (!specifier.startsWith('.')) continue;
      const target = posix.join(posix.dirname(path), specifier);
      if (posix.basename(target) === 'index.ts' && target.startsWith(`${root}/`))
        found.push(`${path}: imports ${specifier}; import the file that has the name instead`);
      const to = roomOf(root, target);
      if (isEntry || to === room || !target.startsWith(`${root}/`)) continue;
      edges.get(room)?.add(to);
      if (!(rooms[room] ?? []).some((allowed) => covers(allowed, to)))
        found.push(`${path}: the room ${room} may not import ${to} (${specifier})`);
    }
  }
  return [...found, ...cyclesOf(edges).map((cycle) => `${root}: rooms import each other: ${cycle.join(' → ')}`)];
}

function roomOf(root: string, path: string): string {
  return posix.relative(root, posix.dirname(path)) || '.';
}

const covers = (allowed: string, room: string): boolean =>
  allowed.endsWith('/*') ? room.startsWith(allowed.slice(0, -1)) : room === allowed || room.startsWith(`${allowed}/`);

/** Module specifiers of imports and exports, types included. */
function importsOf(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'\n]+)'/g)].map(([, specifier]) => specifier as string);
}

/** Each cycle once, as a path that ends where it began. */
function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (room: string, path: readonly string[]): void => {
    const at = path.indexOf(room);
    if (at !== -1) {
      cycles.push([...path.slice(at), room]);
      return;
    }
    if (done.has(room)) return;
    for (const next of edges.get(room) ?? []) visit(next, [...path, room]);
    done.add(room);
  };
  for (const room of edges.keys()) visit(room, []);
  return cycles;
}

function crowded(paths: readonly string[], roots: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!roots.some((root) => path.startsWith(`${root}/`)) || path.includes('/generated/') || !SOURCE.test(path))
      continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => `${folder}: ${count} source files; a folder has at most ${MAX_FILES}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...counted], { encoding: 'utf8' });
  const files = new Map<string, string>();
  for (const path of paths.split('\n')) {
    if (!SOURCE.test(path)) continue;
    try {
      files.set(path, readFileSync(path, 'utf8'));
    } catch {
      // Deleted and not committed yet.
    }
  }
  const found = violationsOf(files, { houses, counted });
  for (const line of found) console.error(line);
  console.log(`rooms: ${files.size} files, ${found.length} violations`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
