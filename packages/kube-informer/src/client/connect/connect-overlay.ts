import { KubeError, requireOption } from '../../core/errors.ts';
import { conceal } from '../secrets/conceal.ts';
import { defined } from '../../core/defined.ts';
import type { ConnectOptions } from './connect-options.ts';
import type { AuthPlan, ConnectionPlan, FileRef, PemPlan, TlsPlan } from '../config/connection-plan.ts';
import { checkedNamespace } from '../config/namespace.ts';
import { rememberSecret } from '../secrets/redact.ts';

/** The plan for a server named in code: everything else comes from `overlay`. */
export function explicitPlan(url: string | URL): ConnectionPlan {
  return { origin: 'option url', where: 'option', server: String(url), tls: {}, auth: { type: 'none' } };
}

/**
 * Lays what code says over what was found.
 *
 * Things that belong together are replaced together, so that two sources are never mixed into something neither meant:
 * a server takes its certificate's name along, trust is one thing (authority or none), and whoever brings credentials
 * leaves none of the old ones behind. Throws INVALID_OPTION for options that contradict each other.
 */
export function overlay(plan: ConnectionPlan, options: ConnectOptions): ConnectionPlan {
  checkOptions(options);
  const { url, namespace, impersonate } = options;
  const trust = trustOf(options);
  const auth = authOf(options);
  const cert = pemOf(options.cert, options.certFile, 'cert');
  const key = pemOf(options.key, options.keyFile, 'key');
  const isOtherServer = url !== undefined && String(url) !== plan.server;
  const bringsCredentials = auth !== undefined || cert !== undefined;
  const { ca, insecureSkipVerify } = trust ?? plan.tls;
  const tls: TlsPlan = defined({
    ca,
    insecureSkipVerify,
    serverName: options.serverName ?? (isOtherServer ? undefined : plan.tls.serverName),
    cert: bringsCredentials ? cert : plan.tls.cert,
    key: bringsCredentials ? key : plan.tls.key,
  });
  return {
    ...plan,
    tls,
    auth: auth ?? (cert === undefined ? plan.auth : { type: 'none' }),
    ...defined({
      server: url === undefined ? undefined : String(url),
      namespace: namespace === undefined ? undefined : checkedNamespace(namespace, 'option namespace'),
      impersonate,
    }),
  };
}

function trustOf(options: ConnectOptions): Pick<TlsPlan, 'ca' | 'insecureSkipVerify'> | undefined {
  const ca = pemOf(options.ca, options.caFile, 'ca');
  const { insecureSkipTlsVerify } = options;
  if (ca === undefined && insecureSkipTlsVerify === undefined) return undefined;
  return defined({ ca, insecureSkipVerify: insecureSkipTlsVerify === true || undefined });
}

function authOf(options: ConnectOptions): AuthPlan | undefined {
  const { token, username, password } = options;
  if (token !== undefined || options.tokenFile !== undefined) {
    const file = options.tokenFile === undefined ? undefined : fileRef(options.tokenFile, 'tokenFile');
    const auth: AuthPlan = { type: 'token', where: 'option token', ...defined({ token, file }) };
    return conceal(auth, { type: 'token' });
  }
  if (username === undefined || password === undefined) return undefined;
  const auth: AuthPlan = { type: 'basic', username, password, where: 'option username' };
  return conceal(auth, { type: 'basic', username });
}

function pemOf(pem: string | undefined, path: string | undefined, name: string): PemPlan | undefined {
  if (path !== undefined) return { file: fileRef(path, `${name}File`) };
  if (pem === undefined) return undefined;
  if (name === 'key') rememberSecret(pem);
  return conceal({ pem, where: `option ${name}` }, { where: `option ${name}` });
}

function fileRef(path: string, name: string): FileRef {
  return { path, inCode: true, where: `option ${name}` };
}

function checkOptions(options: ConnectOptions): void {
  const { url, token, tokenFile, username, password, ca, caFile, cert, certFile, key, keyFile } = options;
  const refuse = (ok: boolean, message: string): void => {
    if (!ok) throw new KubeError('INVALID_OPTION', message);
  };
  const one = (a: unknown, b: unknown, names: string): void =>
    refuse(a === undefined || b === undefined, `options ${names}: keep one`);
  requireOption(url === undefined || typeof url === 'string' || url instanceof URL, 'url', 'a URL', typeof url);
  const texts = { token, tokenFile, username, password, ca, caFile, cert, certFile, key, keyFile };
  for (const [name, value] of Object.entries(texts))
    refuse(
      value === undefined || (typeof value === 'string' && (value !== '' || name === 'password')),
      `option ${name}: expected a text, not empty`,
    );
  one(ca, caFile, 'ca and caFile');
  one(cert, certFile, 'cert and certFile');
  one(key, keyFile, 'key and keyFile');
  one(token ?? tokenFile, username, 'token and username');
  refuse((username === undefined) === (password === undefined), 'options username and password: expected both');
  refuse(
    ((cert ?? certFile) === undefined) === ((key ?? keyFile) === undefined),
    'options cert and key: expected both',
  );
  refuse(
    options.insecureSkipTlsVerify !== true || (ca ?? caFile) === undefined,
    'options ca and insecureSkipTlsVerify: keep one',
  );
}
