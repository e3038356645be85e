import { expect, test } from 'vitest';
import { type Fixture, lease } from '../../rig/fixture.ts';
import { PROTOBUF } from '../../rig/protobuf.ts';
import { HANDSHAKE, type Opened, openWebSocket } from '../../rig/web-socket.ts';

/** Watches over WebSocket: the handshake, frames in both directions, the end. */
export function webSocketCases(fixture: () => Fixture): void {
  const authorized = (f: Fixture): Record<string, string> => ({
    ...HANDSHAKE,
    authorization: `Bearer ${f.target.token}`,
  });
  const open = (f: Fixture, path: string, headers: Record<string, string> = {}): Promise<Opened> =>
    openWebSocket(f.target, path, { ...authorized(f), ...headers });
  const opened = async (f: Fixture, path: string, headers: Record<string, string> = {}) => {
    const { status, socket, body } = await open(f, path, headers);
    if (socket === undefined) throw new Error(`no WebSocket: ${status} ${body}`);
    return socket;
  };

  test('point (w): a watch over WebSocket sends one text message per event', async () => {
    const f = fixture();
    const { leases } = await f.space();
    await f.create(leases, lease('a'));
    const { status, headers, socket } = await open(f, `${leases}?watch=true`);
    expect(status).toBe(101);
    expect(headers).toMatchObject({ upgrade: 'websocket', connection: 'Upgrade' });
    expect(headers['sec-websocket-accept']).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    expect(headers['sec-websocket-protocol']).toBe(undefined);
    if (socket === undefined) throw new Error('no WebSocket');
    using watch = socket;
    expect(await watch.event()).toMatchObject({ type: 'ADDED', object: { kind: 'Lease', metadata: { name: 'a' } } });
    await f.merge(`${leases}/a`, { spec: { holderIdentity: 'x'.repeat(200) } });
    await f.merge(`${leases}/a`, { metadata: { annotations: { long: 'y'.repeat(100_000) } } });
    expect(await watch.event()).toMatchObject({ type: 'MODIFIED' });
    // Longer than 64 KiB: the length is in eight bytes.
    const long = await watch.next();
    expect(long?.payload.length).toBeGreaterThan(100_000);
    expect(long?.payload.at(-1)).toBe(0x0a);
    await f.remove(`${leases}/a`);
    expect((await watch.event()).type).toBe('DELETED');
  });

  test('point (w2): pings are answered, data is ignored, a close is answered with a close', async () => {
    const f = fixture();
    const { leases } = await f.space();
    using watch = await opened(f, `${leases}?watch=true`);
    await watch.send(9, 'are you there');
    expect(await watch.next()).toEqual({ opcode: 10, payload: Buffer.from('are you there') });
    await watch.send(1, 'GET / HTTP/1.1\r\n\r\n'.repeat(100));
    await watch.send(9, 'cut into pieces', { pieces: 1 });
    expect(await watch.next()).toEqual({ opcode: 10, payload: Buffer.from('cut into pieces') });
    await f.create(leases, lease('a'));
    expect((await watch.event()).object.metadata.name).toBe('a');
    await watch.send(8, Buffer.of(3, 232));
    expect(await watch.next()).toEqual({ opcode: 8, payload: Buffer.of(3, 232) });
    expect(await watch.next()).toBe(undefined);
  });

  test('point (w3): a frame without a mask ends the connection with status 1002', async () => {
    const f = fixture();
    const { leases } = await f.space();
    using watch = await opened(f, `${leases}?watch=true`);
    await watch.send(9, 'x', { isMasked: false });
    expect(await watch.next()).toEqual({ opcode: 8, payload: Buffer.of(3, 234) });
  });

  test('point (w4): the end of a watch is a close with status 1000', async () => {
    const f = fixture();
    const { leases } = await f.space();
    using watch = await opened(f, `${leases}?watch=true&timeoutSeconds=1`);
    expect(await watch.next()).toEqual({ opcode: 8, payload: Buffer.of(3, 232) });
    expect(await watch.next()).toBe(undefined);
  });

  test('point (w5): handshakes that are refused', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const path = `${leases}?watch=true`;
    const without = (name: keyof typeof HANDSHAKE): Promise<Opened> => {
      const { [name]: _left, ...rest } = authorized(f);
      return openWebSocket(f.target, path, rest);
    };
    expect(await without('origin')).toMatchObject({ status: 403, body: '' });
    expect((await open(f, path, { origin: 'null' })).status).toBe(403);
    expect(await without('sec-websocket-key')).toMatchObject({ status: 400, body: 'mismatch challenge/response' });
    const version = await open(f, path, { 'sec-websocket-version': '8' });
    expect(version).toMatchObject({ status: 400, body: 'missing or bad WebSocket Version' });
    expect(version.headers['sec-websocket-version']).toBe('13');
    const several = await open(f, path, { 'sec-websocket-protocol': 'a, b' });
    expect(several).toMatchObject({ status: 400, body: '' });
    const one = await open(f, path, { 'sec-websocket-protocol': 'base64.binary.k8s.io' });
    one.socket?.[Symbol.dispose]();
    expect(one.status).toBe(101);
    expect(one.headers['sec-websocket-protocol']).toBe('base64.binary.k8s.io');
    // A watch that is refused is refused as over plain HTTP.
    expect((await open(f, `${path}&labelSelector=%21%21`)).status).toBe(400);
  });

  test('point (w6): a token may come as a sub-protocol', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const protocol = (token: string): string =>
      `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
    const ask = (protocols: string): Promise<Opened> =>
      openWebSocket(f.target, `${leases}?watch=true`, { ...HANDSHAKE, 'sec-websocket-protocol': protocols });
    const { status, headers, socket } = await ask(`${protocol(f.target.token)}, base64.binary.k8s.io`);
    socket?.[Symbol.dispose]();
    expect(status).toBe(101);
    expect(headers['sec-websocket-protocol']).toBe('base64.binary.k8s.io');
    expect((await ask(protocol(f.target.token))).status).toBe(401);
    expect((await ask(`${protocol('nobody')}, base64.binary.k8s.io`)).status).toBe(401);
  });

  test('point (w7): protobuf comes in binary messages, without the length in front', async () => {
    const f = fixture();
    const { leases } = await f.space();
    await f.create(leases, lease('a'));
    using watch = await opened(f, `${leases}?watch=true`, { accept: `${PROTOBUF};stream=watch` });
    const message = await watch.next();
    expect(message?.opcode).toBe(2);
    // Field 1 of a WatchEvent, its type.
    expect(message?.payload.subarray(0, 7)).toEqual(Buffer.from('\n\x05ADDED'));
  });
}
