import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Env, systemEnv } from 'kube-informer/core';
import { seededRandom } from 'kube-informer/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

/** Requests of each kind. A run takes a few seconds. */
const BUDGET = 250;
/** Set FUZZ_SEED to run the requests of an earlier run again. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 32);
/** A client that gets no response closes its connection. */
const PATIENCE_MS = 300;

/** Uncaught errors, and those that the server itself reports: a 500, a listener that failed. */
const uncaught: unknown[] = [];
const catchIt = (error: unknown): void => void uncaught.push(error);
const env: Env = {
  ...systemEnv,
  log: (level, message, fields) => {
    if (level === 'error') uncaught.push([message, fields]);
  },
};
beforeAll(() => {
  console.info(`fuzz: seed ${SEED}, ${BUDGET} requests of each kind; again with FUZZ_SEED=${SEED}`);
  process.on('uncaughtException', catchIt);
  process.on('unhandledRejection', catchIt);
});
afterAll(() => {
  process.off('uncaughtException', catchIt);
  process.off('unhandledRejection', catchIt);
});

type Server = Awaited<ReturnType<typeof startApiServer>>;

/** Draws of one kind of request. */
function draws(kind: number) {
  const random = seededRandom(SEED + kind);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const bytes = (length: number): string => Array.from({ length }, () => String.fromCharCode(below(256))).join('');
  return { below, pick, bytes };
}

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'constructor',
  '__proto__',
  'get',
  'X',
  '',
];
const PATHS = [
  '/',
  '//',
  '*',
  '',
  '?',
  '/%',
  '/%00',
  '/%2e%2e/%2e%2e',
  '/api',
  '/apis//',
  '/api/v1/pods',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/watch/pods',
  '/apis/constructor/v1/__proto__',
  '/api/v1/namespaces//pods/',
  '/metrics',
  '/openapi/v2',
  '/version/',
  '/api/v1/pods?watch=true&timeoutSeconds=0',
  '/api/v1/pods?limit=-1&continue=%7B%7D',
  '/api/v1/pods?labelSelector=a%20in%20(',
  '/api/v1/pods?fieldSelector=%3D%3D',
  '/api/v1/pods?resourceVersion=constructor&resourceVersionMatch=Exact',
  'http://[',
  '/healthz/constructor',
];
const NAMES = [
  'Authorization',
  'Accept',
  'Content-Type',
  'Content-Length',
  'Transfer-Encoding',
  'Host',
  'Connection',
  'Upgrade',
  'Expect',
  'Impersonate-User',
  'Impersonate-Extra-__proto__',
  'Origin',
  'User-Agent',
  'Audit-Id',
  'If-None-Match',
  '__proto__',
  'constructor',
  'A',
  '',
];
const VALUES = [
  '',
  'constructor',
  '__proto__',
  '-1',
  '0',
  '99999999999999999999',
  'chunked',
  'chunked, chunked',
  'application/json',
  'application/yaml',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  '*/*;q=x',
  'Bearer ',
  'Bearer constructor',
  'Basic Og==',
  'close',
  'keep-alive, Upgrade',
  'h2c',
  'websocket',
  '100-continue',
  '\u0000',
  'é',
  'a'.repeat(9_000),
];
const BODIES = ['', '{}', '[]', 'null', '{"kind":"constructor"}', '{"metadata":{"name":"__proto__","labels":{"__proto__":"a"}}}', '{"__proto__":{"a":1}}', '[{"op":"add","path":"/__proto__/a","value":1}]', '{"$patch":"constructor"}', '0\r\n\r\n', 'ffffffffffffffff\r\n', 'k8s\u0000\u000a\u0004', 'a: &a [*a]\n', '{'.repeat(2_000)]; // prettier-ignore

/** The server answers as before, and nothing was thrown outside of a request. */
async function expectAlive(server: Server): Promise<void> {
  expect(uncaught).toEqual([]);
  expect((await ask(server, 'GET', '/api/v1/namespaces')).status).toBe(200);
  expect((await ask(server, 'GET', '/metrics')).text.length).toBeLessThan(200_000);
  expect(Object.prototype).not.toHaveProperty('a');
}

