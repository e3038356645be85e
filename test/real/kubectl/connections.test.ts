import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiServer, type ExecRequest, startApiServer } from '@kube-informer/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onPath } from '../harness/go-program.ts';
import { findKubectls } from '../harness/kubectl.ts';

const found = await findKubectls((line) => console.log(line));
const missing = typeof found === 'string' ? found : undefined;
if (missing !== undefined) console.warn(`\nSKIPPED: connections of kubectl: ${missing}\n`);
const kubectls = [
  ...(typeof found === 'string' ? [] : found).map(({ name, path }) => ({ name: name as string, path, env: {} })),
  ...(onPath('kubectl') ? [{ name: 'kubectl of this machine', path: 'kubectl', env: {} }] : []),
];
/** Settings with which newer versions of kubectl use SPDY instead of WebSockets. */
const SPDY = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };
const played = kubectls.flatMap((kubectl) =>
  kubectl.name === 'kubectl 1.20'
    ? [kubectl]
    : [kubectl, { ...kubectl, name: `${kubectl.name}, SPDY only`, env: SPDY }],
);

interface Said {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A container whose programs are those of this machine. */
async function runHere({ command, stdin, stdout, stderr }: ExecRequest): Promise<{ exitCode: number }> {
  const [program = '', ...rest] = command;
  if (program === '') {
    await stdout('attached\n');
    return { exitCode: 0 };
  }
  const child = spawn(program, rest, { stdio: 'pipe' });
  child.stdin.on('error', () => {});
  const copy = async (from: AsyncIterable<Buffer>, to: (data: Buffer) => Promise<void>): Promise<void> => {
    for await (const chunk of from) await to(chunk);
  };
  const input = async (): Promise<void> => {
    for await (const chunk of stdin)
      if (!child.stdin.write(chunk)) await new Promise((resolve) => child.stdin.once('drain', resolve));
    child.stdin.end();
  };
  void input();
  const code = new Promise<number>((resolve) => child.once('close', (exitCode) => resolve(exitCode ?? 1)));
  await Promise.all([copy(child.stdout, stdout), copy(child.stderr, stderr)]);
  return { exitCode: await code };
}

describe.skipIf(missing !== undefined)('connections to pods by kubectl', () => {
  let server: ApiServer;
  let dir: string;
  const web = createServer((request, response) => response.end(`you asked for ${request.url}`));
  beforeAll(async () => {
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const { port } = web.address() as AddressInfo;
    server = await startApiServer({
      nodes: { exec: runHere, portForward: ({ port: wanted }) => (wanted === 80 ? port : undefined) },
    });
    const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' }, spec };
    server.load([{ ...pod, status: { phase: 'Running' } }]);
    dir = await mkdtemp(join(tmpdir(), 'connections-'));
    await server.writeKubeconfig(join(dir, 'kubeconfig'));
  });
  afterAll(async () => {
    await server.close();
    web.close();
    await rm(dir, { recursive: true, force: true });
  });

  const environment = (env: Record<string, string>): NodeJS.ProcessEnv => ({
    ...process.env,
    ...env,
    KUBECONFIG: join(dir, 'kubeconfig'),
    KUBECACHEDIR: join(dir, 'cache'),
  });

  function say(kubectl: (typeof played)[number], args: readonly string[], input?: Buffer): Promise<Said> {
    return new Promise((resolve) => {
      const options = {
        env: environment(kubectl.env),
        encoding: 'buffer' as const,
        maxBuffer: 64 << 20,
        timeout: 60_000,
      };
      const child = execFile(kubectl.path, args, options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr: stderr.toString() }),
      );
      child.stdin?.end(input);
    });
  }

  test.each(played)('$name: exec and attach, with input, errors and exit code', async (kubectl) => {
    const echo = await say(kubectl, ['exec', 'p', '--', 'echo', 'hello']);
    expect([echo.code, echo.stdout.toString(), echo.stderr]).toEqual([0, 'hello\n', '']);
    const failed = await say(kubectl, ['exec', 'p', '--', 'sh', '-c', 'echo wrong >&2; exit 7']);
    expect([failed.code, failed.stderr]).toEqual([7, 'wrong\ncommand terminated with exit code 7\n']);
    const input = randomBytes(2_000_000);
    const cat = await say(kubectl, ['exec', '-i', 'p', '--', 'cat'], input);
    expect(cat.stdout.equals(input)).toBe(true);
    const attached = await say(kubectl, ['attach', 'p']);
    expect([attached.code, attached.stdout.toString()]).toEqual([0, 'attached\n']);
  });

  test.each(played)('$name: cp in both directions', async (kubectl) => {
    const word = kubectl.name.replaceAll(/[^a-z0-9]+/g, '-');
    const names = { from: join(dir, `${word}-from`), pod: join(dir, `${word}-pod`), back: join(dir, `${word}-back`) };
    const content = randomBytes(1_500_000);
    await writeFile(names.from, content);
    expect(await say(kubectl, ['cp', names.from, `default/p:${names.pod}`])).toMatchObject({ code: 0 });
    expect((await readFile(names.pod)).equals(content)).toBe(true);
    expect(await say(kubectl, ['cp', `default/p:${names.pod}`, names.back])).toMatchObject({ code: 0 });
    expect((await readFile(names.back)).equals(content)).toBe(true);
  });

  test.each(played)('$name: port-forward, one connection after the other and many at once', async (kubectl) => {
    const child = spawn(kubectl.path, ['port-forward', 'p', ':80'], { env: environment(kubectl.env), stdio: 'pipe' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      const port = await new Promise<string>((resolve, reject) => {
        let text = '';
        const read = (chunk: Buffer): void => {
          text += chunk.toString();
          const [, local] = /127\.0\.0\.1:(\d+) -> 80/.exec(text) ?? [];
          if (local !== undefined) resolve(local);
        };
        child.stdout.on('data', read);
        child.stderr.on('data', read);
        child.once('close', () => reject(new Error(text)));
      });
      const ask = async (path: string): Promise<string> => {
        const options = ['-sS', '--max-time', '30', `http://127.0.0.1:${port}${path}`];
        return (await promisify(execFile)('curl', options)).stdout;
      };
      expect(await ask('/one')).toBe('you asked for /one');
      expect(await ask('/two')).toBe('you asked for /two');
      const paths = Array.from({ length: 12 }, (_, index) => `/${index}`);
      expect(await Promise.all(paths.map(ask))).toEqual(paths.map((path) => `you asked for ${path}`));
    } finally {
      child.kill();
      await ended;
    }
  });
});
