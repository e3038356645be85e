import { beforeAll, expect, test } from 'vitest';
import { parseKubeconfig } from '../../../src/client/config/kubeconfig.ts';
import type { ConnectOptions } from '../../../src/client/connect/connect-options.ts';
import { resolveConnection } from '../../../src/client/connect/resolve-connection.ts';
import type { Connection } from '../../../src/client/connect/connection.ts';
import { redact } from '../../../src/core/redact.ts';
import { systemEnv } from '../../../src/core/env.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';
import { everyPrint, kubeconfig, type KubeconfigParts, never, TempDir } from '../rig/auth-rig.ts';
import { TestAuthority } from '../rig/certificates.ts';

/**
 * Puts a canary wherever a secret can be, makes everything fail that can fail, and searches all output (errors with
 * their causes, log lines, prints, JSON) for canaries.
 */
const canary = (at: number): string => `CANARY-${at}x7f3a`;
const V1 = 'client.authentication.k8s.io/v1';

let authority: TestAuthority;
let key: string;
let cert: string;
/** The certificate of another key. */
let otherCert: string;
beforeAll(async () => {
  authority = new TestAuthority();
  ({ cert, key } = authority.client('canary'));
  ({ cert: otherCert } = authority.client('x'));
});

/** A part of the private key that no certificate has. */
const keyCanary = (): string => key.split('\n')[1] ?? '';

interface Attempt {
  readonly what: string;
  readonly parts?: KubeconfigParts;
  readonly options?: ConnectOptions;
  /** A change between the first use and the second. */
  readonly meanwhile?: () => unknown;
}

