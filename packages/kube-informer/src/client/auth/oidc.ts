import { defined } from '../../core/defined.ts';
import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import { type Env, systemEnv } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { conceal } from '../secrets/conceal.ts';
import type { CredentialSource } from './credentials.ts';
import { bearer } from './header-value.ts';
import { base64, rememberSecret, safeCause } from '../secrets/redact.ts';
import { type Renewal, RenewingSource } from './renewing-source.ts';
import { trimEnd } from '../../core/trim-end.ts';

/** One HTTPS request to an identity provider. */
export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM; undefined: the platform's roots. */
  readonly ca?: string;
  readonly signal: AbortSignal;
}

/**
 * Sends it, follows no redirect, and resolves whatever the status; rejects when there is no answer. `signal` aborts after
 * 30 seconds, and when the client is closed; not when a caller gives up: a refresh token may be good for one use only.
 */
export type HttpExchange = (request: ExchangeRequest) => Promise<{ readonly status: number; readonly body: string }>;

/** What a renewal brought. Providers that rotate refresh tokens accept each only once: keep the new one. */
export interface OidcTokens {
  readonly idToken: string;
  readonly refreshToken: string;
}

export interface OidcOptions {
  /** As in the kubeconfig: idp-issuer-url, client-id, client-secret, id-token, refresh-token. */
  readonly config: ReadonlyMap<string, string>;
  /** For messages. */
  readonly where: string;
  readonly exchange: HttpExchange;
  /** The provider's certificate authority, PEM. */
  readonly ca?: string;
  readonly onRenewed?: (tokens: OidcTokens) => void;
  readonly env?: Env;
}

const MOST_BODY = 1 << 20;
/** For one request. */
const TIMEOUT_MS = 30_000;

/**
 * An ID token, renewed at the identity provider with a refresh token (auth-provider `oidc`).
 *
 * Promises: the token in the configuration is used while it lasts; renewed ten seconds before it expires and after a
 * 401, one renewal at a time, which is not cut off when those who wait for it give up; each request to the provider has
 * 30 seconds; a refresh token the provider does not replace stays in use; secrets go over https only and never into an
 * error. Does not write to the kubeconfig: `onRenewed` is told instead.
 */
export function oidcSource(options: OidcOptions): CredentialSource {
  const { config, where, env = systemEnv } = options;
  rememberSecret(config.get('id-token'), config.get('refresh-token'), config.get('client-secret'));
  let unused = config.get('id-token') || undefined;
  let refreshToken = config.get('refresh-token') || undefined;
  let provider: Promise<Provider> | undefined;

  const renew = async (signal: AbortSignal): Promise<Renewal> => {
    const given = unused;
    // Only once: when it is asked for again, it has expired or the server has refused it.
    unused = undefined;
    const expiresAt = given === undefined ? undefined : expiryOf(given);
    if (given !== undefined && expiresAt !== undefined && env.wallNow() < expiresAt - 10_000)
      return { credentials: bearer(given, `${where}.config.id-token`), expiresAt };
    if (refreshToken === undefined)
      throw new KubeError(
        'CREDENTIALS',
        `${where}: the id-token has expired and there is no refresh-token: log in again`,
      );

    provider ??= discover(options, signal);
    const found = provider;
    found.catch(() => {
      if (provider === found) provider = undefined;
    });
    const tokens = await refresh(options, await found, refreshToken, signal);
    refreshToken = tokens.refreshToken;
    tell(options, tokens, env);
    const until = expiryOf(tokens.idToken);
    const credentials = bearer(tokens.idToken, `${where}: the provider's id_token`, 'CREDENTIALS');
    return until === undefined ? { credentials } : { credentials, expiresAt: until };
  };
  return new RenewingSource({ kind: 'oidc', renew, env });
}

/** What the user does with the tokens must not cost us them. */
function tell(options: OidcOptions, tokens: OidcTokens, env: Env): void {
  try {
    options.onRenewed?.(tokens);
  } catch (error) {
    env.log('error', 'onOidcRenewed failed, going on with the new tokens', { error: safeCause(error) });
  }
}

interface Provider {
  readonly tokenEndpoint: URL;
  /** How the client proves itself: in a header, or (false) in the form. */
  readonly usesHeader: boolean;
}

