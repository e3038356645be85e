import { KubeError, requireOption } from '../../core/errors.ts';
import { conceal } from '../secrets/conceal.ts';
import { defined } from '../../core/defined.ts';
import type { ConnectOptions } from './connect-options.ts';
import type { AuthPlan, ConnectionPlan, FileRef, PemPlan, TlsPlan } from '../config/connection-plan.ts';
import { checkedNamespace } from '../config/namespace.ts';

/** A plan with the server alone; `overlayConnectOptions` adds the other options. */
export function connectOverlayOfUrl(url: string | URL): ConnectionPlan {
  return { origin: 'option url', where: 'option', server: String(url), tls: {}, auth: { type: 'none' } };
}

/**
 * Replaces parts of a plan with options.
 *
 * Parts that belong together are replaced together, so that two sources are never mixed: another server drops the
 * expected name of the certificate, `ca` and `insecureSkipTlsVerify` replace each other, and new credentials replace
 * all old ones. Throws INVALID_OPTION for options that contradict each other.
 */
export function overlayConnectOptions(plan: ConnectionPlan, options: ConnectOptions): ConnectionPlan {
  checkConnectOverlay(options);
  const { url, namespace, impersonate } = options;
  const trust = connectOverlayTrust(options);
  const auth = connectOverlayAuth(options);
  const cert = connectOverlayPem(options.cert, options.certFile, 'cert');
  const key = connectOverlayPem(options.key, options.keyFile, 'key');
  const isNewServer = url !== undefined && String(url) !== plan.server;
  const hasCredentials = auth !== undefined || cert !== undefined;
  const { ca, insecureSkipVerify } = trust ?? plan.tls;
  const tls: TlsPlan = defined({
    ca,
    insecureSkipVerify,
    serverName: options.serverName ?? (isNewServer ? undefined : plan.tls.serverName),
    cert: hasCredentials ? cert : plan.tls.cert,
    key: hasCredentials ? key : plan.tls.key,
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

function connectOverlayTrust(options: ConnectOptions): Pick<TlsPlan, 'ca' | 'insecureSkipVerify'> | undefined {
  const ca = connectOverlayPem(options.ca, options.caFile, 'ca');
  const { insecureSkipTlsVerify } = options;
  if (ca === undefined && insecureSkipTlsVerify === undefined) return undefined;
  return defined({ ca, insecureSkipVerify: insecureSkipTlsVerify === true || undefined });
}

function connectOverlayAuth(options: ConnectOptions): AuthPlan | undefined {
  const { token, username, password } = options;
  if (token !== undefined || options.tokenFile !== undefined) {
    const file = options.tokenFile === undefined ? undefined : connectOverlayFile(options.tokenFile, 'tokenFile');
    const auth: AuthPlan = { type: 'token', where: 'option token', ...defined({ token, file }) };
    return conceal(auth, { type: 'token' });
  }
  if (username === undefined || password === undefined) return undefined;
  const auth: AuthPlan = { type: 'basic', username, password, where: 'option username' };
  return conceal(auth, { type: 'basic', username });
}

function connectOverlayPem(pem: string | undefined, path: string | undefined, name: string): PemPlan | undefined {
  if (path !== undefined) return { file: connectOverlayFile(path, `${name}File`) };
  if (pem === undefined) return undefined;
  return conceal({ pem, where: `option ${name}` }, { where: `option ${name}` });
}

function connectOverlayFile(path: string, name: string): FileRef {
  return { path, inCode: true, where: `option ${name}` };
}

function checkConnectOverlay(options: ConnectOptions): void {
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
      `option ${name}: expected a non-empty string`,
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
