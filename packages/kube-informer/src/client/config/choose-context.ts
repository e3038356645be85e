import { KubeError } from '../../core/errors.ts';
import { conceal } from '../secrets/conceal.ts';
import { defined } from '../../core/defined.ts';
import type { AuthPlan, ConnectionPlan, ExecPlan, FileRef, PemPlan, TlsPlan } from './connection-plan.ts';
import type { Impersonation } from './connection-plan.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigUser } from './kubeconfig.ts';
import { checkedNamespace } from './namespace.ts';
import { decodePem } from './pem.ts';

/** Names of entries that replace those of the current context. */
export interface KubeconfigSelection {
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
}

/**
 * Makes a plan from the chosen context, checked by kubectl's rules. Throws INVALID_CONFIG with the file and
 * the field. Reads no file: a path is passed on unchanged, together with the kubeconfig that contains it.
 */
export function chooseContext(config: Kubeconfig, selection: KubeconfigSelection = {}): ConnectionPlan {
  const contextName = selection.context ?? config.currentContext;
  const context =
    contextName === undefined ? undefined : entryOfChosenContext(config.contexts, contextName, 'context', 'contexts');
  const clusterName = selection.cluster ?? context?.cluster;
  if (clusterName === undefined) {
    if (context !== undefined) throw invalidInChosenContext(`${context.where}.cluster`, 'is missing');
    if (config.contexts.size === 0 && config.clusters.size === 0)
      throw new KubeError('INVALID_CONFIG', 'not a kubeconfig: it has neither clusters nor contexts');
    const known = [...config.contexts.keys()].map((name) => JSON.stringify(name)).join(', ');
    throw new KubeError(
      'INVALID_CONFIG',
      `the kubeconfig has no current-context: set option context to one of ${known || '(none)'}`,
    );
  }
  const cluster = entryOfChosenContext(config.clusters, clusterName, 'cluster', 'clusters', context);
  const userName = selection.user ?? context?.user;
  const user =
    userName === undefined ? undefined : entryOfChosenContext(config.users, userName, 'user', 'users', context);

  if (cluster.server === undefined) throw invalidInChosenContext(`${cluster.where}.server`, 'is missing');
  const file = context?.file ?? cluster.file;
  const { auth, cert, key } = user === undefined ? NO_AUTH : chosenContextAuth(user, cluster);
  const origin = file === undefined ? 'kubeconfig' : `kubeconfig ${file}`;
  return {
    origin: contextName === undefined ? origin : `${origin}, context ${JSON.stringify(contextName)}`,
    where: cluster.where,
    server: cluster.server,
    tls: { ...chosenContextTls(cluster), ...defined({ cert, key }) },
    auth,
    disableCompression: cluster.disableCompression,
    ...defined({
      namespace: context && namespaceOfChosenContext(context),
      proxyUrl: cluster.proxyUrl,
      impersonate: user && chosenContextImpersonation(user),
    }),
  };
}

const NO_AUTH: { auth: AuthPlan; cert?: PemPlan; key?: PemPlan } = { auth: { type: 'none' } };

function namespaceOfChosenContext(context: KubeconfigContext): string | undefined {
  const { namespace } = context;
  return namespace === undefined ? undefined : checkedNamespace(namespace, `${context.where}.namespace`);
}

function entryOfChosenContext<T>(
  entries: ReadonlyMap<string, T>,
  name: string,
  what: string,
  list: string,
  from?: KubeconfigContext,
): T {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  const named = from === undefined ? '' : `${from.where}.${what}: `;
  const known = [...entries.keys()].map((other) => JSON.stringify(other)).join(', ');
  throw new KubeError(
    'INVALID_CONFIG',
    `${named}${what} ${JSON.stringify(name)} does not exist in the kubeconfig; ${list}: ${known || '(none)'}`,
  );
}

function chosenContextTls(cluster: KubeconfigCluster): TlsPlan {
  const ca = chosenContextPem(
    cluster,
    'certificate-authority',
    cluster.certificateAuthority,
    cluster.certificateAuthorityData,
  );
  if (ca !== undefined && cluster.insecureSkipTlsVerify)
    throw invalidInChosenContext(
      `${cluster.where}.insecure-skip-tls-verify`,
      'cannot be true together with a certificate authority',
    );
  return defined({
    ca,
    serverName: cluster.tlsServerName,
    insecureSkipVerify: cluster.insecureSkipTlsVerify || undefined,
  });
}

function chosenContextPem(
  entry: { readonly where: string; readonly file?: string },
  field: string,
  path: string | undefined,
  data: string | undefined,
): PemPlan | undefined {
  if (path !== undefined && data !== undefined)
    throw invalidInChosenContext(`${entry.where}.${field}-data`, `cannot be given together with ${field}: keep one`);
  if (path !== undefined) return { file: chosenContextFile(entry, field, path) };
  if (data === undefined) return undefined;
  const where = `${entry.where}.${field}-data`;
  const pem = decodePem(data);
  if (pem === undefined) throw invalidInChosenContext(where, 'expected PEM text in base64');
  return conceal({ pem, where }, { where });
}

function chosenContextFile(
  entry: { readonly where: string; readonly file?: string },
  field: string,
  path: string,
): FileRef {
  return { path, where: `${entry.where}.${field}`, ...defined({ beside: entry.file }) };
}

