import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findNewestKubectl, whatIsMissing } from './binaries.ts';
import { cacheRoot } from './go-program.ts';

const run = promisify(execFile);

/** One version of kubectl. */
export interface Kubectl {
  readonly name: 'kubectl 1.20' | 'newest kubectl';
  /** A short word for names of namespaces and cluster-wide objects. */
  readonly tag: 'old' | 'new';
  readonly path: string;
}

/**
 * The kubectl of Debian stable, and the newest, built like kube-apiserver; or the reason they are not available, as a sentence.
 */
export async function findKubectls(log?: (line: string) => void): Promise<readonly Kubectl[] | string> {
  const missing = await whatIsMissing('kubectl');
  if (missing !== undefined) return missing;
  const old = await debianKubectl().catch(String);
  if (typeof old === 'string') return `kubectl 1.20 is not installed and cannot be fetched: ${old}`;
  return [
    { name: 'kubectl 1.20', tag: 'old', path: old.path },
    { name: 'newest kubectl', tag: 'new', path: await findNewestKubectl(log) },
  ];
}

const unpacked = (): string => join(cacheRoot(), 'kubectl-1.20', 'kubectl');

/** The kubectl on PATH if it has the version; else its package is unpacked beside the other programs, not installed. */
async function debianKubectl(): Promise<{ readonly path: string }> {
  if (await isOld('kubectl')) return { path: 'kubectl' };
  const path = unpacked();
  if (existsSync(path)) return { path };
  const dir = await mkdtemp(join(tmpdir(), 'kubectl-'));
  try {
    await run('apt-get', ['download', 'kubernetes-client'], { cwd: dir });
    const file = (await readdir(dir)).find((name) => name.endsWith('.deb'));
    if (file === undefined) throw new Error('apt-get fetched no package');
    await run('dpkg', ['-x', file, '.'], { cwd: dir });
    const fetched = join(dir, 'usr/bin/kubectl');
    if (!(await isOld(fetched))) throw new Error('the kubernetes-client of this Debian is not 1.20');
    await mkdir(join(cacheRoot(), 'kubectl-1.20'), { recursive: true });
    const unfinished = `${path}-${process.pid}`;
    await cp(fetched, unfinished);
    await rename(unfinished, path);
    return { path };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function isOld(kubectl: string): Promise<boolean> {
  const said = await run(kubectl, ['version', '--client', '-o', 'json']).catch(() => ({ stdout: '' }));
  return said.stdout.includes('"gitVersion": "v1.20.');
}