async function discover(options: OidcOptions, signal: AbortSignal): Promise<Provider> {
  const issuer = options.config.get('idp-issuer-url') ?? '';
  const base = secureUrl(trimEnd(issuer, '/'), options, 'idp-issuer-url');
  const url = new URL(`${trimEnd(base.href, '/')}/.well-known/openid-configuration`);
  const answer = await ask(options, { method: 'GET', url, headers: { accept: 'application/json' }, signal });
  const methods = answer['token_endpoint_auth_methods_supported'];
  const endpoint = answer['token_endpoint'];
  return {
    tokenEndpoint: secureUrl(typeof endpoint === 'string' ? endpoint : '', options, 'token_endpoint of the provider'),
    usesHeader:
      !Array.isArray(methods) || methods.includes('client_secret_basic') || !methods.includes('client_secret_post'),
  };
}

async function refresh(
  options: OidcOptions,
  provider: Provider,
  refreshToken: string,
  signal: AbortSignal,
): Promise<OidcTokens> {
  const id = options.config.get('client-id') ?? '';
  const secret = options.config.get('client-secret') ?? '';
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (secret !== '' && provider.usesHeader) {
    const packed = base64(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`);
    rememberSecret(packed);
    headers['authorization'] = `Basic ${packed}`;
  } else {
    form.set('client_id', id);
    if (secret !== '') form.set('client_secret', secret);
  }
  const url = provider.tokenEndpoint;
  const answer = await ask(options, { method: 'POST', url, headers, body: form.toString(), signal });
  const idToken = answer['id_token'];
  const next = answer['refresh_token'];
  if (typeof idToken !== 'string' || idToken === '')
    throw new KubeError('CREDENTIALS', `${options.where}: the provider's answer has no id_token`);
  const kept = typeof next === 'string' && next !== '' ? next : refreshToken;
  rememberSecret(idToken, kept);
  return conceal({ idToken, refreshToken: kept }, { idToken: '[redacted]', refreshToken: '[redacted]' });
}

/** The answer as an object. Rejects CREDENTIALS with the status, the OAuth error code and nothing else of the body. */
async function ask(options: OidcOptions, request: Omit<ExchangeRequest, 'ca'>): Promise<Record<string, unknown>> {
  const what = `${options.where}: ${request.url.origin}`;
  const { ca, env = systemEnv } = options;
  const end = linkedAbort(request.signal);
  const inTime = new AbortController();
  const late = new Error(`no answer within ${TIMEOUT_MS / 1000} s`);
  void env.sleep(TIMEOUT_MS, inTime.signal).then(() => (inTime.signal.aborted ? undefined : end.abort(late)));
  let status;
  let body;
  try {
    const asked = { ...request, signal: end.signal, ...defined({ ca }) };
    // An exchange that does not mind its signal must not keep everybody waiting for ever.
    ({ status, body } = await untilAborted(options.exchange(asked), end.signal, what));
  } catch (error) {
    const cause = safeCause(end.signal.reason === late ? late : error);
    throw new KubeError('CREDENTIALS', `${what} could not be asked`, { cause });
  } finally {
    inTime.abort();
    end[Symbol.dispose]();
  }
  const answer = body.length > MOST_BODY ? undefined : objectOf(body);
  if (status === 200 && answer !== undefined) return answer;
  const code = answer?.['error'];
  const said = typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? `, ${code}` : '';
  const problem = status === 200 ? 'answered with something that is no JSON object' : `answered ${status}${said}`;
  throw new KubeError('CREDENTIALS', `${what} ${problem}`);
}

/** Secrets are sent there. */
function secureUrl(text: string, options: OidcOptions, field: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url;
  throw new KubeError('CREDENTIALS', `${options.where}: ${field}: expected a URL that starts with https://`);
}

/** When a JWT says it expires, in wall-clock milliseconds. Not verified: the server does that. */
function expiryOf(token: string): number | undefined {
  const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  let text;
  try {
    text = atob(payload);
  } catch {
    return undefined; // not a JWT
  }
  const exp = objectOf(text)?.['exp'];
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // the parser's message quotes the text
  }
}
