import { KubeError } from '../../core/errors.ts';
import { conceal } from '../secrets/conceal.ts';
import { defined } from '../../core/defined.ts';
import type { AuthPlan, ConnectionPlan, ExecPlan, FileRef, PemPlan, TlsPlan } from './connection-plan.ts';
import type { Impersonation } from './connection-plan.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigUser } from './kubeconfig.ts';
import { rememberSecret } from '../secrets/redact.ts';

/** Which entries to use in place of the current context's. */
export interface KubeconfigSelection {
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
}

/**
 * What the chosen context of a kubeconfig says, checked by the rules kubectl has. Throws INVALID_CONFIG with the file
 * and the field. Pure: no file is read, so a path is passed on as it stands together with the file that named it.
 */
export function chooseFromKubeconfig(config: Kubeconfig, selection: KubeconfigSelection = {}): ConnectionPlan {
  const contextName = selection.context ?? config.currentContext;
  const context = contextName === undefined ? undefined : find(config.contexts, contextName, 'context', 'contexts');
  const clusterName = selection.cluster ?? context?.cluster;
  if (clusterName === undefined) {
    if (context !== undefined) throw invalid(`${context.where}.cluster`, 'is missing');
    if (config.contexts.size === 0 && config.clusters.size === 0)
      throw new KubeError('INVALID_CONFIG', 'this is no kubeconfig: it has neither clusters nor contexts');
    const known = [...config.contexts.keys()].map((name) => JSON.stringify(name)).join(', ');
    throw new KubeError('INVALID_CONFIG', `the kubeconfig has no current-context: choose one of ${known || '(none)'}`);
  }
  const cluster = find(config.clusters, clusterName, 'cluster', 'clusters', context);
  const userName = selection.user ?? context?.user;
  const user = userName === undefined ? undefined : find(config.users, userName, 'user', 'users', context);

  if (cluster.server === undefined) throw invalid(`${cluster.where}.server`, 'is missing');
  const file = context?.file ?? cluster.file;
  const { auth, cert, key } = user === undefined ? nobody : authOf(user, cluster);
  const origin = file === undefined ? 'kubeconfig' : `kubeconfig ${file}`;
  return {
    origin: contextName === undefined ? origin : `${origin}, context ${JSON.stringify(contextName)}`,
    where: cluster.where,
    server: cluster.server,
    tls: { ...tlsOf(cluster), ...defined({ cert, key }) },
    auth,
    disableCompression: cluster.disableCompression,
    ...defined({
      namespace: context && namespaceOf(context),
      proxyUrl: cluster.proxyUrl,
      impersonate: user && impersonationOf(user),
    }),
  };
}

const nobody: { auth: AuthPlan; cert?: PemPlan; key?: PemPlan } = { auth: { type: 'none' } };

/** A namespace becomes part of paths and of messages: only a DNS label is one. */
export function checkedNamespace(namespace: string, where: string): string {
  if (/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)) return namespace;
  throw invalid(where, 'expected a namespace: lower case letters, digits and "-", at most 63');
}

function namespaceOf(context: KubeconfigContext): string | undefined {
  const { namespace } = context;
  return namespace === undefined ? undefined : checkedNamespace(namespace, `${context.where}.namespace`);
}

