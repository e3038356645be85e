import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttps } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundlePrograms } from '../../../../../tools/build/bundle-programs.ts';
import { Listening } from '../rig/scripted-server.ts';
import { certificates, echo, serve, stopLater } from '../rig/transport-rig.ts';

const certs = certificates();
const run = promisify(execFile);
const PROGRAM = 'packages/kube-informer/test/client/rig/transport-child.ts';
const child = (await bundlePrograms([PROGRAM])).path(PROGRAM);

async function inProcess(args: readonly string[], env: Record<string, string> = {}, limit = ''): Promise<string> {
  const { authority } = certs();
  const script = `${limit} exec "$0" "$@"`;
  const { stdout } = await run('sh', ['-c', script, process.execPath, child, ...args], {
    env: { ...process.env, TEST_CA: authority.ca, ...env },
    timeout: 100_000,
  });
  return stdout.trim();
}

describe.each(['h1', 'h2'] as const)('a process of its own, on %s', { timeout: 240_000 }, (protocol) => {
  test('idle connections do not keep the process alive', async () => {
    const { pair } = certs();
    const server = await serve({ pair, protocol, handler: echo });
    expect(await inProcess(['exit', server.url.href])).toBe('answer /hello');
  });

  test('F16: no file descriptor left is TRANSPORT with the system error', async () => {
    const { pair } = certs();
    const server = await serve({ pair, protocol, handler: echo });
    expect(await inProcess(['files', server.url.href], {}, 'ulimit -n 64;')).toMatch(
      /^failure TRANSPORT EMFILE GET \/hello: .*EMFILE/,
    );
  });

  test("an https proxy is verified by the platform's roots, and TLS to the server goes through it", async () => {
    const { authority, pair } = certs();
    const server = await serve({ pair, protocol, handler: echo });
    const asked: string[] = [];
    const proxy = createHttps(pair);
    proxy.on('connect', ({ url }, near: Socket) => {
      asked.push(url as string);
      const far = connect(server.port, '127.0.0.1', () => near.write('HTTP/1.1 200 OK\r\n\r\n'));
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on('error', () => {});
    });
    const listening = await stopLater(new Listening(proxy).listen());
    const dir = await mkdtemp(join(tmpdir(), 'roots-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    await writeFile(join(dir, 'ca.crt'), authority.ca);
    const url = `https://127.0.0.1:${listening.port}`;
    expect(await inProcess(['exit', server.url.href, url], { NODE_EXTRA_CA_CERTS: join(dir, 'ca.crt') })).toBe(
      'answer /hello',
    );
    expect(asked).toEqual([server.url.host]);
    // The cluster's authority alone does not make a proxy trusted.
    expect(await inProcess(['exit', server.url.href, url])).toMatch(/^failure TRANSPORT (UNABLE|SELF|DEPTH)/);
  });
});
