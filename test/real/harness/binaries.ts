import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));

/** The programs of a real control plane. */
export interface Binaries {
  readonly apiserver: string;
  readonly etcd: string;
  readonly etcdctl: string;
  readonly etcdutl: string;
}

/** Programs that are built from one Go module of the harness. */
export interface Build {
  /** A folder beside this file with a go.mod. */
  readonly module: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly tags?: string;
}

const BUILDS: readonly Build[] = [
  {
    module: 'etcd',
    packages: {
      etcd: 'go.etcd.io/etcd/server/v3',
      etcdctl: 'go.etcd.io/etcd/etcdctl/v3',
      etcdutl: 'go.etcd.io/etcd/etcdutl/v3',
    },
  },
  { module: 'apiserver', packages: { 'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver' } },
];

/** A Kubernetes from before streaming lists, for the ways around them. */
const OLD: Build = {
  module: 'apiserver-1.26',
  packages: { 'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver' },
  tags: 'providerless',
};

/** Building takes minutes; the result is kept outside the repository, by the content of go.mod. */
export function cacheRoot(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kube-informer', 'control-plane');
}

export function onPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((dir) => existsSync(join(dir, name)));
}

/** Why real tests cannot run here, in a sentence; undefined when they can. */
export async function whatIsMissing(): Promise<string | undefined> {
  if (!onPath('openssl')) return 'openssl is not installed';
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets !== undefined) {
    const lacking = ['kube-apiserver', 'etcd'].filter((name) => !existsSync(join(assets, name)));
    return lacking.length === 0 ? undefined : `KUBEBUILDER_ASSETS has no ${lacking.join(' and no ')}`;
  }
  for (const build of BUILDS) {
    const dir = await buildDir(build);
    const built = Object.keys(build.packages).every((name) => existsSync(join(dir, name)));
    if (!built && !onPath('go')) return 'neither KUBEBUILDER_ASSETS nor Go is here to get kube-apiserver and etcd';
  }
  return undefined;
}

/** Finds the binaries, or builds them from their Go modules. */
export async function findBinaries(log: (line: string) => void = () => {}): Promise<Binaries> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets !== undefined) {
    const at = (name: string): string => join(assets, name);
    return { apiserver: at('kube-apiserver'), etcd: at('etcd'), etcdctl: at('etcdctl'), etcdutl: at('etcdutl') };
  }
  const dirs = new Map<string, string>();
  for (const build of BUILDS) dirs.set(build.module, await built(build, log));
  const at = (module: string, name: string): string => join(dirs.get(module) as string, name);
  return {
    apiserver: at('apiserver', 'kube-apiserver'),
    etcd: at('etcd', 'etcd'),
    etcdctl: at('etcd', 'etcdctl'),
    etcdutl: at('etcd', 'etcdutl'),
  };
}

/** kube-apiserver 1.26, built when somebody asks for it the first time. */
export async function findOldApiserver(log: (line: string) => void = () => {}): Promise<string> {
  return join(await built(OLD, log), 'kube-apiserver');
}

async function buildDir({ module }: Build): Promise<string> {
  const mod = await readFile(join(here, module, 'go.mod'));
  return join(cacheRoot(), `${module}-${createHash('sha256').update(mod).digest('hex').slice(0, 12)}`);
}

/** The directory with the programs of a build; makes those that are not there yet. */
export async function built(build: Build, log: (line: string) => void): Promise<string> {
  const dir = await buildDir(build);
  const missing = Object.entries(build.packages).filter(([name]) => !existsSync(join(dir, name)));
  if (missing.length === 0) return dir;
  await mkdir(dir, { recursive: true });
  for (const [name, path] of missing) {
    log(`building ${name} from its Go module; this takes minutes, once`);
    // Under another name first: a build that is interrupted must not pass for a program.
    const unfinished = join(dir, `.${name}-${process.pid}`);
    const tags = build.tags === undefined ? [] : [`-tags=${build.tags}`];
    await run('go', ['build', ...tags, '-trimpath', '-ldflags=-s -w', '-o', unfinished, path], {
      cwd: join(here, build.module),
      env: { ...process.env, GOFLAGS: '-mod=readonly' },
      maxBuffer: 64 << 20,
    });
    await rename(unfinished, join(dir, name));
  }
  return dir;
}