/** Sends bytes on a connection of their own, and waits until it is closed, or for a while. */
function sendRaw(port: number, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')));
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on('error', () => {});
    socket.on('data', () => socket.end());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

test('S70: raw HTTP/1.1 of any kind leaves the server as it was', async () => {
  await using server = await startApiServer({ tls: false, env });
  const { port } = new URL(server.url);
  const { below, pick, bytes } = draws(1);
  const line = (): string =>
    `${pick(NAMES)}${pick([': ', ':', ' : ', ''])}${pick([...VALUES, bytes(below(40))])}${pick(['\r\n', '\n'])}`;
  const requests = Array.from({ length: BUDGET }, () => {
    if (below(10) === 0) return bytes(below(400));
    const token = below(2) === 0 ? `Authorization: Bearer ${server.token}\r\n` : '';
    const head = `${pick(METHODS)} ${pick([...PATHS, `/${bytes(below(30))}`])} ${pick(['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', ''])}\r\n`;
    const lines = Array.from({ length: below(5) }, line).join('');
    const body = pick(BODIES);
    const length = below(3) === 0 ? '' : `Content-Length: ${body.length + pick([0, 0, 0, 1, -1])}\r\n`;
    return `${head}${below(4) === 0 ? '' : 'Host: 127.0.0.1\r\n'}${token}${length}${lines}\r\n${body}`;
  });
  for (let at = 0; at < requests.length; at += 25)
    await Promise.all(requests.slice(at, at + 25).map((text) => sendRaw(Number(port), text)));
  await expectAlive(server);
});

/** One HTTP/2 request; whatever happens to it is fine. */
function sendHttp2(session: ClientHttp2Session, headers: Record<string, string>, body: string): Promise<void> {
  return new Promise((resolve) => {
    try {
      const stream = session.request(headers, { endStream: body === '' });
      const timer = setTimeout(() => stream.close(), PATIENCE_MS);
      stream.on('error', () => {});
      stream.on('close', () => {
        clearTimeout(timer);
        resolve();
      });
      stream.resume();
      if (body !== '') stream.end(body);
    } catch {
      resolve(); // the client itself refuses it
    }
  });
}

test('S70: HTTP/2 headers of any kind leave the server as it was', async () => {
  await using server = await startApiServer({ env });
  const { below, pick, bytes } = draws(2);
  const word = (): string => bytes(below(20)).replaceAll(/[^\x21-\x7e]/g, 'x');
  for (let at = 0; at < BUDGET; at += 25) {
    const session = connectHttp2(server.url, server.ca === undefined ? {} : { ca: server.ca });
    session.on('error', () => {});
    const sent = Array.from({ length: 25 }, () => {
      const headers: [string, string][] = [
        [':method', pick([...METHODS, word(), 'y'.repeat(3_000)])],
        [':path', pick([...PATHS, `/${word()}`])],
        ...(below(2) === 0 ? [['authorization', `Bearer ${server.token}`] as [string, string]] : []),
        ...(below(4) === 0 ? [[':authority', pick(['', 'evil.example', word()])] as [string, string]] : []),
        ...Array.from({ length: below(5) }, (): [string, string] => [
          pick(NAMES).toLowerCase() || 'a',
          pick([...VALUES, word()]),
        ]),
      ];
      return sendHttp2(session, Object.fromEntries(headers), pick(BODIES));
    });
    await Promise.all(sent);
    session.destroy();
  }
  await expectAlive(server);
});

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

test('S70: raw HTTP/2 frames of any kind leave the server as it was', async () => {
  await using server = await startApiServer({ env });
  const { below, pick, bytes } = draws(3);
  /** Length, type, flags and stream as HTTP/2 writes them, true or not. */
  const frame = (): string => {
    const payload = bytes(below(60));
    const length = below(8) === 0 ? below(2 ** 20) : payload.length;
    const stream = pick([0, 1, 1, 3, 5, 2 ** 31 - 1]);
    const numbers = [
      length >> 16,
      length >> 8,
      length,
      below(12),
      below(256),
      stream >> 24,
      stream >> 16,
      stream >> 8,
      stream,
    ];
    return String.fromCharCode(...numbers.map((number) => number & 0xff)) + payload;
  };
  /** A request that the server can read, with fields of the static table, so that what comes with it reaches the handlers. */
  const request = (stream: number): string => {
    const field = (index: string, value: string): string => `${index}${String.fromCharCode(value.length)}${value}`;
    const path = pick(PATHS.filter((one) => one !== '' && one.length < 127));
    const fields = `${pick(['\u0082', '\u0083'])}\u0087${field('\u0004', path)}${field('\u0001', '127.0.0.1')}`;
    const payload = `${fields}${below(3) === 0 ? '' : field('\u000f\u0008', `Bearer ${server.token}`)}`;
    return (
      String.fromCharCode(0, payload.length >> 8, payload.length & 0xff, 1, pick([4, 5]), 0, 0, 0, stream) + payload
    );
  };
  const port = Number(new URL(server.url).port);
  const send = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = connectTls({ port, host: '127.0.0.1', ca: server.ca, ALPNProtocols: ['h2'] }, () =>
        socket.write(Buffer.from(text, 'latin1')),
      );
      const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
      socket.on('error', () => {});
      socket.resume();
      socket.on('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  const settings = '\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000';
  for (let at = 0; at < BUDGET / 5; at += 10)
    await Promise.all(
      Array.from({ length: 10 }, () =>
        send(
          `${below(6) === 0 ? '' : PREFACE}${below(6) === 0 ? '' : settings}${below(2) === 0 ? request(1) + request(3) : ''}${Array.from({ length: below(12) }, frame).join('')}`,
        ),
      ),
    );
  await expectAlive(server);
});
