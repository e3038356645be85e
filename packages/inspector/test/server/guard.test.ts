import { describe, expect, test } from 'vitest';
import { type Access, Guard, TOKEN_HEADER, type RequestHead } from '../../src/server/access-guard.ts';

const TOKEN = 'a-token-of-more-than-32-characters-for-this-test';
const HOST = '127.0.0.1:4000';

interface Sent {
  readonly method?: string;
  readonly hosts?: readonly string[];
  readonly headers?: RequestHead['headers'];
}

function rig() {
  const guard = new Guard((host) => [HOST, 'localhost:4000', '[::1]:4000'].includes(host), TOKEN);
  const refuse = (access: Access, { method = 'GET', hosts = [HOST], headers = {} }: Sent = {}): number =>
    guard.refuse({ method, hosts, headers }, access)?.status ?? 200;
  const withToken = { [TOKEN_HEADER]: TOKEN };
  const action = {
    method: 'POST',
    headers: { ...withToken, origin: `http://${HOST}`, 'content-type': 'application/json' },
  };
  return { refuse, withToken, action };
}

describe('the guard', () => {
  test('S39: only its exact host names, with its port, are accepted, in upper or lower case', () => {
    const { refuse, withToken } = rig();
    for (const host of [HOST, 'localhost:4000', 'LocalHost:4000', '[::1]:4000'])
      expect(refuse('data', { hosts: [host], headers: withToken })).toBe(200);
    for (const host of ['evil.com', 'localhost.evil.com:4000', '127.0.0.1.nip.io:4000', 'localhost', '127.0.0.1', '127.0.0.1:4001', 'evil.com#127.0.0.1:4000', '127.0.0.1:4000.evil.com', '0.0.0.0:4000', ' 127.0.0.1:4000', ''])
      for (const access of ['page', 'data', 'action'] as const)
        expect([host, refuse(access, { hosts: [host], headers: withToken })]).toEqual([host, 403]);
  }); // prettier-ignore

  test('S39: a request without a Host header, or with two, is refused', () => {
    const { refuse } = rig();
    expect(refuse('page', { hosts: [] })).toBe(403);
    expect(refuse('page', { hosts: [HOST, 'evil.com'] })).toBe(403);
    expect(refuse('page', { hosts: [HOST, HOST] })).toBe(403);
  });

  test('S40: another origin is refused, even with the right token', () => {
    const { refuse, withToken, action } = rig();
    for (const origin of ['https://evil.com', 'null', `https://${HOST}`, 'http://localhost:4000', 'http://127.0.0.1', `http://${HOST}.evil.com`, ''])
      for (const access of ['page', 'data', 'action'] as const)
        expect([origin, refuse(access, { ...action, headers: { ...action.headers, origin } })]).toEqual([origin, 403]);
    expect(refuse('data', { headers: { ...withToken, origin: `http://${HOST}` } })).toBe(200);
    expect(refuse('data', { hosts: ['localhost:4000'], headers: { ...withToken, origin: 'http://localhost:4000' } })).toBe(200);
  }); // prettier-ignore

  test('S40: a request that the browser marks as cross-site may not read data', () => {
    const { refuse, withToken } = rig();
    for (const site of ['cross-site', 'same-site'])
      expect(refuse('data', { headers: { ...withToken, 'sec-fetch-site': site } })).toBe(403);
    for (const site of ['same-origin', 'none'])
      expect(refuse('data', { headers: { ...withToken, 'sec-fetch-site': site } })).toBe(200);
    // A link in a chat or a terminal may lead to the page, which contains no data.
    expect(refuse('page', { headers: { 'sec-fetch-site': 'cross-site' } })).toBe(200);
  });

  test('S41: an action requires POST, JSON, the origin of the page and the token', () => {
    const { refuse, action } = rig();
    expect(refuse('action', action)).toBe(200);
    expect(refuse('action', { ...action, method: 'GET' })).toBe(405);
    expect(refuse('action', { ...action, method: 'PUT' })).toBe(405);
    const without = (name: string): RequestHead['headers'] =>
      Object.fromEntries(Object.entries(action.headers).filter(([one]) => one !== name));
    expect(refuse('action', { ...action, headers: without('origin') })).toBe(403);
    expect(refuse('action', { ...action, headers: without(TOKEN_HEADER) })).toBe(401);
    expect(refuse('action', { ...action, headers: without('content-type') })).toBe(415);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain; application/json'])
      expect(refuse('action', { ...action, headers: { ...action.headers, 'content-type': type } })).toBe(415);
  }); // prettier-ignore

  test('S41: the page and data are served for GET and HEAD only', () => {
    const { refuse, withToken } = rig();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      for (const access of ['page', 'data'] as const) expect(refuse(access, { method, headers: withToken })).toBe(405);
  });

  test('S42: a missing, wrong, shorter or longer token gets 401', () => {
    const { refuse } = rig();
    expect(refuse('data')).toBe(401);
    for (const token of ['', 'wrong', TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase(), `${TOKEN}, ${TOKEN}`])
      expect(refuse('data', { headers: { [TOKEN_HEADER]: token } })).toBe(401);
    expect(refuse('data', { headers: { [TOKEN_HEADER]: TOKEN } })).toBe(200);
    expect(refuse('page')).toBe(200);
  });
});
