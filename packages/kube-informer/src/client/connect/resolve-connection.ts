import type { UserCode } from '../../core/guarded.ts';
import { type Env, envPlatformFlag, guardedEnv, systemEnv } from '../../core/env.ts';
import { KubeError, requireOption } from '../../core/errors.ts';
import { buildConnection, refuseToBuildUntrustedConnection } from './build-connection.ts';
import type { ConfigSource, ConnectOptions } from './connect-options.ts';
import { connectOverlayOfUrl, overlayConnectOptions } from './connect-overlay.ts';
import type { ConnectionPlan } from '../config/connection-plan.ts';
import type { Connection } from './connection.ts';
import { defined } from '../../core/defined.ts';
import { chooseContext, type KubeconfigSelection } from '../config/choose-context.ts';
import { isEmptyKubeconfig, type Kubeconfig, parseKubeconfig } from '../config/kubeconfig.ts';
import { loadNodeModules } from './load-node-modules.ts';
import { isNodeOnly, requireNodeOnly } from './node-only.ts';
import type { ReadVariable } from '../transport/proxy.ts';

/** The service account comes before the home directory: in a pod, a kubeconfig there is rarely the intended one. */
const DEFAULT_ORDER: readonly ConfigSource[] = ['KUBECONFIG', 'in-cluster', 'home'];

/**
 * Finds the configuration of a cluster: see ConnectOptions for the places and their order.
 *
 * Rejects INVALID_CONFIG when a configuration is wrong or there is none, with the file and the field; INVALID_OPTION
 * when options contradict each other. Opens no connection and runs no program.
 */
export async function resolveConnection(
  options: ConnectOptions = {},
  given: UserCode<Env> = systemEnv,
): Promise<Connection> {
  const env = guardedEnv(given);
  const { environment, untrusted = false } = options;
  const read: ReadVariable = (name) =>
    environment === undefined ? envPlatformFlag(name) : resolveConnectionVariable(environment, name);
  const isGiven = options.kubeconfig !== undefined || options.kubeconfigFile !== undefined;
  requireOption(!untrusted || isGiven, 'untrusted', 'option kubeconfig or kubeconfigFile as well', 'neither');
  requireOption(
    options.kubeconfig === undefined || options.kubeconfigFile === undefined,
    'kubeconfig',
    'only one of kubeconfig and kubeconfigFile',
    'both',
  );

  await loadNodeModules(env);
  const plan = await planToResolveConnection(options, read, env);
  if (untrusted) refuseToBuildUntrustedConnection(plan);
  const connection = await buildConnection(overlayConnectOptions(plan, options), options, read, env);
  // Callers start their first requests at once: in another turn of the event loop than the reading of the configuration.
  await env.yield();
  return connection;
}

async function planToResolveConnection(options: ConnectOptions, read: ReadVariable, env: Env): Promise<ConnectionPlan> {
  const { url, kubeconfig, kubeconfigFile, order = DEFAULT_ORDER, context, cluster, user } = options;
  const selection: KubeconfigSelection = defined({ context, cluster, user });
  const isSelected = Object.keys(selection).length > 0;
  if (kubeconfig !== undefined) return chooseContext(await parseKubeconfig(kubeconfig), selection);
  if (kubeconfigFile !== undefined) {
    requireNodeOnly('option kubeconfigFile');
    const { loadKubeconfigFile } = await import('#node');
    return chooseContext(await loadKubeconfigFile(kubeconfigFile), selection);
  }
  if (url !== undefined && !isSelected) return connectOverlayOfUrl(url);

  const tried: string[] = [];
  for (const source of order) {
    requireOption(Object.hasOwn(CONFIG_SOURCES, source), 'order', 'a list of KUBECONFIG, in-cluster and home', source);
    const found = isNodeOnly()
      ? await CONFIG_SOURCES[source](options, read, env, isSelected)
      : 'no files on this platform';
    if (typeof found === 'string') tried.push(`${source}: ${found}`);
    else return 'server' in found ? found : chooseContext(found, selection);
  }
  throw new KubeError(
    'INVALID_CONFIG',
    `no cluster is configured (${tried.join('; ') || 'option order is empty'}): set KUBECONFIG, or pass option url or kubeconfig`,
  );
}

/** Looks in one place. Resolves with the reason as a string when there is no configuration. */
type FindConfig = (
  options: ConnectOptions,
  read: ReadVariable,
  env: Env,
  isSelected: boolean,
) => Promise<Kubeconfig | ConnectionPlan | string>;

const CONFIG_SOURCES: Readonly<Record<ConfigSource, FindConfig>> = {
  async KUBECONFIG(_, read, env) {
    const { kubeconfigPaths, loadKubeconfigFiles } = await import('#node');
    const paths = kubeconfigPaths({ read });
    if (paths.length === 0) return 'not set';
    const { config, problems } = await loadKubeconfigFiles(paths, { env });
    const [first] = problems;
    // Without the broken file another cluster could be chosen than the intended one.
    if (first !== undefined)
      throw problems.length === 1
        ? first
        : new KubeError('INVALID_CONFIG', problems.map(({ message }) => message).join('; '), { cause: first });
    return isEmptyKubeconfig(config) ? 'its files contain no cluster' : config;
  },

  async 'in-cluster'(options, read, env, isSelected) {
    if (isSelected) return 'skipped, because option context, cluster or user is set';
    const { isInCluster, inClusterPlan } = await import('#node');
    const pod = { read, env, ...defined({ directory: options.serviceAccountDirectory }) };
    return (await isInCluster(pod)) ? inClusterPlan(pod) : 'not in a pod with a service account';
  },

  async home(_, read, env) {
    if (read('KUBECONFIG')) return 'skipped, because KUBECONFIG is set';
    const { homeKubeconfig, isMissingFile, loadKubeconfigFile } = await import('#node');
    const path = await homeKubeconfig({ read, env });
    if (path === undefined) return 'no home directory';
    try {
      const config = await loadKubeconfigFile(path);
      return isEmptyKubeconfig(config) ? `${path} contains no cluster` : config;
    } catch (error) {
      if (isMissingFile(error)) return `${path} does not exist`;
      throw error;
    }
  },
};

function resolveConnectionVariable(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}
