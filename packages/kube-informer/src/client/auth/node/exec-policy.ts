import { KubeError, requireOption } from '../../../core/errors.ts';
import {
  type CommandEnvironment,
  findCommandOnPath,
  mustFindCommandOnPath,
  pathsToFindCommand,
} from './find-command.ts';

/**
 * Which credential plugins may run: all, none, or those listed. An entry is a bare name, which is looked up on PATH, or
 * an absolute path without `.` and `..`. An empty list allows nothing. `env`: names of variables that a kubeconfig may set
 * for them, in addition to those that are harmless for every program.
 */
export type ExecPolicy = 'allow' | 'deny' | { readonly allow: readonly string[]; readonly env?: readonly string[] };

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
      if ((mustFindCommandOnPath(entry, environment) ? entry : await findCommandOnPath(entry, environment)) === path)
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
  const names: unknown = policy.env ?? [];
  const isNames = Array.isArray(names) && names.every((name) => typeof name === 'string' && /^\w+$/.test(name));
  requireOption(isNames, 'execPolicy.env', 'names of variables: letters, digits and _', policy.env);
  const paths = pathsToFindCommand(environment);
  for (const entry of policy.allow) {
    const isName =
      typeof entry === 'string' &&
      entry !== '' &&
      !mustFindCommandOnPath(entry, environment) &&
      !/^\.{1,2}$/.test(entry);
    const isPath = typeof entry === 'string' && paths.isAbsolute(entry) && paths.normalize(entry) === entry;
    requireOption(isName || isPath, 'execPolicy.allow', 'bare names and absolute paths without . and ..', entry);
  }
}

/**
 * Variables that a kubeconfig may set for a listed program even if `env` does not name them: account, region,
 * tenant or project, the language, and the plain credentials of the large clouds.
 *
 * An allowlist, because a blocklist is never complete: loaders, shells, languages and TLS libraries read
 * hundreds of variables, and HOME, XDG_CONFIG_HOME or AWS_CONFIG_FILE name files that name programs.
 */
const HARMLESS_VARIABLES: ReadonlySet<string> = new Set([
  'AWS_PROFILE', 'AWS_DEFAULT_PROFILE', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_STS_REGIONAL_ENDPOINTS', 'AWS_ROLE_ARN', 'AWS_ROLE_SESSION_NAME',
  'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AAD_LOGIN_METHOD', 'AAD_SERVICE_PRINCIPAL_CLIENT_ID',
  'AAD_SERVICE_PRINCIPAL_CLIENT_SECRET', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET', 'AZURE_TENANT_ID', 'AZURE_SUBSCRIPTION_ID',
  'CLOUDSDK_CORE_ACCOUNT', 'CLOUDSDK_CORE_PROJECT', 'CLOUDSDK_COMPUTE_REGION', 'CLOUDSDK_COMPUTE_ZONE', 'USE_GKE_GCLOUD_AUTH_PLUGIN',
  'DIGITALOCEAN_ACCESS_TOKEN', 'LANG', 'LC_ALL', 'TZ', 'NO_COLOR',
]); // prettier-ignore

/** Throws INVALID_CONFIG when there is a list of allowed programs and the kubeconfig sets a variable that is in no list. */
export function requireExecPolicyVariables(policy: ExecPolicy, names: readonly string[], where: string): void {
  if (typeof policy === 'string') return;
  const { env = [] } = policy;
  const refused = names.find((name) => !HARMLESS_VARIABLES.has(name) && !env.includes(name));
  if (refused === undefined) return;
  throw new KubeError(
    'INVALID_CONFIG',
    `${where}.env: variable ${JSON.stringify(refused.slice(0, 80))} can make the plugin run other programs, and option execPolicy allows only listed ones: remove the variable, set it for this process, or list its name in execPolicy.env`,
  );
}
