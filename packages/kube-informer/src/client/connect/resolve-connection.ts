import { type Env, platformFlag, systemEnv } from '../../core/env.ts';
import { KubeError, requireOption } from '../../core/errors.ts';
import { buildConnection, refuseUntrusted } from './build-connection.ts';
import type { ConfigSource, ConnectOptions } from './connect-options.ts';
import { explicitPlan, overlay } from './connect-overlay.ts';
import type { ConnectionPlan } from '../config/connection-plan.ts';
import type { Connection } from './connection.ts';
import { defined } from '../../core/defined.ts';
import { chooseContext, type KubeconfigSelection } from '../config/choose-context.ts';
import { isEmptyKubeconfig, type Kubeconfig, parseKubeconfig } from '../config/kubeconfig.ts';
import { hasNode, needNode } from './node-only.ts';
import type { ReadVariable } from '../transport/proxy.ts';

/** The service account before the home directory: in a pod the latter is somebody's leftover. */
const DEFAULT_ORDER: readonly ConfigSource[] = ['KUBECONFIG', 'in-cluster', 'home'];

/**
 * Finds a cluster and how to enter it: see ConnectOptions for where it looks, in which order.
 *
 * Rejects INVALID_CONFIG when a configuration is wrong or there is none, with the file and the field; INVALID_OPTION
 * when options contradict each other. Opens no connection and runs no program.
 */
export async function resolveConnection(options: ConnectOptions = {}, env: Env = systemEnv): Promise<Connection> {
  const { environment, untrusted = false } = options;
  const read: ReadVariable = (name) => (environment === undefined ? platformFlag(name) : ownValue(environment, name));
  const isGiven = options.kubeconfig !== undefined || options.kubeconfigFile !== undefined;
  requireOption(!untrusted || isGiven, 'untrusted', 'kubeconfig or kubeconfigFile beside it', 'neither');
  requireOption(
    options.kubeconfig === undefined || options.kubeconfigFile === undefined,
    'kubeconfig',
    'only one of kubeconfig and kubeconfigFile',
    'both',
  );

  const plan = await findPlan(options, read, env);
  if (untrusted) refuseUntrusted(plan);
  return buildConnection(overlay(plan, options), options, read, env);
}

async function findPlan(options: ConnectOptions, read: ReadVariable, env: Env): Promise<ConnectionPlan> {
  const { url, kubeconfig, kubeconfigFile, order = DEFAULT_ORDER, context, cluster, user } = options;
  const selection: KubeconfigSelection = defined({ context, cluster, user });
  const isSelected = Object.keys(selection).length > 0;
  if (kubeconfig !== undefined) return chooseContext(await parseKubeconfig(kubeconfig), selection);
  if (kubeconfigFile !== undefined) {
    needNode('option kubeconfigFile');
    const { loadKubeconfigFile } = await import('#node');
    return chooseContext(await loadKubeconfigFile(kubeconfigFile), selection);
  }
  if (url !== undefined && !isSelected) return explicitPlan(url);

  const looked: string[] = [];
  for (const source of order) {
    requireOption(Object.hasOwn(SOURCES, source), 'order', 'a list of KUBECONFIG, in-cluster and home', source);
    const found = hasNode() ? await SOURCES[source](options, read, env, isSelected) : 'there are no files here';
    if (typeof found === 'string') looked.push(`${source}: ${found}`);
    else return 'server' in found ? found : chooseContext(found, selection);
  }
  throw new KubeError(
    'INVALID_CONFIG',
    `no cluster is configured (${looked.join('; ') || 'option order is empty'}): set KUBECONFIG, or pass option url or kubeconfig`,
  );
}

/** Looks in one place. A text says why nothing was found there. */
type Look = (
  options: ConnectOptions,
  read: ReadVariable,
  env: Env,
  isSelected: boolean,
) => Promise<Kubeconfig | ConnectionPlan | string>;

const SOURCES: Readonly<Record<ConfigSource, Look>> = {
  async KUBECONFIG(_, read, env) {
    const { kubeconfigPaths, loadKubeconfigFiles } = await import('#node');
    const paths = kubeconfigPaths({ read });
    if (paths.length === 0) return 'not set';
    const { config, problems } = await loadKubeconfigFiles(paths, { env });
    const [first] = problems;
    // Going on without a broken file could pick another cluster than the one that was meant.
    if (first !== undefined)
      throw problems.length === 1
        ? first
        : new KubeError('INVALID_CONFIG', problems.map(({ message }) => message).join('; '), { cause: first });
    return isEmptyKubeconfig(config) ? 'its files name no cluster' : config;
  },

  async 'in-cluster'(options, read, env, isSelected) {
    if (isSelected) return 'not asked, as a context, cluster or user is named';
    const { isInCluster, inClusterPlan } = await import('#node');
    const pod = { read, env, ...defined({ directory: options.serviceAccountDirectory }) };
    return (await isInCluster(pod)) ? inClusterPlan(pod) : 'not in a pod with a service account';
  },

  async home(_, read, env) {
    if (read('KUBECONFIG')) return 'not asked, as KUBECONFIG is set';
    const { homeKubeconfig, isMissingFile, loadKubeconfigFile } = await import('#node');
    const path = await homeKubeconfig({ read, env });
    if (path === undefined) return 'no home directory';
    try {
      const config = await loadKubeconfigFile(path);
      return isEmptyKubeconfig(config) ? `${path} names no cluster` : config;
    } catch (error) {
      if (isMissingFile(error)) return `${path} does not exist`;
      throw error;
    }
  },
};

function ownValue(environment: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}
