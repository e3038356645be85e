import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { built, onPath } from '../../test/real/harness/go-program.ts';
import { benchCache } from '../server/bench-server.ts';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));

/** A contestant that cannot be built here. Said loudly, and left out. */
export class NotHere extends Error {}

export async function buildClientGo(): Promise<string> {
  if (!onPath('go')) throw new NotHere('Go is not installed');
  const packages = { 'bench-client-go': '.' };
  return join(await built({ name: 'bench-client-go', source: join(here, 'client-go'), packages }), 'bench-client-go');
}

export async function buildControllerRuntime(): Promise<string> {
  if (!onPath('go')) throw new NotHere('Go is not installed');
  const name = 'bench-controller-runtime';
  return join(await built({ name, source: join(here, 'controller-runtime'), packages: { [name]: '.' } }), name);
}

export async function buildKubeRs(): Promise<string> {
  if (!onPath('cargo')) throw new NotHere('Rust is not installed');
  // One folder for all versions: Cargo builds again what has changed.
  const target = join(benchCache(), 'kube-rs-target');
  const args = ['build', '--release', '--locked', '--target-dir', target];
  await run('cargo', args, { cwd: join(here, 'kube-rs'), maxBuffer: 64 << 20 });
  return join(target, 'release', 'bench-kube-rs');
}

/** Gives the class path. */
export async function buildFabric8(): Promise<string> {
  if (!onPath('mvn') || !onPath('java')) throw new NotHere('Java or Maven is not installed');
  const source = join(here, 'fabric8');
  const target = join(benchCache(), `fabric8-${await hashOf(source)}`);
  if (!existsSync(join(target, 'lib'))) {
    // Maven writes next to the sources: it gets a copy.
    const copy = `${target}-source`;
    await cp(source, copy, { recursive: true });
    await run('mvn', ['-q', '-B', `-Dbench.target=${target}`, 'package'], { cwd: copy, maxBuffer: 64 << 20 });
  }
  return `${join(target, 'classes')}:${join(target, 'lib')}/*`;
}

/** Gives the package's folder. */
export function installClientNode(): Promise<string> {
  return installed('@kubernetes/client-node', '2.0.1', 'package.json').then(dirname);
}

/** Gives the program of one version of Node; the running one needs no download. */
export async function installNode(major: string): Promise<string> {
  if (process.versions.node.split('.')[0] === major) return process.execPath;
  return installed(`node-${process.platform}-${process.arch}`, major, 'bin/node');
}

async function installed(name: string, version: string, file: string): Promise<string> {
  const dir = join(benchCache(), `${name.replaceAll('/', '-')}-${version}`);
  const path = join(dir, 'node_modules', name, file);
  if (existsSync(path)) return path;
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'package.json'), '{ "private": true }\n');
  try {
    await run('npm', ['install', '--prefix', dir, '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`]);
  } catch (error) {
    throw new NotHere(`${name}@${version} cannot be installed`, { cause: error });
  }
  return path;
}

/** Makes JavaScript of the programs for Node; they import the library as it was built. Gives the folder. */
export async function buildNodePrograms(): Promise<string> {
  const outdir = join(here, 'dist');
  const names = ['ours', 'client-node', 'limits', 'controllers'];
  await build({
    entryPoints: names.map((name) => join(here, 'node', `${name}.ts`)),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return outdir;
}

async function hashOf(dir: string): Promise<string> {
  const hash = createHash('sha256');
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).toSorted())
    hash.update(await readFile(path));
  return hash.digest('hex').slice(0, 12);
}
