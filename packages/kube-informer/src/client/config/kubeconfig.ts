import { KubeError } from '../../core/errors.ts';
import { conceal } from '../secrets/conceal.ts';
import { defined } from '../../core/defined.ts';
import { ConfigFields } from './config-fields.ts';
import { redact } from '../../core/redact.ts';
import { parseSafeYaml } from './safe-yaml.ts';

/** The common part of all entries of a kubeconfig. */
interface Entry {
  readonly name: string;
  /** For messages: `kubeconfig /home/me/.kube/config: users["dev"].user`. */
  readonly where: string;
  /** The file that contains it: relative paths start in its directory. Undefined for text given in code. */
  readonly file?: string;
}

export interface KubeconfigCluster extends Entry {
  readonly server?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthority?: string;
  /** Base64, as in the file. */
  readonly certificateAuthorityData?: string;
  readonly proxyUrl?: string;
  readonly disableCompression: boolean;
  /** The extension that is passed to a credential plugin. */
  readonly execConfig?: unknown;
}

export interface KubeconfigContext extends Entry {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

export interface KubeconfigUser extends Entry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly clientCertificate?: string;
  readonly clientCertificateData?: string;
  readonly clientKey?: string;
  readonly clientKeyData?: string;
  readonly as?: string;
  readonly asUid?: string;
  readonly asGroups?: readonly string[];
  readonly asUserExtra?: ReadonlyMap<string, readonly string[]>;
  readonly exec?: KubeconfigExec;
  readonly authProvider?: KubeconfigAuthProvider;
}

/** A program that prints credentials. */
export interface KubeconfigExec {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly interactiveMode?: string;
  readonly provideClusterInfo: boolean;
  readonly installHint?: string;
}

export interface KubeconfigAuthProvider {
  readonly name?: string;
  readonly config: ReadonlyMap<string, string>;
}

/**
 * One kubeconfig, or several merged. Types are checked while parsing, meanings when an entry is chosen, so that an
 * unused broken entry does no harm. Printing it shows names and paths, nothing secret.
 */
export interface Kubeconfig {
  readonly currentContext?: string;
  readonly preferences: ReadonlyMap<string, unknown>;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
}

export interface ParseKubeconfigOptions {
  /** The file the text was read from. Undefined if it was given in code; relative paths in it are refused then. */
  readonly file?: string;
}

/** Takes YAML or JSON text, or a parsed object. Rejects INVALID_CONFIG with the file and the field. */
export async function parseKubeconfig(
  content: string | object,
  options: ParseKubeconfigOptions = {},
): Promise<Kubeconfig> {
  const { file } = options;
  const source = file === undefined ? 'kubeconfig' : `kubeconfig ${file}`;
  const value = typeof content === 'string' ? await parseSafeYaml(content, source) : content;
  if (file === undefined && typeof value === 'string')
    throw new KubeError(
      'INVALID_CONFIG',
      'option kubeconfig: expected the content of a kubeconfig, got a single text; for the path of a file use option kubeconfigFile',
    );
  // An empty file is an empty configuration: `touch` creates one, and so do tools before they write to it.
  const top = ConfigFields.of(value ?? new Map(), source);
  requireKubeconfigField(top, 'kind', 'Config');
  requireKubeconfigField(top, 'apiVersion', 'v1');

  const entries = <T>(list: string, item: string, read: (fields: ConfigFields, entry: Entry) => T): Map<string, T> => {
    const all = new Map<string, T>();
    for (const named of top.list(list)) {
      const name = named.requiredText('name');
      const path = `${list}[${JSON.stringify(name)}]`;
      if (all.has(name)) throw top.error(path, 'this name occurs twice in the file');
      const fields = named.fields(item, `${path}.${item}`) ?? ConfigFields.of(new Map(), source, `${path}.${item}`);
      const where = `${source}: ${fields.path}`;
      all.set(name, read(fields, { name, where, ...defined({ file }) }));
    }
    return all;
  };
  const preferences = top.fields('preferences');
  return {
    ...defined({ currentContext: top.text('current-context') }),
    preferences: new Map((preferences?.names() ?? []).map((name) => [name, preferences?.json(name)])),
    clusters: entries('clusters', 'cluster', readKubeconfigCluster),
    contexts: entries('contexts', 'context', readKubeconfigContext),
    users: entries('users', 'user', readKubeconfigUser),
  };
}

