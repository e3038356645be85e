import { access, constants } from 'node:fs/promises';
import { posix, resolve, win32 } from 'node:path';
import { type Env, systemEnv } from '../../../core/env.ts';
import { KubeError } from '../../../core/errors.ts';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from '../kubeconfig.ts';
import { isMissingFile, readTextFile } from './read-file.ts';
import type { ReadVariable } from '../../transport/proxy.ts';
import { process } from './node-process.ts';

export interface KubeconfigFilesOptions {
  /** Variables of the process. @default process.env */
  readonly read?: ReadVariable;
  /** @default process.platform */
  readonly platform?: string;
  /** Whether a file can be read or written. @default asks the file system */
  readonly can?: (path: string, use: 'read' | 'write') => Promise<boolean>;
  readonly env?: Env;
}

/** Several files merged into one configuration, and the errors of those that could not be read. */
export interface LoadedKubeconfig {
  readonly config: Kubeconfig;
  /** Paths of the files that were read. */
  readonly files: readonly string[];
  /** One INVALID_CONFIG for each bad file, in order. The good files are merged nevertheless. */
  readonly problems: readonly KubeError[];
}

/** Loads one file, which must exist. */
export async function loadKubeconfigFile(path: string): Promise<Kubeconfig> {
  const file = resolve(path);
  return parseKubeconfig(await readTextFile(file, 'kubeconfig'), { file });
}

/** Loads the files of KUBECONFIG and merges them by kubectl's rules. Files that do not exist are skipped. */
export async function loadKubeconfigFiles(
  paths: readonly string[],
  options: KubeconfigFilesOptions = {},
): Promise<LoadedKubeconfig> {
  const { env = systemEnv } = options;
  const configs: Kubeconfig[] = [];
  const files: string[] = [];
  const problems: KubeError[] = [];
  for (const path of paths) {
    try {
      configs.push(await loadKubeconfigFile(path));
      files.push(resolve(path));
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (!isMissingFile(error)) problems.push(error);
    }
  }
  if (paths.length > 0 && files.length === 0 && problems.length === 0)
    env.log('warn', 'none of the files in KUBECONFIG exist', { files: paths });
  return { config: mergeKubeconfigs(configs), files, problems };
}

/** The paths in KUBECONFIG, without empty entries and duplicates. */
export function kubeconfigFilePaths(options: KubeconfigFilesOptions = {}): readonly string[] {
  const { read = kubeconfigFilesVariable, platform = process.platform } = options;
  const list = (read('KUBECONFIG') ?? '').split(platform === 'win32' ? ';' : ':');
  return [...new Set(list.filter((path) => path !== ''))];
}

/** The default file, `.kube/config` in the home directory; undefined when there is no home. It need not exist. */
export async function homeKubeconfigFile(options: KubeconfigFilesOptions = {}): Promise<string | undefined> {
  const { read = kubeconfigFilesVariable, platform = process.platform, can = canUseKubeconfigFile } = options;
  const home = read('HOME') || undefined;
  if (platform !== 'win32') return home && posix.join(home, '.kube', 'config');

  // On Windows several variables name a home. One with a kubeconfig wins, then a writable one.
  const drive = read('HOMEDRIVE') && read('HOMEPATH') ? `${read('HOMEDRIVE')}${read('HOMEPATH')}` : undefined;
  const profile = read('USERPROFILE') || undefined;
  for (const each of [home, drive, profile])
    if (each !== undefined && (await can(kubeconfigFileIn(each), 'read'))) return kubeconfigFileIn(each);
  for (const each of [home, profile, drive])
    if (each !== undefined && (await can(each, 'write'))) return kubeconfigFileIn(each);
  const any = home ?? profile ?? drive;
  return any && kubeconfigFileIn(any);
}

const kubeconfigFileIn = (home: string): string => win32.join(home, '.kube', 'config');

async function canUseKubeconfigFile(path: string, use: 'read' | 'write'): Promise<boolean> {
  try {
    await access(path, use === 'read' ? constants.R_OK : constants.W_OK);
    return true;
  } catch {
    return false; // the reason does not matter
  }
}

function kubeconfigFilesVariable(name: string): string | undefined {
  return process.env[name];
}
