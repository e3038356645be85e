import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { systemEnv } from 'kube-informer/core';
import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { type PeerCertificate, peerClientCertificate } from '../../../src/auth/authn/client-certificate.ts';
import { createAuthority, type IssuedCertificate } from '../../../src/auth/certificates/authority.ts';
import { ipAddressBytes } from '../../../src/core/ip-address.ts';

const run = promisify(execFile);
const hasOpenssl = await run('openssl', ['version']).then(
  () => true,
  () => false,
);

const NAMES = ['localhost', '127.0.0.1', '::1'];

function rig() {
  const authority = createAuthority(systemEnv);
  const server = authority.issueServer(NAMES);
  /** One handshake with a server that requests a certificate; returns what each side sees of the other. */
  async function handshake(
    client: IssuedCertificate | undefined,
    { ca = authority.certificate, host = '127.0.0.1' } = {},
  ): Promise<{ peer: PeerCertificate | undefined; trusted: boolean }> {
    const { certificate: cert, key } = server;
    const listener = createServer({
      cert,
      key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const accepted = once(listener, 'secureConnection') as Promise<[TLSSocket]>;
    const socket = connect({
      port: (listener.address() as AddressInfo).port,
      host: '127.0.0.1',
      ca,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
    });
    try {
      await once(socket, 'secureConnect');
      const [server_] = await accepted;
      const shown = new X509Certificate(socket.getPeerCertificate().raw);
      const named = host.includes(':') || /^\d/.test(host) ? shown.checkIP(host) : shown.checkHost(host);
      return { peer: peerClientCertificate(server_), trusted: socket.authorized && named !== undefined };
    } finally {
      socket.destroy();
      listener.close();
    }
  }
  return { authority, server, handshake };
}

test('a client that trusts the authority accepts the server under each of its names, and under no other', async () => {
  const { handshake } = rig();
  for (const host of NAMES) expect((await handshake(undefined, { host })).trusted, host).toBe(true);
  expect((await handshake(undefined, { host: 'example.com' })).trusted).toBe(false);
  expect((await handshake(undefined, { host: '127.0.0.2' })).trusted).toBe(false);
});

test('a client that trusts another authority of the same name refuses the server', async () => {
  const { handshake } = rig();
  expect((await handshake(undefined, { ca: createAuthority(systemEnv).certificate })).trusted).toBe(false);
});

test('the server reads name and groups from a client certificate, whatever letters they have', async () => {
  const { authority, handshake } = rig();
  const { peer } = await handshake(authority.issueClient({ name: 'jürgen', groups: ['system:masters', 'a, b=c'] }));
  expect(peer).toMatchObject({ trusted: true, name: 'jürgen', groups: ['system:masters', 'a, b=c'] });
  expect(peer?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
});

test('one group, or none, reads back as it was written', async () => {
  const { authority, handshake } = rig();
  expect((await handshake(authority.issueClient({ name: 'a', groups: ['one'] }))).peer?.groups).toEqual(['one']);
  expect((await handshake(authority.issueClient({ name: 'a' }))).peer?.groups).toEqual([]);
});

test('a client without a certificate has no peer', async () => {
  const { handshake } = rig();
  expect((await handshake(undefined)).peer).toBeUndefined();
});

test('certificates of another authority, expired ones and those of servers are shown but not trusted', async () => {
  const { authority, server, handshake } = rig();
  const foreign = createAuthority(systemEnv).issueClient({ name: 'admin', groups: ['system:masters'] });
  expect((await handshake(foreign)).peer).toMatchObject({ trusted: false, name: 'admin' });
  const expired = authority.issueClient({ name: 'admin' }, { validForMs: -1000 });
  expect((await handshake(expired)).peer).toMatchObject({ trusted: false });
  expect((await handshake(server)).peer).toMatchObject({ trusted: false });
});

test('validity begins an hour before the injected clock and ends ten years after it, also past 2049', () => {
  const at = (iso: string) => {
    const env = { ...fakeEnv(), wallNow: () => Date.parse(iso) };
    return new X509Certificate(createAuthority(env).issueClient({ name: 'a' }).certificate);
  };
  expect(at('2030-06-01T12:00:00Z')).toMatchObject({
    validFrom: 'Jun  1 11:00:00 2030 GMT',
    validTo: 'May 29 12:00:00 2040 GMT',
  });
  expect(at('2049-12-31T00:00:00Z')).toMatchObject({
    validFrom: 'Dec 30 23:00:00 2049 GMT',
    validTo: 'Dec 29 00:00:00 2059 GMT',
  });
});

test('a clock at zero does not give a date before 1970', () => {
  const env = { ...fakeEnv(), wallNow: () => 0 };
  const certificate = new X509Certificate(createAuthority(env).certificate);
  expect(certificate.validFrom).toBe('Jan  1 00:00:00 1970 GMT');
});

test('no two certificates have the same serial number', () => {
  const { authority } = rig();
  const serials = Array.from(
    { length: 20 },
    () => new X509Certificate(authority.issueClient({ name: 'a' }).certificate).serialNumber,
  );
  expect(new Set(serials).size).toBe(20);
  for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
});

test.skipIf(!hasOpenssl)('OpenSSL accepts the certificates, also in strict mode', async () => {
  const { authority, server } = rig();
  const client = authority.issueClient({ name: 'admin', groups: ['system:masters'] });
  const dir = await mkdtemp(join(tmpdir(), 'certificates-'));
  try {
    const save = async (name: string, pem: string): Promise<string> => {
      await writeFile(join(dir, name), pem);
      return join(dir, name);
    };
    const ca = await save('ca.crt', authority.certificate);
    const verify = async (file: string, ...flags: string[]): Promise<string> =>
      (await run('openssl', ['verify', '-x509_strict', '-check_ss_sig', '-CAfile', ca, ...flags, file])).stdout;
    const serverFile = await save('server.crt', server.certificate);
    const clientFile = await save('client.crt', client.certificate);
    expect(await verify(ca)).toMatch(/OK$/m);
    expect(await verify(serverFile, '-purpose', 'sslserver', '-verify_ip', '::1')).toMatch(/OK$/m);
    expect(await verify(serverFile, '-purpose', 'sslserver', '-verify_hostname', 'localhost')).toMatch(/OK$/m);
    expect(await verify(clientFile, '-purpose', 'sslclient')).toMatch(/OK$/m);
    await expect(verify(clientFile, '-purpose', 'sslserver')).rejects.toThrow('unsuitable certificate purpose');
  } finally {
    await rm(dir, { recursive: true });
  }
});

test('addresses become their bytes and names do not', () => {
  const hex = (text: string): string | undefined => ipAddressBytes(text)?.toString('hex');
  expect(hex('127.0.0.1')).toBe('7f000001');
  expect(hex('::1')).toBe('00000000000000000000000000000001');
  expect(hex('::')).toBe('0'.repeat(32));
  expect(hex('2001:db8::ff00:42:8329')).toBe('20010db8000000000000ff0000428329');
  expect(hex('1:2:3:4:5:6:7:8')).toBe('00010002000300040005000600070008');
  expect(hex('fe80::')).toBe('fe800000000000000000000000000000');
  expect(hex('::ffff:10.1.2.3')).toBe('00000000000000000000ffff0a010203');
  expect(hex('fe80::1%eth0')).toBe('fe800000000000000000000000000001');
  expect(hex('localhost')).toBeUndefined();
  expect(hex('256.0.0.1')).toBeUndefined();
});
