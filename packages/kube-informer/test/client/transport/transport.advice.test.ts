import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { createFetchTransport } from '../../../src/client/transport/fetch/fetch-transport.ts';
import {
  isTransportTrustFailure,
  transportFailureReason,
  transportFailure,
} from '../../../src/client/transport/transport-failure.ts';
import { TestAuthority } from '../rig/certificates.ts';
import { onRequest, rawTcp, rawTls } from '../rig/scripted-server.ts';
import { certificates, ChangingTls, echo, failure, frameRig, get, QUIET, reader, serve, stopLater, transportTo, watch } from '../rig/transport-rig.ts'; // prettier-ignore

const certs = certificates();

async function rig(names?: readonly string[], days?: number) {
  const { authority } = certs();
  const server = await serve({ pair: authority.server(names, days), protocol: 'h2', handler: echo });
  return { authority, server };
}

const CA = 'the server\'s certificate is signed by a ca that is not trusted here: set or correct certificate-authority-data'; // prettier-ignore

test('S21: an untrusted certificate: the message says where the authority is configured', async () => {
  const { server } = await rig();
  const stranger = new TestAuthority('stranger');
  for (const ca of [{ ca: stranger.ca }, {}]) {
    const error = await failure(transportTo(server, new ChangingTls(ca)).send(get('/')));
    expect(error.message).toContain(CA);
    expect(error.code).toBe('TRANSPORT');
    expect(isTransportTrustFailure(error)).toBe(true);
  }
  for (const code of [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ]) {
    const error = transportFailure('GET /', Object.assign(new Error('self-signed certificate'), { code }));
    expect(error.message).toBe(`GET /: self-signed certificate; ${CA}`);
    expect(transportFailureReason(error)).toBe(code);
  }
});

test('S21: a certificate for other names, and one that has expired', async () => {
  const { authority, server } = await rig(['elsewhere.test']);
  const other = await failure(transportTo(server, authority.ca).send(get('/')));
  expect(other.message).toMatch(/altnames.*; .*tls-server-name/);
  expect(transportFailureReason(other)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  const old = transportFailure(
    'GET /',
    Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
  );
  expect(old.message).toMatch(/certificate has expired; .*renew.*clock/);
});

test('F9: TLS to a port without it, and no TLS to a port with it, are distinguished from a server that is down', async () => {
  const { authority, pair } = certs();
  const plain = await stopLater(
    rawTcp((socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
  );
  const tls = await failure(transportTo(plain, authority.ca).send(get('/')));
  expect(tls.message).toMatch(/; .*does not speak TLS.*http:\/\//);
  const { server } = await rig();
  const http = await failure(transportTo(new URL(`http://127.0.0.1:${server.port}`), authority.ca).send(get('/')));
  expect(http.message).toMatch(/; .*https:\/\//);
  // With TLS a connection that ends says nothing about the scheme.
  const closing = await stopLater(rawTls(pair, 'http/1.1', (socket) => onRequest(socket, () => socket.end())));
  const ended = await failure(transportTo(closing, authority.ca).send(get('/', { method: 'POST' })));
  expect(ended.message).toMatch(/socket hang up$/);
});

test('F7: an unknown host name, and a port where nothing listens', async () => {
  const lookup: LookupFunction = (host, _, done) =>
    done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), '', 0);
  const name = await failure(transportTo(new URL('https://api.test'), '', { lookup }).send(get('/')));
  expect(name.message).toMatch(/ENOTFOUND api\.test; .*name.*DNS/);
  expect(transportFailureReason(name)).toBe('ENOTFOUND');
  const port = await failure(transportTo(new URL('https://127.0.0.1:1'), '').send(get('/')));
  expect(port.message).toMatch(/ECONNREFUSED 127\.0\.0\.1:1; .*nothing listens/);
  const fetched = createFetchTransport({
    server: new URL('https://127.0.0.1:1'),
    env: QUIET,
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: port.cause })),
  });
  expect((await failure(fetched.send(get('/')))).message).toMatch(/fetch failed; .*nothing listens/);
});

test('F14: a server that sends ENHANCE_YOUR_CALM', async () => {
  const { peers, transport } = await frameRig(certs, (peer) => {
    peer.onRequest = (id) => peer.headers(id);
  });
  const chunks = reader(await transport.send(watch()));
  peers[0]?.goaway(1, 11);
  const error = await failure(chunks.next());
  expect(error.message).toMatch(/; .*too many requests.*rateLimit/);
  expect(transportFailureReason(error)).toBe('ERR_HTTP2_SESSION_ERROR');
});

test('a failure without advice stays as it is', () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  expect(transportFailure('GET /', reset).message).toBe('GET /: read ECONNRESET');
});
