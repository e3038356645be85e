import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { checkOptions } from '../../src/options.ts';

/** The status a plain request gets. */
function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('who reaches the server', () => {
  test('S49: it listens on loopback, and only who has its token is answered', async () => {
    await using server = await startApiServer({ tls: false });
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    expect(await ask(`${server.url}/api/v1/secrets`)).toBe(401);
    // What a web page of somebody else can send: no header of its own but Origin.
    expect(await ask(`${server.url}/api/v1/secrets`, { origin: 'https://evil.example' })).toBe(401);
    expect(await ask(`${server.url}/api/v1/secrets`, { authorization: 'Bearer wrong' })).toBe(401);
    expect(await ask(`${server.url}/api/v1/secrets`, { authorization: `Bearer ${server.token}` })).toBe(200);
  });

  test('S49: two servers have different tokens', async () => {
    await using one = await startApiServer({ tls: false });
    await using other = await startApiServer({ tls: false });
    expect(one.token).not.toBe(other.token);
    expect(one.token.length).toBeGreaterThanOrEqual(20);
  });

  test('S49: it does not start in production unless forced, nor open to other machines', () => {
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' });
    expect(() => checkOptions({}, 'production')).toThrow(refused);
    expect(() => checkOptions({ force: true }, 'production')).not.toThrow();
    expect(() => checkOptions({ host: '0.0.0.0', auth: 'open' }, undefined)).toThrow(refused);
    expect(() => checkOptions({ host: '0.0.0.0' }, undefined)).not.toThrow();
  });
});
