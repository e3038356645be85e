import { guardedCallback, guardedPromise, type UserCode } from '../../core/guarded.ts';
import { defined } from '../../core/defined.ts';
import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import { type Env, systemEnv } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { conceal } from '../secrets/conceal.ts';
import type { CredentialSource } from './credentials.ts';
import { bearerAuthorizationHeader } from './authorization-header.ts';
import { redactForSafeError } from '../../core/safe-error.ts';
import { encodeBase64 } from '../../core/base64.ts';
import { KnownSecrets } from '../../core/known-secrets.ts';
import { type Renewal, RenewingSource } from './renewing-source.ts';
import { trimEnd } from '../../core/trim-end.ts';

/** A HTTPS request to an identity provider. */
export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM. @default the platform's roots */
  readonly ca?: string;
  readonly signal: AbortSignal;
}

/**
 * Sends a request, follows no redirect, and resolves with any status; rejects without a response. `signal` aborts after
 * 30 seconds and when the client is closed, but not when a caller aborts: a refresh token may be valid only once.
 */
export type HttpExchange = (request: ExchangeRequest) => Promise<{ readonly status: number; readonly body: string }>;

/** The tokens of a renewal. Providers that rotate refresh tokens accept each only once: keep the new one. */
export interface OidcTokens {
  readonly idToken: string;
  readonly refreshToken: string;
}

export interface OidcOptions {
  /** As in the kubeconfig: idp-issuer-url, client-id, client-secret, id-token, refresh-token. */
  readonly config: ReadonlyMap<string, string>;
  /** Position of the configuration, for messages. */
  readonly where: string;
  readonly exchange: UserCode<HttpExchange>;
  /** The provider's certificate authority, PEM. */
  readonly ca?: string;
  readonly onRenewed?: UserCode<(tokens: OidcTokens) => void>;
  /** The secrets that the connection must not show. @default its own */
  readonly secrets?: KnownSecrets;
  readonly env?: Env;
}

/** Maximum length of a response. */
const MAX_BODY = 1 << 20;
/** Timeout of one request. */
const TIMEOUT_MS = 30_000;
/**
 * Minimum interval between requests to a provider that refuses: it may lock the account of a client that does not stop.
 */
const FAILURE_AGE_MS = 1_000;

/**
 * An ID token, renewed at the identity provider with a refresh token (auth-provider `oidc`).
 *
 * Promises: the token in the configuration is used while it is valid; it is renewed ten seconds before it expires and
 * after a 401, one renewal at a time, which continues when its callers abort; each request to the provider has a
 * timeout of 30 seconds, and one that failed is repeated after a second at the earliest; a refresh token the provider
 * does not replace stays in use; secrets are sent over https only and are never in an error. Does not write to the kubeconfig: calls `onRenewed` instead.
 */
export function oidcSource(given: OidcOptions): CredentialSource {
  const { config, where, env = systemEnv, secrets = new KnownSecrets() } = given;
  const options = { ...given, secrets };
  secrets.remember(config.get('id-token'), config.get('refresh-token'), config.get('client-secret'));
  let unused = config.get('id-token') || undefined;
  let refreshToken = config.get('refresh-token') || undefined;
  let provider: Promise<Provider> | undefined;

  const renew = async (signal: AbortSignal): Promise<Renewal> => {
    const given = unused;
    // Used once: at the next renewal it has expired, or the server has rejected it.
    unused = undefined;
    const expiresAt = given === undefined ? undefined : oidcTokenExpiry(given);
    if (given !== undefined && expiresAt !== undefined && env.wallNow() < expiresAt - 10_000)
      return { credentials: bearerAuthorizationHeader(given, `${where}.config.id-token`), expiresAt };
    if (refreshToken === undefined)
      throw new KubeError(
        'CREDENTIALS',
        `${where}: the id-token has expired and there is no refresh-token: log in again`,
      );

    provider ??= discoverOidcProvider(options, signal);
    const found = provider;
    found.catch(() => {
      if (provider === found) provider = undefined;
    });
    const tokens = await refreshOidcTokens(options, await found, refreshToken, signal).catch((error: unknown) => {
      // Its token endpoint may have moved: the next renewal discovers it again.
      if (provider === found) provider = undefined;
      throw error;
    });
    refreshToken = tokens.refreshToken;
    reportOidcTokens(options, tokens, env);
    const until = oidcTokenExpiry(tokens.idToken);
    const credentials = bearerAuthorizationHeader(tokens.idToken, `${where}: the provider's id_token`, 'CREDENTIALS');
    return until === undefined ? { credentials } : { credentials, expiresAt: until };
  };
  return new RenewingSource({ kind: 'oidc', renew, failureAgeMs: FAILURE_AGE_MS, env });
}

/** Calls `onRenewed`; an error in it must not lose the tokens. */
function reportOidcTokens(options: OidcOptions, tokens: OidcTokens, env: Env): void {
  if (options.onRenewed === undefined) return;
  guardedCallback(env, 'onOidcRenewed', options.onRenewed, (error) =>
    env.log('error', 'the callback onOidcRenewed failed; using the new tokens', { error: redactForSafeError(error) }),
  )(tokens);
}

interface Provider {
  readonly tokenEndpoint: URL;
  /** Whether the client secret is sent in a header; otherwise in the form. */
  readonly usesHeader: boolean;
}