function find<T>(
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

function tlsOf(cluster: KubeconfigCluster): TlsPlan {
  const ca = pemOf(cluster, 'certificate-authority', cluster.certificateAuthority, cluster.certificateAuthorityData);
  if (ca !== undefined && cluster.insecureSkipTlsVerify)
    throw invalid(`${cluster.where}.insecure-skip-tls-verify`, 'cannot be true together with a certificate authority');
  return defined({
    ca,
    serverName: cluster.tlsServerName,
    insecureSkipVerify: cluster.insecureSkipTlsVerify || undefined,
  });
}

function pemOf(
  entry: { readonly where: string; readonly file?: string },
  field: string,
  path: string | undefined,
  data: string | undefined,
): PemPlan | undefined {
  if (path !== undefined && data !== undefined)
    throw invalid(`${entry.where}.${field}-data`, `cannot be given together with ${field}: keep one`);
  if (path !== undefined) return { file: fileRef(entry, field, path) };
  if (data === undefined) return undefined;
  const where = `${entry.where}.${field}-data`;
  const pem = decodePem(data);
  if (pem === undefined) throw invalid(where, 'expected PEM text in base64');
  if (field === 'client-key') rememberSecret(pem);
  return conceal({ pem, where }, { where });
}

function fileRef(entry: { readonly where: string; readonly file?: string }, field: string, path: string): FileRef {
  return { path, where: `${entry.where}.${field}`, ...defined({ beside: entry.file }) };
}

function authOf(user: KubeconfigUser, cluster: KubeconfigCluster): { auth: AuthPlan; cert?: PemPlan; key?: PemPlan } {
  const { where } = user;
  const cert = pemOf(user, 'client-certificate', user.clientCertificate, user.clientCertificateData);
  const key = pemOf(user, 'client-key', user.clientKey, user.clientKeyData);
  if (cert !== undefined && key === undefined)
    throw invalid(`${where}.client-key`, 'is missing: the certificate needs it');
  if (cert === undefined && key !== undefined)
    throw invalid(`${where}.client-certificate`, 'is missing: a key alone proves nothing');
  const hasToken = user.token !== undefined || user.tokenFile !== undefined;
  const hasBasic = user.username !== undefined || user.password !== undefined;
  if (hasToken && hasBasic) throw invalid(where, 'a token and a user name with password: keep one');
  if (user.exec !== undefined && user.authProvider !== undefined)
    throw invalid(`${where}.exec`, 'cannot be given together with auth-provider: keep one');
  const exec = user.exec === undefined ? undefined : execOf(user, user.exec, cluster);
  const pair = defined({ cert, key });

  // What is fixed wins over what has to be fetched: who adds a token to a user means that token.
  if (hasToken) {
    const file = user.tokenFile === undefined ? undefined : fileRef(user, 'tokenFile', user.tokenFile);
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
      throw invalid(
        `${field}.name`,
        `expected oidc, got ${JSON.stringify(name ?? '')}: other providers moved to exec plugins`,
      );
    return {
      auth: conceal({ type: 'oidc', config, where: field, ...defined({ beside: user.file }) }, { type: 'oidc' }),
    };
  }
  return nobody;
}

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;
const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;

function execOf(user: KubeconfigUser, exec: NonNullable<KubeconfigUser['exec']>, cluster: KubeconfigCluster): ExecPlan {
  const where = `${user.where}.exec`;
  const { command, args, env, provideClusterInfo, installHint } = exec;
  if (command === undefined) throw invalid(`${where}.command`, 'is missing');
  if (exec.apiVersion === undefined)
    throw invalid(`${where}.apiVersion`, `is missing: expected ${EXEC_VERSIONS.join(' or ')}`);
  const apiVersion = EXEC_VERSIONS.find((version) => version === exec.apiVersion);
  if (apiVersion === undefined)
    throw invalid(
      `${where}.apiVersion`,
      `expected ${EXEC_VERSIONS.join(' or ')}, got ${JSON.stringify(exec.apiVersion)}`,
    );
  env.forEach(({ name, value }, at) => {
    if (name === '' || /[=\0]/.test(name)) throw invalid(`${where}.env[${at}].name`, 'expected the name of a variable');
    if (value.includes('\0')) throw invalid(`${where}.env[${at}].value`, 'holds a NUL character');
  });
  if ([command, ...args].some((word) => word.includes('\0'))) throw invalid(`${where}.args`, 'hold a NUL character');
  // The first versions of the interface had no such field, and plugins may ask when there is somebody to answer.
  const mode = exec.interactiveMode ?? (apiVersion.endsWith('/v1') ? undefined : 'IfAvailable');
  const interactiveMode = INTERACTIVE_MODES.find((one) => one === mode);
  if (interactiveMode === undefined)
    throw invalid(
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

function impersonationOf(user: KubeconfigUser): Impersonation | undefined {
  const { as, asUid, asGroups = [], asUserExtra = new Map<string, readonly string[]>() } = user;
  if (as === undefined) {
    if (asUid === undefined && asGroups.length === 0 && asUserExtra.size === 0) return undefined;
    throw invalid(`${user.where}.as`, 'is missing: as-uid, as-groups and as-user-extra need it');
  }
  return {
    user: as,
    ...defined({ uid: asUid }),
    ...(asGroups.length === 0 ? {} : { groups: asGroups }),
    ...(asUserExtra.size === 0 ? {} : { extra: Object.fromEntries(asUserExtra) }),
  };
}

/** PEM text behind base64, or undefined when it is none. Line breaks inside are allowed, as in a folded YAML text. */
export function decodePem(data: string): string | undefined {
  const packed = data.replaceAll(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return undefined;
  try {
    const pem = atob(packed);
    return pem.includes('-----BEGIN ') ? pem : undefined;
  } catch {
    return undefined; // the caller says where, which is all there is to say
  }
}

function invalid(where: string, problem: string): KubeError {
  return new KubeError('INVALID_CONFIG', `${where}: ${problem}`);
}
