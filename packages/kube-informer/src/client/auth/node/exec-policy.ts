import { KubeError, requireOption } from '../../../core/errors.ts';
import {
  type CommandEnvironment,
  findCommandOnPath,
  commandHasPathSeparator,
  commandPathsOfPlatform,
} from './find-command.ts';

/**
 * Which credential plugins may run: all, none, or those listed. An entry is a bare name, which is looked up on PATH, or
 * an absolute path without `.` and `..`. An empty list allows nothing.
 */
export type ExecPolicy = 'allow' | 'deny' | { readonly allow: readonly string[] };

/** Throws CREDENTIALS unless `policy` allows `command`, which was found at `path`. */
export async function checkExecPolicy(
  policy: ExecPolicy,
  command: string,
  path: string,
  environment: CommandEnvironment,
): Promise<void> {
  if (policy === 'allow') return;
  if (policy !== 'deny') {
    for (const entry of policy.allow)
      if ((commandHasPathSeparator(entry, environment) ? entry : await findCommandOnPath(entry, environment)) === path)
        return;
  }
  throw new KubeError(
    'CREDENTIALS',
    `credential plugin ${JSON.stringify(command)} was not run: option execPolicy ${policy === 'deny' ? 'denies all plugins' : 'does not list it'}`,
  );
}

/** Throws INVALID_OPTION unless it is a valid policy. */
export function validateExecPolicy(policy: ExecPolicy, environment: Pick<CommandEnvironment, 'platform'>): void {
  if (policy === 'allow' || policy === 'deny') return;
  const entries: unknown = (policy as { allow?: unknown } | null | undefined)?.allow;
  requireOption(Array.isArray(entries), 'execPolicy', '"allow", "deny" or { allow: [names and paths] }', policy);
  const paths = commandPathsOfPlatform(environment);
  for (const entry of policy.allow) {
    const isName =
      typeof entry === 'string' &&
      entry !== '' &&
      !commandHasPathSeparator(entry, environment) &&
      !/^\.{1,2}$/.test(entry);
    const isPath = typeof entry === 'string' && paths.isAbsolute(entry) && paths.normalize(entry) === entry;
    requireOption(isName || isPath, 'execPolicy.allow', 'bare names and absolute paths without . and ..', entry);
  }
}

/**
 * Variables that make a program or its interpreter load or run other code: those of the dynamic loader, the C library,
 * shells, languages and their runtimes, and TLS libraries; and PATH, where it finds its helpers.
 */
const CODE_LOADING_VARIABLES = new RegExp(
  `^(?:${[
    'PATH|PATHEXT|COMSPEC|LD_.*|_?DYLD_.*|_RLD.*|LIBPATH|SHLIB_PATH|GCONV_PATH|LOCPATH|NLSPATH|GLIBC_TUNABLES',
    'ENV|BASH_.*|BASHOPTS|SHELLOPTS|SHELL|IFS|PS4|PROMPT_COMMAND|ZDOTDIR|FPATH',
    'NODE_(?:OPTIONS|PATH|REPL_.*)|NPM_CONFIG_.*|BUN_.*|DENO_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|PHPRC|PHP_INI_.*|TCLLIBPATH',
    'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|JAVA_HOME|CLASSPATH|DOTNET_.*|CORECLR_.*|COMPLUS_.*|MONO_.*',
    'OPENSSL_(?:CONF|ENGINES|MODULES)|GIT_.*|EDITOR|VISUAL|PAGER|BROWSER|CLOUDSDK_PYTHON.*',
  ].join('|')})$`,
  'i', // names are case-insensitive on Windows
);

/**
 * Throws INVALID_CONFIG when there is a list of allowed programs and the kubeconfig sets a variable that can make an
 * allowed program run other code.
 */
export function checkExecVariables(policy: ExecPolicy, names: readonly string[], where: string): void {
  if (typeof policy === 'string') return;
  // Some systems ignore spaces around a name; the characters in the second test occur in a shell's exported functions.
  const refused = names.find((name) => CODE_LOADING_VARIABLES.test(name.trim()) || /[=%()\s]/.test(name.trim()));
  if (refused === undefined) return;
  throw new KubeError(
    'INVALID_CONFIG',
    `${where}.env: variable ${JSON.stringify(refused.slice(0, 80))} can make the plugin run other programs, and option execPolicy allows only listed ones: remove the variable, or set it for this process`,
  );
}
