import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import {
  HANDSHAKE,
  type Opened,
  openWebSocket,
  type RawWebSocket,
} from '../../../../test/conformance/rig/web-socket.ts';
import { type ApiServer, type ExecRequest, type PodConnections, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

const POD = '/api/v1/namespaces/default/pods/p';

async function startWithPod(nodes: PodConnections, containers = ['c']): Promise<ApiServer> {
  const server = await startApiServer({ tls: false, nodes });
  const spec = { nodeName: 'node-1', containers: containers.map((name) => ({ name, image: 'i' })) };
  server.load([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' }, spec }]);
  return server;
}

function open({ url, token }: ApiServer, path: string, protocols = 'v5.channel.k8s.io'): Promise<Opened> {
  // Clients of these connections send no Origin.
  const { origin: _origin, ...handshake } = HANDSHAKE;
  const headers = { ...handshake, authorization: `Bearer ${token}`, 'sec-websocket-protocol': protocols };
  return openWebSocket({ url, token }, path, headers);
}

async function socketOf(server: ApiServer, path: string, protocols?: string): Promise<RawWebSocket> {
  const { socket, status, body } = await open(server, path, protocols);
  if (socket === undefined) throw new Error(`${status} ${body}`);
  return socket;
}

/** Everything that the server sends, by channel, until it closes the connection. */
async function channels(socket: RawWebSocket): Promise<Record<number, string>> {
  const texts: Record<number, string> = {};
  for (
    let message = await socket.next();
    message !== undefined && message.opcode !== 8;
    message = await socket.next()
  ) {
    const channel = message.payload[0] as number;
    texts[channel] = (texts[channel] ?? '') + message.payload.subarray(1).toString();
  }
  return texts;
}

const EXEC = `${POD}/exec?command=cat&command=-n&stdin=true&stdout=true&stderr=true`;

test('a function runs the command: its streams and its exit code reach the client', async () => {
  const seen: Pick<ExecRequest, 'command' | 'container' | 'tty'>[] = [];
  await using server = await startWithPod({
    async exec({ command, container, tty, stdin, stdout, stderr }) {
      seen.push({ command, container, tty });
      for await (const chunk of stdin) await stdout(`<${chunk.toString()}>`);
      await stderr('no more');
      return { stdout: 'last', exitCode: 3 };
    },
  });
  using socket = await socketOf(server, EXEC, 'v5.channel.k8s.io, v4.channel.k8s.io');
  await socket.send(2, Buffer.concat([Buffer.of(0), Buffer.from('héllo')]), { pieces: 3 });
  await socket.send(2, Buffer.of(255, 0));
  const { 1: stdout, 2: stderr, 3: status } = await channels(socket);
  expect({ stdout, stderr }).toEqual({ stdout: '<héllo>last', stderr: 'no more' });
  expect(JSON.parse(status ?? '')).toEqual({
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: exit status 3',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  });
  expect(seen).toEqual([{ command: ['cat', '-n'], container: 'c', tty: false }]);
});

test('sub-protocols: the first known one is chosen, base64 is text, and the oldest has no status', async () => {
  await using server = await startWithPod({ exec: () => ({ stdout: 'out', exitCode: 1 }) });
  const status = JSON.stringify({ metadata: {}, status: 'Failure' }).slice(0, -1);
  const { headers, socket } = await open(server, EXEC, 'unknown, v4.channel.k8s.io, v5.channel.k8s.io');
  expect(headers['sec-websocket-protocol']).toBe('v4.channel.k8s.io');
  expect((await channels(socket as RawWebSocket))[3]).toContain(status);
  using old = await socketOf(server, EXEC, 'channel.k8s.io');
  expect((await channels(old))[3]).toBe('command terminated with non-zero exit code: exit status 1');
  using text = await socketOf(server, EXEC, 'v4.base64.channel.k8s.io');
  const [, second] = [await text.next(), await text.next()];
  expect([second?.opcode, second?.payload.toString()]).toEqual([1, `1${Buffer.from('out').toString('base64')}`]);
  expect((await open(server, EXEC, 'unknown')).status).toBe(403);
});

test('a function that throws ends the command with its message', async () => {
  await using server = await startWithPod({
    exec() {
      throw new Error('no such program');
    },
  });
  using socket = await socketOf(server, EXEC);
  expect(JSON.parse((await channels(socket))[3] ?? '')).toMatchObject({
    status: 'Failure',
    message: 'no such program',
  });
});

test('the signal tells a command that its client is gone, and its input ends', async () => {
  const ends: string[] = [];
  await using server = await startWithPod({
    async exec({ stdin, signal }) {
      signal.addEventListener('abort', () => ends.push('gone'));
      for await (const _ of stdin);
      ends.push('end of input');
    },
  });
  const socket = await socketOf(server, EXEC);
  await socket.next();
  socket[Symbol.dispose]();
  await server.idle();
  await expect.poll(() => ends.toSorted()).toEqual(['end of input', 'gone']);
});

test('requests that cannot be answered are refused with advice', async () => {
  await using server = await startWithPod({ exec: () => {} }, ['a', 'b']);
  const refusal = async (path: string): Promise<unknown> => (await ask(server, 'POST', path)).body.message;
  expect(await refusal(`${POD}/exec?command=ls`)).toBe(
    'a container name must be specified for pod p, choose one of: [a b]',
  );
  expect(await refusal(`${POD}/exec?command=ls&container=x`)).toBe('container x is not valid for pod p');
  expect(await refusal(`${POD}/exec?command=ls&container=a`)).toBe('Upgrade request required');
  expect(await refusal(`${POD}/exec?container=a`)).toBe('you must specify at least 1 command for the container');
  expect(await refusal(`${POD}/portforward?ports=80`)).toContain('start the server with { nodes: { portForward } }');
  const { body } = await open(server, `${POD}/exec?command=ls&container=x`);
  expect(body).toContain('container x is not valid for pod p');
});

test('ports of a pod lead to servers on the loopback', async () => {
  const echo = createServer((client) => client.pipe(client));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const { port } = echo.address() as AddressInfo;
  await using server = await startWithPod({
    portForward: ({ port: wanted }) => (wanted === 80 ? port : undefined),
  });
  using socket = await socketOf(server, `${POD}/portforward?ports=80&ports=81`, 'v4.channel.k8s.io');
  await socket.send(2, Buffer.concat([Buffer.of(0), Buffer.from('ping')]));
  const got = new Map<number, Buffer>();
  while ((got.get(0)?.length ?? 0) < 6 || (got.get(3)?.length ?? 0) < 3) {
    const { payload } = (await socket.next()) as { payload: Buffer };
    const channel = payload[0] as number;
    got.set(channel, Buffer.concat([got.get(channel) ?? Buffer.alloc(0), payload.subarray(1)]));
  }
  expect(got.get(0)?.subarray(0, 2)).toEqual(Buffer.of(80, 0));
  expect(got.get(0)?.subarray(2).toString()).toBe('ping');
  expect(got.get(1)).toEqual(Buffer.of(80, 0));
  expect(got.get(3)?.subarray(2).toString()).toBe('error forwarding port 81 to pod p: nothing listens on port 81');
  await new Promise((resolve) => {
    echo.close(resolve);
    socket[Symbol.dispose]();
  });
});

test('frames of a client are read in pieces, and a frame without a mask ends the connection', async () => {
  await using server = await startWithPod({
    async exec({ stdin, stdout }) {
      for await (const chunk of stdin) await stdout(chunk);
    },
  });
  using socket = await socketOf(server, EXEC);
  await socket.next();
  await socket.send(9, 'are you there');
  const pong = await socket.next();
  expect([pong?.opcode, pong?.payload.toString()]).toEqual([10, 'are you there']);
  await socket.send(2, Buffer.concat([Buffer.of(0), Buffer.alloc(40_000, 'x')]), { pieces: 9_000 });
  let length = 0;
  while (length < 40_000) length += ((await socket.next())?.payload.length ?? 1) - 1;
  await socket.send(2, 'x', { isMasked: false });
  const close = await socket.next();
  expect([close?.opcode, close?.payload.readUInt16BE(0)]).toEqual([8, 1002]);
});