async function discoverOidcProvider(options: OidcOptions, signal: AbortSignal): Promise<Provider> {
  const issuer = options.config.get('idp-issuer-url') ?? '';
  const base = oidcUrl(trimEnd(issuer, '/'), options, 'idp-issuer-url');
  if (base.search !== '')
    throw new KubeError('CREDENTIALS', `${options.where}: idp-issuer-url: expected a URL without a query`);
  const url = new URL(`${trimEnd(base.href, '/')}/.well-known/openid-configuration`);
  const document = await requestOidc(options, { method: 'GET', url, headers: { accept: 'application/json' }, signal });
  // A document about another issuer would send the refresh token to its endpoint.
  const named = document['issuer'];
  if (typeof named !== 'string' || trimEnd(named, '/') !== trimEnd(issuer, '/'))
    throw new KubeError(
      'CREDENTIALS',
      `${options.where}: the discovery document of ${base.origin} is about another issuer: expected "issuer" to equal idp-issuer-url`,
    );
  const methods = document['token_endpoint_auth_methods_supported'];
  const endpoint = document['token_endpoint'];
  return {
    tokenEndpoint: oidcUrl(typeof endpoint === 'string' ? endpoint : '', options, 'token_endpoint of the provider'),
    usesHeader:
      !Array.isArray(methods) || methods.includes('client_secret_basic') || !methods.includes('client_secret_post'),
  };
}

async function refreshOidcTokens(
  options: OidcOptions & { readonly secrets: KnownSecrets },
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
  if (/\p{Surrogate}/u.test(`${id} ${secret}`))
    throw new KubeError('CREDENTIALS', `${options.where}: client-id, client-secret: expected well-formed text`);
  if (secret !== '' && provider.usesHeader) {
    const packed = encodeBase64(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`);
    options.secrets.remember(packed);
    headers['authorization'] = `Basic ${packed}`;
  } else {
    form.set('client_id', id);
    if (secret !== '') form.set('client_secret', secret);
  }
  const url = provider.tokenEndpoint;
  const response = await requestOidc(options, { method: 'POST', url, headers, body: form.toString(), signal });
  const idToken = response['id_token'];
  const next = response['refresh_token'];
  if (typeof idToken !== 'string' || idToken === '')
    throw new KubeError('CREDENTIALS', `${options.where}: the provider's response has no id_token`);
  const kept = typeof next === 'string' && next !== '' ? next : refreshToken;
  options.secrets.remember(idToken, kept);
  return conceal({ idToken, refreshToken: kept }, { idToken: '[redacted]', refreshToken: '[redacted]' });
}

/** Resolves with the response as an object. Errors contain the status and the OAuth error code, nothing else of the body. */
async function requestOidc(
  options: OidcOptions,
  request: Omit<ExchangeRequest, 'ca'>,
): Promise<Record<string, unknown>> {
  const { origin } = request.url;
  const { ca, env = systemEnv } = options;
  const end = linkedAbort(request.signal);
  const done = new AbortController();
  const late = new Error(`no response within ${TIMEOUT_MS / 1000} s`);
  void env.sleep(TIMEOUT_MS, done.signal).then(() => (done.signal.aborted ? undefined : end.abort(late)));
  let status;
  let body;
  try {
    const sent = { ...request, signal: end.signal, ...defined({ ca }) };
    // An exchange that ignores its signal must not block the callers.
    ({ status, body } = await untilAborted(guardedPromise(options.exchange)(sent), end.signal, `request to ${origin}`));
  } catch (error) {
    const cause = redactForSafeError(end.signal.reason === late ? late : error);
    throw new KubeError('CREDENTIALS', `${options.where}: request to ${origin} failed`, { cause });
  } finally {
    done.abort();
    end[Symbol.dispose]();
  }
  const response = typeof body !== 'string' || body.length > MAX_BODY ? undefined : parseOidcJson(body);
  if (status === 200 && response !== undefined) return response;
  const code = response?.['error'];
  const detail = typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? `, ${code}` : '';
  const problem = status === 200 ? 'the response is not a JSON object' : `status ${status}${detail}`;
  throw new KubeError('CREDENTIALS', `${options.where}: request to ${origin} failed: ${problem}`);
}

/**
 * Parses a URL that secrets are sent to. It must be written as it is read: a parser drops line breaks and invisible characters,
 * turns backslashes into slashes and resolves dots, so that a person would see another address than the one that is used.
 */
function oidcUrl(text: string, options: OidcOptions, field: string): URL {
  const url = /^https:\/\/[\u0021-\u007e]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const [path = ''] = text.replace(/^https:\/\/[^/?#]*/, '').split(/[?#]/);
  const isAsWritten = url !== undefined && (url.pathname === path || (path === '' && url.pathname === '/'));
  if (isAsWritten && url.username === '' && url.password === '' && !text.includes('#')) return url;
  throw new KubeError(
    'CREDENTIALS',
    `${options.where}: ${field}: expected a URL that starts with https://, of visible ASCII characters, without user name, fragment and dot segments`,
  );
}

/** Expiry of a JWT in wall-clock milliseconds. The signature is not verified: the server does that. */
function oidcTokenExpiry(token: string): number | undefined {
  const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  let text;
  try {
    text = atob(payload);
  } catch {
    return undefined; // not a JWT
  }
  const exp = parseOidcJson(text)?.['exp'];
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}

function parseOidcJson(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // the parser's message would quote the text
  }
}