async function attempts(dir: TempDir, C: string): Promise<Attempt[]> {
  const plugin = (name: string, body: string): Promise<string> => dir.script(name, body);
  const exec = async (name: string, body: string, more: object = {}): Promise<KubeconfigParts> => ({
    user: {
      exec: {
        apiVersion: V1, command: await plugin(name, body), interactiveMode: 'Never', args: ['--token', `${C}-arg`],
        env: [{ name: 'PASS', value: `${C}-env` }], installHint: 'install it', ...more,
      },
    },
  }); // prettier-ignore
  const says = (status: object, more: object = {}): string =>
    `console.log(${JSON.stringify(JSON.stringify({ kind: 'ExecCredential', apiVersion: V1, status, ...more }))});`;
  const oidc = (more: object): KubeconfigParts => ({
    user: { 'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': 'https://idp', 'client-id': 'id', 'client-secret': `${C}-secret`, 'refresh-token': `${C}-refresh`, 'id-token': `${C}.id.token`, ...more } } },
  }); // prettier-ignore
  const answering = (body: string, status = 200): ConnectOptions => ({
    oidcExchange: async ({ url }) =>
      url.pathname.includes('well-known')
        ? { status: 200, body: '{"issuer":"https://idp","token_endpoint":"https://idp/t"}' }
        : { status, body },
  });
  const token = await dir.write('token', `${C}-file`);
  const notToken = await dir.write('not-token', `${C}-file\n${C}-more`);
  const keyFile = await dir.write('key', key);
  const certFile = await dir.write('cert', cert);
  const wrongCert = await dir.write('wrong-cert', otherCert);
  const large = await dir.write('large', `${C}`.repeat(200_000));
  const pair = { 'client-certificate-data': btoa(cert), 'client-key-data': btoa(key) };
  return [
    { what: 'a static token', parts: { user: { token: `${C}-token` } } },
    { what: 'a token with a line break', parts: { user: { token: `${C}\r\nX: y` } } },
    { what: 'a token of the wrong type', parts: { user: { token: [`${C}`] } } },
    { what: 'a token over http', parts: { cluster: { server: 'http://x' }, user: { token: `${C}-token` } } },
    { what: 'a token in code', options: { token: `${C}-token` } },
    { what: 'a bad token in code', options: { token: `${C} token` } },
    { what: 'basic', parts: { user: { username: 'me', password: `${C}-pass` } } },
    { what: 'basic and a token', parts: { user: { username: 'me', password: `${C}-pass`, token: `${C}-token` } } },
    { what: 'a bad password', parts: { user: { username: 'me', password: `${C}\n` } } },
    { what: 'a token file', parts: { user: { tokenFile: token } } },
    { what: 'a token file that goes bad', parts: { user: { tokenFile: token } }, meanwhile: () => dir.write('token', `${C}\n${C}`) },
    { what: 'a file that is no token', parts: { user: { tokenFile: notToken } } },
    { what: 'a file that is too large', parts: { user: { tokenFile: large }, cluster: { 'certificate-authority': large } } },
    { what: 'a certificate', parts: { user: pair } },
    { what: 'a certificate with the wrong key', parts: { user: { 'client-certificate': wrongCert, 'client-key': keyFile } } },
    { what: 'a key in place of a certificate', parts: { user: { 'client-certificate': keyFile, 'client-key': certFile } } },
    { what: 'a key in place of an authority', parts: { cluster: { 'certificate-authority': keyFile } } },
    { what: 'a key in place of a token', parts: { user: { tokenFile: keyFile } } },
    { what: 'a certificate that goes bad', parts: { user: { 'client-certificate': certFile, 'client-key': keyFile } }, meanwhile: () => dir.write('key', `${C}`) },
    { what: 'key data that is no PEM', parts: { user: { ...pair, 'client-key-data': btoa(`${C}-key`) } } },
    { what: 'key data that is no base64', parts: { user: { ...pair, 'client-key-data': `${C}%%%` } } },
    { what: 'a certificate without its key', parts: { user: { 'client-key-data': btoa(key) } } },
    { what: 'a proxy with a password', parts: { cluster: { 'proxy-url': `http://me:${C}-proxy@proxy:1` } } },
    { what: 'a bad proxy', parts: { cluster: { 'proxy-url': `ftp://me:${C}-proxy@proxy:1` } } },
    { what: 'a proxy of the environment', options: { environment: { HTTPS_PROXY: `ftp://me:${C}-proxy@proxy:1` } } },
    { what: 'a server with a password', parts: { cluster: { server: `https://me:${C}-pass@api` } } },
    { what: 'impersonation', parts: { user: { token: `${C}-token`, as: 'a\nb' } } },
    { what: 'untrusted', parts: { user: { token: `${C}-token`, tokenFile: token } }, options: { untrusted: true } },
    { what: 'a good plugin', parts: await exec('good', says({ token: `${C}-printed`, clientCertificateData: cert, clientKeyData: key })) },
    { what: 'a plugin that echoes everything and fails', parts: await exec('echo', `console.error(process.argv.join(' '), JSON.stringify(process.env.PASS), 'password=${C}-x', 'Bearer ${C}-y'); ${says({ token: `${C}-printed` })} process.exitCode = 1;`) },
    { what: 'a plugin of another version', parts: await exec('version', says({ token: `${C}-printed` }, { apiVersion: `${C}` })) },
    { what: 'a plugin with a bad token', parts: await exec('bad-token', says({ token: `${C}-printed\n` })) },
    { what: 'a plugin with half a pair', parts: await exec('half', says({ clientKeyData: key })) },
    { what: 'a plugin with a bad pair', parts: await exec('bad-pair', says({ clientCertificateData: cert, clientKeyData: `${C}` })) },
    { what: 'a plugin with broken JSON', parts: await exec('broken', `console.log('{"status":{"token":"${C}-printed"')`) },
    { what: 'a plugin with broken YAML', parts: await exec('yaml', `console.log('status: {token: ${C}-printed, *${C}')`) },
    { what: 'a plugin that is not there', parts: await exec('gone', '', { command: '/nowhere/plugin' }) },
    { what: 'a plugin that is not allowed', parts: await exec('denied', says({ token: `${C}` })), options: { execPolicy: { allow: ['other'] } } },
    { what: 'a plugin that cannot be started', parts: await exec('x', '', { command: await dir.script('no-interpreter', '').then(async (path) => (await dir.write('no-interpreter', '#!/nowhere/interpreter\n'), path)) }) },
    { what: 'a plugin that is too slow', parts: await exec('slow', `console.log('${C}'); console.error('${C}'); setInterval(() => {}, 1000)`), options: { execTimeoutMs: 300 } },
    { what: 'a plugin that prints too much', parts: await exec('much', `process.stdout.write('${C}'.repeat(200000))`) },
    { what: 'oidc, renewed', parts: oidc({}), options: answering(JSON.stringify({ id_token: `${C}.new.token`, refresh_token: `${C}-next` })) },
    { what: 'oidc, refused', parts: oidc({}), options: answering(`{"error":"${C}","error_description":"${C}-refresh"}`, 400) },
    { what: 'oidc, an error page', parts: oidc({}), options: answering(`<p>${C}-secret</p>`, 500) },
    { what: 'oidc, no connection', parts: oidc({}), options: { oidcExchange: () => Promise.reject(new Error(`sent client_secret=${C}-secret and ${C}-refresh`)) } },
    { what: 'oidc, a bad issuer', parts: oidc({ 'idp-issuer-url': `http://${C}` }) },
    { what: 'oidc, a bad authority', parts: oidc({ 'idp-certificate-authority-data': `${C}` }) },
    { what: 'oidc, renewing fails in user code', parts: oidc({}), options: { ...answering(JSON.stringify({ id_token: `${C}.new.token` })), onOidcRenewed: (tokens) => { throw new Error(`cannot keep ${tokens.idToken}`); } } },
  ]; // prettier-ignore
}

