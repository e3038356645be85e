import { access, constants, stat } from 'node:fs/promises';
import { type PlatformPath, posix, win32 } from 'node:path';
import process from 'node:process';
import { KubeError, requireOption } from '../../../core/errors.ts';

/**
 * Which credential plugins may run: all, none, or those listed. An entry is a bare name, found on our PATH as the
 * plugin is, or an absolute path without `.` and `..`. An empty list allows nothing.
 */
export type ExecPolicy = 'allow' | 'deny' | { readonly allow: readonly string[] };

/** What the search for a command depends on. */
export interface CommandWorld {
  readonly platform: string;
  /** Our own PATH. The one a kubeconfig sets is for the plugin's children. */
  readonly path: string;
  readonly isExecutable: (path: string) => Promise<boolean>;
}

export function systemWorld(environment: Readonly<Record<string, string | undefined>>): CommandWorld {
  const path = environment['PATH'] ?? environment['Path'] ?? '';
  return { platform: process.platform, path, isExecutable };
}

/**
 * The absolute path of a plugin's program, or undefined when there is none.
 *
 * A name without a separator is looked up on PATH, where only absolute directories count. A path is relative to the
 * directory of the kubeconfig that named it, never to the working directory. Throws INVALID_CONFIG for a relative path
 * without a kubeconfig file, and for a Windows batch file: it would need a shell, which would read its arguments.
 */
export async function findCommand(
  command: string,
  beside: string | undefined,
  where: string,
  world: CommandWorld,
): Promise<string | undefined> {
  const paths = pathsOf(world);
  refuseBatch(command, where, world);
  if (!hasSeparator(command, world)) return findOnPath(command, world);
  if (!paths.isAbsolute(command) && beside === undefined)
    throw new KubeError(
      'INVALID_CONFIG',
      `${where}.command: expected an absolute path or a bare name: a kubeconfig given in code has no directory`,
    );
  const path = paths.isAbsolute(command)
    ? paths.normalize(command)
    : paths.resolve(paths.dirname(beside ?? ''), command);
  return (await world.isExecutable(path)) ? path : undefined;
}

/** Throws CREDENTIALS unless `policy` allows `command`, which was found at `path`. */
export async function checkPolicy(
  policy: ExecPolicy,
  command: string,
  path: string,
  world: CommandWorld,
): Promise<void> {
  if (policy === 'allow') return;
  if (policy !== 'deny') {
    for (const entry of policy.allow)
      if ((hasSeparator(entry, world) ? entry : await findOnPath(entry, world)) === path) return;
  }
  throw new KubeError(
    'CREDENTIALS',
    `credential plugin ${JSON.stringify(command)} was not run: option execPolicy ${policy === 'deny' ? 'denies all plugins' : 'does not list it'}`,
  );
}

/** Throws INVALID_OPTION for a policy that cannot be meant. */
export function validatePolicy(policy: ExecPolicy, world: Pick<CommandWorld, 'platform'>): void {
  if (policy === 'allow' || policy === 'deny') return;
  const entries: unknown = (policy as { allow?: unknown } | null | undefined)?.allow;
  requireOption(Array.isArray(entries), 'execPolicy', '"allow", "deny" or { allow: [names and paths] }', policy);
  const paths = pathsOf(world);
  for (const entry of policy.allow) {
    const isName = typeof entry === 'string' && entry !== '' && !hasSeparator(entry, world) && !/^\.{1,2}$/.test(entry);
    const isPath = typeof entry === 'string' && paths.isAbsolute(entry) && paths.normalize(entry) === entry;
    requireOption(isName || isPath, 'execPolicy.allow', 'bare names and absolute paths without . and ..', entry);
  }
}

/**
 * Variables that make a program, or the interpreter it is written for, load or run other code: of the dynamic loader and
 * the C library, of shells, of languages and their runtimes, of TLS libraries; and PATH, where it finds its own helpers.
 */
const LOADING = new RegExp(
  `^(?:${[
    'PATH|PATHEXT|COMSPEC|LD_.*|_?DYLD_.*|_RLD.*|LIBPATH|SHLIB_PATH|GCONV_PATH|LOCPATH|NLSPATH|GLIBC_TUNABLES',
    'ENV|BASH_.*|BASHOPTS|SHELLOPTS|SHELL|IFS|PS4|PROMPT_COMMAND|ZDOTDIR|FPATH',
    'NODE_(?:OPTIONS|PATH|REPL_.*)|NPM_CONFIG_.*|BUN_.*|DENO_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|PHPRC|PHP_INI_.*|TCLLIBPATH',
    'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|JAVA_HOME|CLASSPATH|DOTNET_.*|CORECLR_.*|COMPLUS_.*|MONO_.*',
    'OPENSSL_(?:CONF|ENGINES|MODULES)|GIT_.*|EDITOR|VISUAL|PAGER|BROWSER|CLOUDSDK_PYTHON.*',
  ].join('|')})$`,
  'i', // Windows does not mind the case
);

/**
 * Throws INVALID_CONFIG when there is a list of allowed programs and the kubeconfig sets a variable with which an allowed
 * one would run code that is not on it.
 */
export function checkVariables(policy: ExecPolicy, names: readonly string[], where: string): void {
  if (typeof policy === 'string') return;
  // Names that look alike to some systems: with spaces, and a shell's exported functions.
  const refused = names.find((name) => LOADING.test(name.trim()) || /[=%()\s]/.test(name.trim()));
  if (refused === undefined) return;
  throw new KubeError(
    'INVALID_CONFIG',
    `${where}.env: variable ${JSON.stringify(refused.slice(0, 80))} can make the plugin run other programs, and option execPolicy allows listed ones only: remove it, or set it for this process`,
  );
}

function pathsOf(world: Pick<CommandWorld, 'platform'>): PlatformPath {
  return world.platform === 'win32' ? win32 : posix;
}

async function findOnPath(name: string, world: CommandWorld): Promise<string | undefined> {
  const paths = pathsOf(world);
  // A batch file of that name earlier on PATH is passed over, as it could not be run.
  const names = world.platform !== 'win32' || /\.(?:exe|com)$/i.test(name) ? [name] : [`${name}.exe`, `${name}.com`];
  for (const directory of world.path.split(paths.delimiter).filter((entry) => paths.isAbsolute(entry)))
    for (const each of names) {
      const path = paths.join(directory, each);
      if (await world.isExecutable(path)) return path;
    }
  return undefined;
}

function refuseBatch(command: string, where: string, world: CommandWorld): void {
  // Windows ignores dots and spaces at the end of a name.
  if (world.platform !== 'win32' || !/\.(?:bat|cmd)[. ]*$/i.test(command)) return;
  throw new KubeError('INVALID_CONFIG', `${where}.command: batch files cannot be run safely: name the program itself`);
}

function hasSeparator(command: string, world: Pick<CommandWorld, 'platform'>): boolean {
  return world.platform === 'win32' ? /[\\/:]/.test(command) : command.includes('/');
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // that is the answer
  }
}