/**
 * Merges several kubeconfigs by kubectl's rules: for each name the whole entry of the first file that has it is used;
 * the current context and the preferences are those of the first file that has any.
 */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  return {
    ...defined({ currentContext: files.find((file) => file.currentContext !== undefined)?.currentContext }),
    preferences: files.find((file) => file.preferences.size > 0)?.preferences ?? new Map(),
    clusters: mergeKubeconfigEntries(files.map((file) => file.clusters)),
    contexts: mergeKubeconfigEntries(files.map((file) => file.contexts)),
    users: mergeKubeconfigEntries(files.map((file) => file.users)),
  };
}

/** Whether it has no clusters, like an empty file. */
export function isEmptyKubeconfig(config: Kubeconfig): boolean {
  return config.clusters.size === 0;
}

function mergeKubeconfigEntries<T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> {
  const merged = new Map<string, T>();
  for (const map of maps) for (const [name, entry] of map) if (!merged.has(name)) merged.set(name, entry);
  return merged;
}

function readKubeconfigCluster(fields: ConfigFields, entry: Entry): KubeconfigCluster {
  const proxyUrl = fields.text('proxy-url');
  const server = fields.text('server');
  const execConfig = fields
    .list('extensions')
    .find((extension) => extension.text('name') === 'client.authentication.k8s.io/exec')
    ?.json('extension');
  const cluster = {
    ...entry,
    insecureSkipTlsVerify: fields.flag('insecure-skip-tls-verify'),
    disableCompression: fields.flag('disable-compression'),
    ...defined({
      server,
      tlsServerName: fields.text('tls-server-name'),
      certificateAuthority: fields.text('certificate-authority'),
      certificateAuthorityData: fields.text('certificate-authority-data'),
      proxyUrl,
      execConfig,
    }),
  };
  // Both URLs may contain a password, and an extension may contain anything.
  const shown = {
    server: server && redact(server),
    proxyUrl: proxyUrl && redact(proxyUrl),
    execConfig: hideKubeconfigValue(execConfig),
    certificateAuthorityData: hideKubeconfigValue(cluster.certificateAuthorityData),
  };
  return conceal(cluster, { ...cluster, ...defined(shown) });
}

function readKubeconfigContext(fields: ConfigFields, entry: Entry): KubeconfigContext {
  return {
    ...entry,
    ...defined({ cluster: fields.text('cluster'), user: fields.text('user'), namespace: fields.text('namespace') }),
  };
}

function readKubeconfigUser(fields: ConfigFields, entry: Entry): KubeconfigUser {
  const secret = defined({
    token: fields.text('token'),
    password: fields.text('password'),
    clientKeyData: fields.text('client-key-data'),
    clientCertificateData: fields.text('client-certificate-data'),
  });
  const extra = fields.fields('as-user-extra');
  const open = {
    ...entry,
    ...defined({
      tokenFile: fields.text('tokenFile'),
      username: fields.text('username'),
      clientCertificate: fields.text('client-certificate'),
      clientKey: fields.text('client-key'),
      as: fields.text('as'),
      asUid: fields.text('as-uid'),
      asGroups: fields.has('as-groups') ? fields.texts('as-groups') : undefined,
      asUserExtra: extra && new Map(extra.names().map((name) => [name, extra.texts(name)])),
      exec: readKubeconfigExec(fields.fields('exec')),
      authProvider: readKubeconfigAuthProvider(fields.fields('auth-provider')),
    }),
  };
  const shown = Object.fromEntries(Object.keys(secret).map((name) => [name, '[redacted]']));
  return conceal({ ...open, ...secret }, { ...open, ...shown });
}

function readKubeconfigExec(fields: ConfigFields | undefined): KubeconfigExec | undefined {
  if (fields === undefined) return undefined;
  const open = {
    provideClusterInfo: fields.flag('provideClusterInfo'),
    ...defined({
      apiVersion: fields.text('apiVersion'),
      command: fields.text('command'),
      interactiveMode: fields.text('interactiveMode'),
      installHint: fields.text('installHint'),
    }),
  };
  const env = fields.list('env').map((item) => ({ name: item.text('name') ?? '', value: item.text('value') ?? '' }));
  return conceal({ ...open, args: fields.texts('args'), env }, { ...open, args: '[redacted]', env: '[redacted]' });
}

function readKubeconfigAuthProvider(fields: ConfigFields | undefined): KubeconfigAuthProvider | undefined {
  if (fields === undefined) return undefined;
  const name = fields.text('name');
  const config = fields.textMap('config');
  return conceal({ ...defined({ name }), config }, { name, config: '[redacted]' });
}

function requireKubeconfigField(fields: ConfigFields, name: string, expected: string): void {
  const value = fields.text(name) ?? expected;
  if (value !== expected) throw fields.error(name, `expected ${expected}: the file is not a kubeconfig`);
}

function hideKubeconfigValue(value: unknown): string | undefined {
  return value === undefined ? undefined : '[redacted]';
}
