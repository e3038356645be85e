import { access, constants, stat } from 'node:fs/promises';
import { type PlatformPath, posix, win32 } from 'node:path';
import { KubeError } from '../../../core/errors.ts';
import { process } from '../../config/node/node-process.ts';

/** The environment that a command is searched in. */
export interface CommandEnvironment {
  readonly platform: string;
  /** PATH of this process. A PATH in the kubeconfig is for the plugin's children. */
  readonly path: string;
  readonly isExecutable: (path: string) => Promise<boolean>;
}

export function environmentToFindCommand(variables: Readonly<Record<string, string | undefined>>): CommandEnvironment {
  const path = variables['PATH'] ?? variables['Path'] ?? '';
  return { platform: process.platform, path, isExecutable: canFindCommandAt };
}

/**
 * Finds the absolute path of a plugin's program, or undefined.
 *
 * A name without a separator is looked up on PATH, where relative directories are ignored. A path is relative to the
 * directory of the kubeconfig that names it, never to the working directory. Throws INVALID_CONFIG for a relative path
 * without a kubeconfig file, and for a Windows batch file: it would need a shell, which would interpret its arguments.
 */
export async function findCommand(
  command: string,
  beside: string | undefined,
  where: string,
  environment: CommandEnvironment,
): Promise<string | undefined> {
  const paths = pathsToFindCommand(environment);
  refuseToFindBatchCommand(command, where, environment);
  if (!mustFindCommandOnPath(command, environment)) return findCommandOnPath(command, environment);
  if (!paths.isAbsolute(command) && beside === undefined)
    throw new KubeError(
      'INVALID_CONFIG',
      `${where}.command: expected an absolute path or a bare name, because a kubeconfig given in code has no directory`,
    );
  const path = paths.isAbsolute(command)
    ? paths.normalize(command)
    : paths.resolve(paths.dirname(beside ?? ''), command);
  return (await environment.isExecutable(path)) ? path : undefined;
}

export function pathsToFindCommand(environment: Pick<CommandEnvironment, 'platform'>): PlatformPath {
  return environment.platform === 'win32' ? win32 : posix;
}

export async function findCommandOnPath(name: string, environment: CommandEnvironment): Promise<string | undefined> {
  const paths = pathsToFindCommand(environment);
  // Batch files are skipped, because they are refused.
  const names =
    environment.platform !== 'win32' || /\.(?:exe|com)$/i.test(name) ? [name] : [`${name}.exe`, `${name}.com`];
  for (const directory of environment.path.split(paths.delimiter).filter((entry) => paths.isAbsolute(entry)))
    for (const each of names) {
      const path = paths.join(directory, each);
      if (await environment.isExecutable(path)) return path;
    }
  return undefined;
}

function refuseToFindBatchCommand(command: string, where: string, environment: CommandEnvironment): void {
  // Windows ignores dots and spaces at the end of a name.
  if (environment.platform !== 'win32' || !/\.(?:bat|cmd)[. ]*$/i.test(command)) return;
  throw new KubeError(
    'INVALID_CONFIG',
    `${where}.command: batch files are refused, because they need a shell: name the program itself`,
  );
}

export function mustFindCommandOnPath(command: string, environment: Pick<CommandEnvironment, 'platform'>): boolean {
  return environment.platform === 'win32' ? /[\\/:]/.test(command) : command.includes('/');
}

async function canFindCommandAt(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // the reason does not matter
  }
}