function chosenContextAuth(
  user: KubeconfigUser,
  cluster: KubeconfigCluster,
): { auth: AuthPlan; cert?: PemPlan; key?: PemPlan } {
  const { where } = user;
  const cert = chosenContextPem(user, 'client-certificate', user.clientCertificate, user.clientCertificateData);
  const key = chosenContextPem(user, 'client-key', user.clientKey, user.clientKeyData);
  if (cert !== undefined && key === undefined)
    throw invalidInChosenContext(`${where}.client-key`, 'is missing: the client certificate needs its key');
  if (cert === undefined && key !== undefined)
    throw invalidInChosenContext(`${where}.client-certificate`, 'is missing: a client key needs its certificate');
  const hasToken = user.token !== undefined || user.tokenFile !== undefined;
  const hasBasic = user.username !== undefined || user.password !== undefined;
  if (hasToken && hasBasic)
    throw invalidInChosenContext(where, 'a token cannot be given together with username and password: keep one');
  if (user.exec !== undefined && user.authProvider !== undefined)
    throw invalidInChosenContext(`${where}.exec`, 'cannot be given together with auth-provider: keep one');
  const exec = user.exec === undefined ? undefined : chosenContextExec(user, user.exec, cluster);
  const pair = defined({ cert, key });

  // Fixed credentials win over those that have to be fetched: a token added to a user is meant to be used.
  if (hasToken) {
    const file = user.tokenFile === undefined ? undefined : chosenContextFile(user, 'tokenFile', user.tokenFile);
    const auth: AuthPlan = conceal(
      { type: 'token', where: `${where}.token`, ...defined({ token: user.token, file }) },
      { type: 'token' },
    );
    return { auth, ...pair };
  }
  if (hasBasic) {
    const { username = '', password = '' } = user;
    return { auth: conceal({ type: 'basic', username, password, where }, { type: 'basic', username }), ...pair };
  }
  if (cert !== undefined) return { auth: { type: 'none' }, ...pair };
  if (exec !== undefined) return { auth: { type: 'exec', exec, where: `${where}.exec` } };
  if (user.authProvider !== undefined) {
    const { name, config } = user.authProvider;
    const field = `${where}.auth-provider`;
    if (name !== 'oidc')
      throw invalidInChosenContext(
        `${field}.name`,
        `expected oidc, got ${JSON.stringify(name ?? '')}: use an exec plugin for other providers`,
      );
    return {
      auth: conceal({ type: 'oidc', config, where: field, ...defined({ beside: user.file }) }, { type: 'oidc' }),
    };
  }
  return NO_AUTH;
}

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;
const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;

function chosenContextExec(
  user: KubeconfigUser,
  exec: NonNullable<KubeconfigUser['exec']>,
  cluster: KubeconfigCluster,
): ExecPlan {
  const where = `${user.where}.exec`;
  const { command, args, env, provideClusterInfo, installHint } = exec;
  if (command === undefined) throw invalidInChosenContext(`${where}.command`, 'is missing');
  if (exec.apiVersion === undefined)
    throw invalidInChosenContext(`${where}.apiVersion`, `is missing: expected ${EXEC_VERSIONS.join(' or ')}`);
  const apiVersion = EXEC_VERSIONS.find((version) => version === exec.apiVersion);
  if (apiVersion === undefined)
    throw invalidInChosenContext(
      `${where}.apiVersion`,
      `expected ${EXEC_VERSIONS.join(' or ')}, got ${JSON.stringify(exec.apiVersion)}`,
    );
  env.forEach(({ name, value }, at) => {
    if (name === '' || /[=\0]/.test(name))
      throw invalidInChosenContext(`${where}.env[${at}].name`, 'expected the name of an environment variable');
    if (value.includes('\0')) throw invalidInChosenContext(`${where}.env[${at}].value`, 'contains a NUL character');
  });
  if ([command, ...args].some((word) => word.includes('\0')))
    throw invalidInChosenContext(`${where}.args`, 'contains a NUL character');
  // v1beta1 has no such field; its plugins may ask questions when there is a terminal.
  const mode = exec.interactiveMode ?? (apiVersion.endsWith('/v1') ? undefined : 'IfAvailable');
  const interactiveMode = INTERACTIVE_MODES.find((one) => one === mode);
  if (interactiveMode === undefined)
    throw invalidInChosenContext(
      `${where}.interactiveMode`,
      `expected ${INTERACTIVE_MODES.join(', ')}${mode === undefined ? ': is missing' : ''}`,
    );
  return conceal(
    {
      apiVersion,
      command,
      args,
      env,
      interactiveMode,
      provideClusterInfo,
      ...defined({ installHint, beside: user.file, clusterConfig: cluster.execConfig }),
    },
    { apiVersion, command, args: '[redacted]', env: '[redacted]' },
  );
}

function chosenContextImpersonation(user: KubeconfigUser): Impersonation | undefined {
  const { as, asUid, asGroups = [], asUserExtra = new Map<string, readonly string[]>() } = user;
  if (as === undefined) {
    if (asUid === undefined && asGroups.length === 0 && asUserExtra.size === 0) return undefined;
    throw invalidInChosenContext(`${user.where}.as`, 'is missing: as-uid, as-groups and as-user-extra need it');
  }
  return {
    user: as,
    ...defined({ uid: asUid }),
    ...(asGroups.length === 0 ? {} : { groups: asGroups }),
    ...(asUserExtra.size === 0 ? {} : { extra: Object.fromEntries(asUserExtra) }),
  };
}

function invalidInChosenContext(where: string, problem: string): KubeError {
  return new KubeError('INVALID_CONFIG', `${where}: ${problem}`);
}
