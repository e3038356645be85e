import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSafeYaml, type YamlValue } from '../../packages/kube-informer/src/client/config/safe-yaml.ts';

/** The root of the repository. */
export const repository: string = join(import.meta.dirname, '../..');

export const readText = (path: string): string => readFileSync(join(repository, path), 'utf8');
const readJson = (path: string): unknown => JSON.parse(readText(path));

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly packageManager?: string;
  readonly files?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly bundleDependencies?: unknown;
}

export const rootManifest = readJson('package.json') as Manifest;

/** The packages we publish, by the name of their folder. */
export const packages: ReadonlyMap<string, Manifest> = new Map(
  readdirSync(join(repository, 'packages')).map((folder) => [
    folder,
    readJson(`packages/${folder}/package.json`) as Manifest,
  ]),
);

export interface LockEntry {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly inBundle?: boolean;
}

export interface Lockfile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** Every lockfile an installation in this repository reads. */
export const LOCKFILES = [
  'package-lock.json',
  'test/runtimes/package-lock.json',
  'tools/docs/package-lock.json',
] as const;
export const readLockfile = (path: string): Lockfile => readJson(path) as Lockfile;

/** The foreign packages of a lockfile: no folders of our own, and no links to them. */
export function foreignEntries({ packages: entries }: Lockfile): [path: string, entry: LockEntry][] {
  return Object.entries(entries).filter(([path, { link }]) => path.includes('node_modules/') && link !== true);
}

export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Job {
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly 'runs-on'?: string;
  readonly container?: unknown;
  readonly services?: unknown;
  readonly uses?: string;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>> | string;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress'?: unknown };
  readonly jobs: Readonly<Record<string, Job>>;
}

/** A parsed YAML file, as plain values. */
export async function readYaml(text: string): Promise<unknown> {
  const plain = (value: YamlValue): unknown => {
    if (value instanceof Map)
      return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner as YamlValue)]));
    return Array.isArray(value) ? value.map(plain) : value;
  };
  return plain(await parseSafeYaml(text, 'the file'));
}

export const readWorkflow = async (text: string): Promise<Workflow> => (await readYaml(text)) as Workflow;
export const workflowTexts: ReadonlyMap<string, string> = new Map(
  readdirSync(join(repository, '.github/workflows')).map((file) => [file, readText(`.github/workflows/${file}`)]),
);
export const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => steps);
