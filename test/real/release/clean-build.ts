import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../release/workspace.ts';

const execute = promisify(execFile);
/** Files that a build writes, and files that it never reads. */
const NOT_COPIED = /\/(?:dist|test|node_modules)$/;

/** A file that npm put into a tarball. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

/** The output of `npm pack` about a package. */
export interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly shasum: string;
  readonly integrity: string;
  readonly files: readonly PackedFile[];
}

/** A build from nothing, in a folder of its own. */
export interface CleanBuild {
  /** The folder of the build: no file may contain it. */
  readonly folder: string;
  /** Where the tarballs are. */
  readonly tarballs: string;
  readonly packed: readonly Packed[];
}

/** Copies the sources to a new folder, builds them there, and packs the packages. `env` is what may differ between machines. */
export async function cleanBuild(
  name: string,
  env: Readonly<Record<string, string>>,
  from: string = repository,
): Promise<CleanBuild> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `${name}-`)));
  try {
    return await build(folder, env, from);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function build(folder: string, env: Readonly<Record<string, string>>, from: string): Promise<CleanBuild> {
  for (const file of [
    'package.json',
    'tsconfig.base.json',
    'tsconfig.json',
    'tools/build/bundle-library.mjs',
    'tools/build/bundle-page.mjs',
  ])
    await cp(join(from, file), join(folder, file));
  await cp(join(from, 'packages'), join(folder, 'packages'), {
    recursive: true,
    filter: (path) => !NOT_COPIED.test(path),
  });
  await linkModules(folder);
  const options = { cwd: folder, env: { ...process.env, ...env } };
  await execute(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-b'], options);
  for (const bundler of ['library', 'page'])
    await execute(process.execPath, [`tools/build/bundle-${bundler}.mjs`], options);
  const tarballs = join(folder, 'tarballs');
  await mkdir(tarballs);
  const { stdout } = await execute(
    'npm',
    ['pack', '--workspaces', '--json', '--ignore-scripts', '--offline', '--pack-destination', tarballs],
    { ...options, maxBuffer: 64 * 1024 * 1024 },
  );
  // npm 11 prints a list, npm 12 an object by name.
  return { folder, tarballs, packed: Object.values(JSON.parse(stdout) as Record<string, Packed>) };
}

/** The tools as they are installed; our own packages as they are in the copy. */
async function linkModules(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@kube-informer'), { recursive: true });
  for (const name of await readdir(join(repository, 'node_modules')))
    if (!name.endsWith('kube-informer')) await symlink(join(repository, 'node_modules', name), join(modules, name));
  for (const name of await readdir(join(folder, 'packages')))
    await symlink(
      join(folder, 'packages', name),
      join(modules, name === 'kube-informer' ? name : join('@kube-informer', name)),
    );
}

/** Installs the tarballs as npm would, without npm: no network, no scripts. */
export async function install({ tarballs, packed }: CleanBuild, app: string): Promise<void> {
  for (const { name, filename } of packed) {
    const target = join(app, 'node_modules', name);
    await mkdir(target, { recursive: true });
    await execute('tar', ['-xzf', join(tarballs, filename), '-C', target, '--strip-components=1']);
  }
  await cp(join(repository, 'node_modules/yaml'), join(app, 'node_modules/yaml'), { recursive: true });
}
