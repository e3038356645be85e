import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { decodeProtobufMessage } from '../../src/api/protobuf/decode-protobuf-message.ts';
import { protobufWireFields, WireError } from '../../src/api/protobuf/wire.ts';
import type { GarbageName, ProtobufGarbageName } from '../../src/faults/rules/rule.ts';
import { type ApiServer, type ApiServerOptions, type FaultAction, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { accepts, binaryFrames, decoded, PROTOBUF } from '../rig/protobuf-client.ts';
import { CONFIG_MAPS, configMap, open, type Stream, until, watch, watchPath } from '../rig/stream-client.ts';

const JSON_TYPE = 'application/json';
const both = accepts(PROTOBUF, JSON_TYPE);
const rig = (options: ApiServerOptions = {}) => startApiServer({ tls: false, ...options });
const watches = (action: FaultAction, more = {}) => ({ match: { verb: 'watch' }, do: action, ...more });
const received = (stream: Stream) =>
  binaryFrames(stream.bytes()).map(({ type, object }) => `${type} ${object.metadata.name}`);
const loadAll = (server: ApiServer, ...names: string[]) => void server.load(names.map((name) => configMap(name, 'ä')));

/** The message of a body: behind the magic bytes and the type. */
function messageIn(body: Uint8Array): Uint8Array {
  const [, raw] = [...protobufWireFields(body.subarray(4))];
  return raw?.value as Uint8Array;
}

/** The message of the first frame. */
function messageInFrame(frame: Buffer): Uint8Array {
  const [, object] = [...protobufWireFields(frame.subarray(4, 4 + frame.readUInt32BE()))];
  const [body] = [...protobufWireFields(object?.value as Uint8Array)];
  return messageIn(body?.value as Uint8Array);
}

const numbersIn = (message: Uint8Array): number[] => [...protobufWireFields(message)].map(({ number }) => number);
const metadataIn = (message: Uint8Array): Uint8Array => {
  const [metadata] = [...protobufWireFields(message)];
  return metadata?.value as Uint8Array;
};

describe('streams of protobuf', () => {
  test.each([1, 3, 4, 20, 'mid-utf8'] as const)('PBS-09: are cut inside an event, at %s', async (offset) => {
    await using server = await rig();
    const stream = await watch(server, both);
    server.faults.add(watches({ cut: 'rst' }, { at: { event: 2, offset } }));
    loadAll(server, 'a', 'b', 'c');
    await until(() => stream.outcome !== undefined);
    expect(received(stream)).toEqual(['ADDED a']);
    const [first] = binaryFrames(stream.bytes());
    const rest = stream.bytes().subarray(first?.bytes.length);
    if (offset === 'mid-utf8') expect(rest.at(-1)).toBe(0xc3);
    else expect(rest).toHaveLength(offset);
  });

  test('PBS-10: pass the rules about events and bookmarks like JSON', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    const stream = await watch(server, { ...both, more: '&allowWatchBookmarks=true&timeoutSeconds=3600' });
    server.faults.add(watches({ duplicate: 1, as: 'MODIFIED' }, { at: { event: 1 } }));
    server.faults.add(watches({ drop: 'events' }, { at: { object: 'default/b' }, illegal: true }));
    const made = { type: 'ADDED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made-up' } } };
    server.faults.add(watches({ inject: made }, { at: { event: 3 }, illegal: true }));
    server.faults.add(watches({ bookmarksBehind: 2 }, { illegal: true }));
    loadAll(server, 'a', 'b', 'c');
    await until(() => binaryFrames(stream.bytes()).length === 4);
    expect(received(stream)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED c', 'ADDED made-up']);
    const { revision } = server.store;
    await env.clock.advance(60_000);
    await until(() => binaryFrames(stream.bytes()).length === 5);
    expect(binaryFrames(stream.bytes())[4]).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: String(revision - 2) } },
    });
    server.faults.add(watches({ error: 'expired' }));
    await until(() => stream.outcome === 'end');
    expect(binaryFrames(stream.bytes()).at(-1)).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
  });

  test.each<GarbageName>(['wrong-kind', 'no-metadata', 'unknown-type', 'huge', 'deep'])(
    'PBS-11: get an event that is %s',
    async (garbage) => {
      await using server = await rig();
      const stream = await watch(server, both);
      server.faults.add(watches({ garbage }));
      await until(() => stream.bytes().length > 4 && stream.bytes().length === 4 + stream.bytes().readUInt32BE());
      const bytes = stream.bytes();
      expect(bytes.includes('k8s\0')).toBe(true);
      if (garbage === 'unknown-type') expect(binaryFrames(bytes)[0]?.type).toBe('RENAMED');
      stream.close();
    },
  );

  test('PBS-12: get frames with a wrong length, a cut frame, an unknown field, a wrong wire type', async () => {
    await using server = await rig();
    const damaged = async (garbage: ProtobufGarbageName): Promise<{ good: Buffer; bad: Buffer }> => {
      const stream = await watch(server, both);
      server.faults.add(watches({ garbage }, { at: { event: 1 } }));
      loadAll(server, `c-${garbage}`);
      if (garbage === 'cut-frame') await until(() => stream.outcome === 'end');
      else {
        loadAll(server, `next-${garbage}`);
        await until(() => stream.bytes().includes(`next-${garbage}`));
      }
      stream.close();
      await until(() => server.watchers().length === 0);
      const bytes = stream.bytes();
      const end = 4 + bytes.readUInt32BE();
      return { good: bytes.subarray(0, end), bad: bytes.subarray(end) };
    };
    const length = await damaged('wrong-length');
    expect(length.bad.readUInt32BE()).toBe((length.good.length - 4) >> 1);
    expect(length.bad.subarray(4, length.good.length).equals(length.good.subarray(4))).toBe(true);
    expect((await damaged('huge-length')).bad.readUInt32BE()).toBe(0xff_ff_ff_ff);
    const cut = await damaged('cut-frame');
    expect(cut.bad.equals(cut.good.subarray(0, cut.good.length >> 1))).toBe(true);

    const field = await damaged('unknown-field');
    expect(numbersIn(messageInFrame(field.bad))).toEqual([...numbersIn(messageInFrame(field.good)), 1999]);
    const nested = await damaged('unknown-nested-field');
    expect(numbersIn(messageInFrame(nested.bad))).toEqual(numbersIn(messageInFrame(nested.good)));
    expect(numbersIn(metadataIn(messageInFrame(nested.bad))).at(-1)).toBe(1999);
    const type = await damaged('wrong-wire-type');
    expect(() =>
      decodeProtobufMessage('io.k8s.api.core.v1.ConfigMap', messageInFrame(type.bad).subarray(0, 2)),
    ).toThrow('wrong wireType = 0 for field ObjectMeta');
  });

  test('PBS-13: rules about bytes of protobuf never apply to JSON', async () => {
    await using server = await rig();
    const stream = await watch(server);
    const inStream = server.faults.add(watches({ garbage: 'wrong-length' }));
    const inBody = server.faults.add({ match: { verb: 'list' }, do: { garbage: 'unknown-field' } });
    loadAll(server, 'a');
    await until(() => stream.frames().length === 1);
    expect((await ask(server, 'GET', CONFIG_MAPS)).body.items).toHaveLength(1);
    expect([inStream.count, inBody.count]).toEqual([0, 0]);
    expect(numbersIn(messageIn((await ask(server, 'GET', CONFIG_MAPS, both)).bytes))).toEqual([1, 2]);
    expect(inBody.count).toBe(1);
    stream.close();
  });
});

