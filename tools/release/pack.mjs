/**
 * Builds the packages and writes their tarballs.
 *
 *   npm run pack                      into tarballs/, and prints the line that installs them elsewhere
 *   npm run pack -- <folder>          into another folder
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds and packs; returns npm's description of each tarball. Deletes tarballs of earlier versions from `folder`. */
export function packAll(folder) {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) if (file.endsWith('.tgz')) rmSync(join(folder, file));
  const run = (args, stdio) => execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio, maxBuffer: 1 << 26 });
  run(['run', 'build'], 'inherit');
  const said = run(
    ['pack', '--workspaces', '--json', '--ignore-scripts', '--pack-destination', folder],
    ['ignore', 'pipe', 'inherit'],
  );
  // npm 11 prints a list, npm 12 an object by name.
  return Object.values(JSON.parse(said));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? join(root, 'tarballs'));
  const packed = packAll(folder);
  for (const { name, version, filename, size } of packed)
    console.log(`${name}@${version}  ${filename}  ${Math.round(size / 1024)} kB`);
  console.log(`\nIn your project: npm install ${join(folder, '*.tgz')}`);
}
