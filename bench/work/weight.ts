import { execFile } from 'node:child_process';
import { loadavg, tmpdir } from 'node:os';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { installClientNode, installNode } from '../contestants/build.ts';
import type { Row } from '../report/results.ts';
import type { Measurement } from './run-work.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The time to import a package, the size of its installation, and of a bundle for browsers with one informer. */
export async function measureWeight(rounds: number, log: (line: string) => void): Promise<Measurement> {
  const node = await installNode('26');
  const clientNode = await installClientNode();
  const rows: Row[] = [];
  const load = Number((loadavg()[0] ?? 0).toFixed(1));
  const add = (contestant: string, family: string, figures: Record<string, readonly number[]>): void => {
    rows.push({ case: {}, contestant, family, values: figures });
    log(`weight ${contestant}: ${JSON.stringify(figures)}`);
  };
  const empty = await importMs(node, undefined, rounds);
  const minus = (all: readonly number[]): number[] =>
    all.map((ms, i) => Number((ms - (empty[i] as number)).toFixed(1)));
  const dir = await mkdtemp(join(tmpdir(), 'bench-weight-'));
  try {
    await installPacked(dir);
    const ours = join(dir, 'node_modules/kube-informer');
    add('kube-informer', 'kube-informer', {
      importMs: minus(await importMs(node, join(ours, 'dist/index.js'), rounds)),
      installBytes: [await sizeOf(join(dir, 'node_modules'))],
      bundleBytes: [await bundleBytes(dir, `import { Cluster } from 'kube-informer'; globalThis.Cluster = Cluster;`)],
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  add('client-node', 'client-node', {
    importMs: minus(await importMs(node, join(clientNode, 'dist/index.js'), rounds)),
    installBytes: [await sizeOf(join(clientNode, '../..'))],
  });
  return { rounds, load: [load, load], leftOut: [], rows };
}

/** The package as a user gets it. */
async function installPacked(dir: string): Promise<void> {
  const packages = ['kubernetes', 'kube-informer'].flatMap((name) => ['-w', `packages/${name}`]);
  await run('npm', ['pack', '--pack-destination', dir, ...packages], { cwd: root });
  const files = (await readdir(dir)).filter((name) => name.endsWith('.tgz')).map((name) => join(dir, name));
  await writeFile(join(dir, 'package.json'), '{ "private": true, "type": "module" }\n');
  await run('npm', ['install', '--prefix', dir, '--no-audit', '--no-fund', '--ignore-scripts', ...files], { cwd: dir });
}

/** Milliseconds of processor time of a process that imports a file, or nothing. */
async function importMs(node: string, file: string | undefined, rounds: number): Promise<number[]> {
  const what = file === undefined ? '' : `await import(${JSON.stringify(pathToFileURL(file).href)});`;
  const script = `${what} const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);`;
  const all: number[] = [];
  for (let i = 0; i < rounds; i += 1) all.push(Number((await run(node, ['--input-type=module', '-e', script])).stdout));
  return all;
}

async function bundleBytes(dir: string, contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dir },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length;
}

async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