/** Everything that became visible while an attempt was made. */
async function observe({ parts = {}, options = {}, meanwhile }: Attempt, env: FakeEnv): Promise<string> {
  const seen: unknown[] = [env.lines];
  let connection: Connection | undefined;
  try {
    // Real time for the plugins, a fake clock for everything else.
    const mixed = {
      ...env,
      sleep: (ms: number, signal?: AbortSignal) => systemEnv.sleep(Math.min(ms, 20_000), signal),
    };
    connection = await resolveConnection({ kubeconfig: kubeconfig(parts), environment: {}, ...options }, mixed);
    for (let round = 0; round < 2; round += 1) {
      seen.push(connection, connection.tls, connection.credentials);
      const credentials = await connection.credentials.current(never);
      seen.push(credentials, connection.tls.current().certificate);
      // A response that echoes the request is redacted.
      seen.push(redact(`server said: ${credentials.authorization} and ${credentials.certificate?.key}`));
      seen.push(connection.credentials.rejected(credentials));
      await meanwhile?.();
      await env.clock.advance(60_000);
      await connection.tls.refresh();
    }
  } catch (error) {
    seen.push(error);
  } finally {
    connection?.credentials.close?.();
  }
  return seen.map((each) => everyPrint(each)).join('\n');
}

test('S24: no secret is ever shown, whatever fails', async () => {
  let count = 1;
  for (let at = 0; at < count; at += 1) {
    await using dir = await TempDir.create();
    // Each attempt has its own: a secret that was seen once is known to the redaction, and hidden ever after.
    const C = canary(at);
    const all = await attempts(dir, C);
    count = all.length;
    const attempt = all[at] as Attempt;
    const seen = await observe(attempt, fakeEnv());
    for (const each of [C, btoa(C).slice(0, 14), keyCanary()])
      expect(seen.includes(each), `${attempt.what}: ${around(seen, each)}`).toBe(false);
  }
  expect(count).toBeGreaterThan(40);
}, 240_000);

test('S24: the error of an invalid kubeconfig reveals no secret', async () => {
  const C = canary(999);
  for (const text of [
    `users: [{name: a, user: {token: ${C}`, `users:\n- name: a\n  user: {token: ${C}}\n ${C}: x`, `${C}`, `- ${C}`, `token: "${C}`, `a: *${C}`, `!!${C} x`, `%${C}\n---\n`,
    `users: ${C}`, `users: [${C}]`, `users: [{name: a, user: ${C}}]`, `users: [{name: a, user: {exec: ${C}}}]`, `users: [{name: a, user: {exec: {env: ${C}}}}]`,
    `users: [{name: a, user: {auth-provider: {config: ${C}}}}]`, `kind: ${C}`, `apiVersion: ${C}`, `${C}: 1\n${C}: 2`, `a: |\n ${C}\n${C}`,
  ]) {
    const seen = await parseKubeconfig(text, { file: '/k' }).then(everyPrint, everyPrint);
    expect(seen, text).not.toContain(C);
  } // prettier-ignore
});

function around(text: string, found: string): string {
  const at = text.indexOf(found);
  return text.slice(Math.max(0, at - 200), at + 60);
}