describe('bodies of protobuf', () => {
  const list = async (server: ApiServer, action: FaultAction) => {
    server.faults.add({ match: { verb: 'list' }, do: action });
    return ask(server, 'GET', CONFIG_MAPS, both);
  };

  test('PBS-14: have lengths, fields and wire types that do not fit', async () => {
    await using server = await rig();
    loadAll(server, 'a', 'b');
    const item = async (garbage: ProtobufGarbageName): Promise<Uint8Array> => {
      const [, first] = [...protobufWireFields(messageIn((await list(server, { garbage })).bytes))];
      return first?.value as Uint8Array;
    };
    expect(numbersIn(await item('unknown-field')).at(-1)).toBe(1999);
    expect(numbersIn(metadataIn(await item('unknown-nested-field'))).at(-1)).toBe(1999);
    const wrongType = await item('wrong-wire-type');
    expect([...protobufWireFields(wrongType)][0]).toMatchObject({ number: 1, wireType: 0 });
    for (const garbage of ['wrong-length', 'huge-length'] as const) {
      const bytes = await item(garbage);
      expect(() => [...protobufWireFields(bytes)], garbage).toThrow(WireError);
    }
    const whole = await ask(server, 'GET', CONFIG_MAPS, both);
    const half = await list(server, { garbage: 'cut-frame' });
    expect(half.bytes.equals(whole.bytes.subarray(0, whole.bytes.length >> 1))).toBe(true);
  });

  test('PBS-15: are changed by the same rules as JSON', async () => {
    await using server = await rig();
    loadAll(server, 'a', 'b');
    expect(decoded((await list(server, { list: 'missing-item' })).bytes).items).toHaveLength(1);
    expect(decoded((await list(server, { garbage: 'bad-resource-version' })).bytes).metadata.resourceVersion).toBe(
      'x1',
    );
    const changed = await list(server, { body: (value) => ({ ...value, items: [] }) });
    expect(decoded(changed.bytes)).toMatchObject({ kind: 'ConfigMapList', items: null });
    const refused = await list(server, { status: 503 });
    expect(refused.headers['content-type']).toBe(PROTOBUF);
    expect(decoded(refused.bytes)).toMatchObject({ kind: 'Status', code: 503, reason: 'ServiceUnavailable' });
  });

  test('PBS-16: a server may respond in JSON where protobuf was asked for, to lists or to watches only', async () => {
    await using server = await rig();
    loadAll(server, 'a');
    const rule = server.faults.add({ match: { verb: 'watch' }, do: { encoding: 'json' }, times: Infinity });
    expect((await ask(server, 'GET', CONFIG_MAPS, accepts(PROTOBUF))).headers['content-type']).toBe(PROTOBUF);
    const stream = open(server, watchPath(server), accepts(PROTOBUF));
    await until(() => stream.status === 200);
    expect(stream.headers['content-type']).toBe(JSON_TYPE);
    stream.close();
    rule.remove();
    server.faults.add({ match: { verb: 'list' }, do: { encoding: 'json' } });
    const metadata = `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    const json = await ask(server, 'GET', CONFIG_MAPS, accepts(metadata));
    expect(json.body).toMatchObject({ kind: 'PartialObjectMetadataList' });
    expect(() => server.faults.add({ do: { encoding: 'protobuf' } })).toThrow('set illegal: true');
    server.faults.add({ match: { verb: 'list' }, do: { encoding: 'protobuf' }, illegal: true });
    const protobuf = await ask(server, 'GET', CONFIG_MAPS);
    expect(decoded(protobuf.bytes)).toMatchObject({ kind: 'ConfigMapList' });
  });
});
