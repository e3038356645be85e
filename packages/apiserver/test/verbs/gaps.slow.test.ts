import { gunzipSync } from 'node:zlib';
import { fakeEnv, FakeClock } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { type ApiServerOptions, startApiServer } from '../../src/index.ts';
import type { ApiServer } from '../../src/server.ts';
import { ask } from '../rig/http-client.ts';

/** Responses of a real kube-apiserver 1.36 to the same requests. */

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const YAML = { 'content-type': 'application/yaml' };
const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf' };

const rig = (options: ApiServerOptions = {}) => startApiServer({ tls: false, ...options });

const apply = (server: ApiServer, name: string, body: string, query = '') =>
  ask(server, 'PATCH', `${CONFIG_MAPS}/${name}?fieldManager=m${query}`, { body, headers: APPLY });

const text = (name: string, rest: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${rest}`;

function definition({
  plural = 'widgets',
  kind = 'Widget',
  names = {},
  v1 = {},
  v2 = undefined as object | undefined,
}) {
  const schema = (spec: object) => ({
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: spec },
        status: { type: 'object', properties: { phase: { type: 'string', enum: ['A'] } } },
      },
    },
  });
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.n' } };
  const first = { replicas: { type: 'integer' }, ...v1 };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind, ...names },
      versions: [
        { name: 'v1', served: true, storage: true, subresources, schema: schema(first) },
        ...(v2 === undefined ? [] : [{ name: 'v2', served: true, storage: false, schema: schema(v2) }]),
      ],
    },
  };
}

const widget = (name: string, spec: object) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});

describe('apply', () => {
  test('takes no name from the path: a new object needs its name in the body, an existing one does not', async () => {
    await using server = await rig();
    const nameless = 'apiVersion: v1\nkind: ConfigMap\ndata: {a: "1"}\n';
    const refused = await apply(server, 'x', nameless);
    expect(refused.body).toMatchObject({
      code: 400,
      message: 'the name of the object (x based on URL) was undeterminable: name must be provided',
    });
    expect((await apply(server, 'x', text('x', 'data: {a: "1"}\n'))).status).toBe(201);
    expect((await apply(server, 'x', nameless)).status).toBe(200);
  });

  test('reads YAML 1.1: y is true, 0777 is octal, a key called n is false', async () => {
    await using server = await rig();
    expect((await apply(server, 'y', text('y', ''))).body.message).toBe(
      'failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name: expected string, got &value.valueUnstructured{Value:true}',
    );
    expect((await apply(server, 'x', text('x', 'data: {k: 0777}\n'))).body.message).toContain('Value:511}');
    expect((await apply(server, 'x', text('x', 'data: {k: 2001-01-01, t: 1:30}\n'))).body.data).toEqual({
      k: '2001-01-01',
      t: '1:30',
    });
    expect((await apply(server, 'x', text('x', 'data: {n: "1"}\n'))).body.data).toEqual({ false: '1' });
    expect((await apply(server, 'x', text('x', 'data: {k: .inf}\n'))).body.message).toBe(
      'error decoding YAML: error converting YAML to JSON: json: unsupported value: +Inf',
    );
  });

  test('reports duplicate keys with their line', async () => {
    await using server = await rig();
    const body = text('x', 'data:\n  k: a\n  k: b\n');
    const warned = await apply(server, 'x', body);
    expect(warned.headers['warning']).toBe('299 - "line 7: key \\"k\\" already set in map"');
    expect(warned.body.data).toEqual({ k: 'b' });
    expect((await apply(server, 'x', body, '&fieldValidation=Strict')).body.message).toBe(
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "k" already set in map',
    );
  });
});

describe('bodies', () => {
  test('are validated in the order of their text and with the types of Go', async () => {
    await using server = await rig();
    const body = '{"zap":1,"metadata":{"name":"s","foo":1,"name":"s"},"data":{"a":"1","a":"2"},"aaa":1}';
    const { body: refused } = await ask(server, 'POST', `${CONFIG_MAPS}?fieldValidation=Strict`, { body });
    expect(refused.message).toContain(
      'strict decoding error: unknown field "zap", unknown field "metadata.foo", duplicate field "metadata.name", duplicate field "data.a", unknown field "aaa"',
    );
    const faultOf = async (spec: unknown) =>
      (await ask(server, 'POST', PODS, { body: { metadata: { name: 'x' }, spec } })).body.message as string;
    expect(await faultOf(5)).toContain('Go struct field Pod.spec of type v1.PodSpec');
    expect(await faultOf({ containers: {} })).toContain('PodSpec.spec.containers of type []v1.Container');
    expect(await faultOf({ containers: [{ image: 5 }] })).toContain('Container.spec.containers.image of type string');
  });

  test('in YAML may have the booleans of YAML 1.1', async () => {
    await using server = await rig();
    const { body } = await ask(server, 'POST', CONFIG_MAPS, {
      body: 'metadata: {name: a}\ndata: {a: yes}',
      headers: YAML,
    });
    expect(body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal bool into Go struct field ConfigMap.data of type string',
    );
  });

  test('in protobuf may omit kind and apiVersion', async () => {
    await using server = await rig();
    const named = 'k8s\0\n\0\u0012\u0006\n\u0004\n\u0002pb';
    const { status, body } = await ask(server, 'POST', CONFIG_MAPS, { body: named, headers: PROTOBUF });
    expect([status, body.metadata.name]).toEqual([201, 'pb']);
    const broken = await ask(server, 'POST', CONFIG_MAPS, { body: 'hello', headers: PROTOBUF });
    expect(broken.body.message).toContain('must be of type ConfigMap');
  });
});

describe('scale', () => {
  const deployment = {
    metadata: { name: 'd' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const owners = async (server: ApiServer, path: string) => {
    const { body } = await ask(server, 'GET', path);
    return body.metadata.managedFields.map((entry: Record<string, unknown>) => [
      entry['manager'],
      entry['operation'],
      entry['subresource'],
      entry['time'] !== undefined,
    ]);
  };

  test('makes the manager that scales the owner of the replicas', async () => {
    await using server = await rig();
    await ask(server, 'POST', `${DEPLOYMENTS}?fieldManager=maker`, { body: deployment });
    const body = { spec: { replicas: 2 } };
    await ask(server, 'PATCH', `${DEPLOYMENTS}/d/scale?fieldManager=scaler`, { body, headers: MERGE });
    expect(await owners(server, `${DEPLOYMENTS}/d`)).toEqual([
      ['scaler', 'Update', 'scale', false],
      ['maker', 'Update', undefined, true],
    ]);
  });

  test('can be applied, with conflicts', async () => {
    await using server = await rig();
    await ask(server, 'POST', `${DEPLOYMENTS}?fieldManager=maker`, { body: deployment });
    const body = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'd' }, spec: { replicas: 5 } };
    const path = `${DEPLOYMENTS}/d/scale?fieldManager=applier`;
    const refused = await ask(server, 'PATCH', path, { body, headers: APPLY });
    expect(refused.body.details.causes).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "maker" using autoscaling/v1',
        field: '.spec.replicas',
      },
    ]);
    const forced = await ask(server, 'PATCH', `${path}&force=true`, { body, headers: APPLY });
    expect(forced.body.spec).toEqual({ replicas: 5 });
    expect(await owners(server, `${DEPLOYMENTS}/d`)).toContainEqual(['applier', 'Apply', 'scale', false]);
  });

  test('accepts a Scale only', async () => {
    await using server = await rig();
    await ask(server, 'POST', DEPLOYMENTS, { body: deployment });
    const put = (body: object) => ask(server, 'PUT', `${DEPLOYMENTS}/d/scale`, { body });
    expect((await put({ kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'd' } })).status).toBe(400);
    expect((await put({ metadata: { name: 'd', uid: 'other' }, spec: { replicas: 1 } })).status).toBe(409);
    expect((await put({ metadata: { name: 'd' }, spec: { replicas: 'x' } })).status).toBe(400);
  });
});

describe('delete', () => {
  test('a shortened grace period counts from the first delete and never ends in the past', async () => {
    const clock = new FakeClock();
    await using server = await rig({ env: fakeEnv({ clock }) });
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    await ask(server, 'POST', PODS, { body: { metadata: { name: 'p' }, spec } });
    const end = async (seconds: number) => {
      const { body } = await ask(server, 'DELETE', `${PODS}/p?gracePeriodSeconds=${seconds}`);
      return Date.parse(body.metadata.deletionTimestamp);
    };
    const first = await end(60);
    await clock.advance(10_000);
    expect(first - (await end(20))).toBe(40_000);
    expect(first - (await end(50))).toBe(40_000);
    expect(first - (await end(1))).toBe(50_000);
  });

  test('a namespace gets the finalizer of its policy, and finalize decides over its metadata too', async () => {
    await using server = await rig();
    await ask(server, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'n' } } });
    const { body } = await ask(server, 'DELETE', '/api/v1/namespaces/n?propagationPolicy=Foreground');
    expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
    const empty = { metadata: { name: 'n' }, spec: { finalizers: [] } };
    expect((await ask(server, 'PUT', '/api/v1/namespaces/n/finalize', { body: empty })).status).toBe(200);
    expect((await ask(server, 'GET', '/api/v1/namespaces/n')).status).toBe(404);
  });
});

describe('definitions', () => {
  const statusOf = async (server: ApiServer, name: string) => {
    const { status } = (await ask(server, 'GET', `${DEFINITIONS}/${name}.example.com`)).body;
    const { conditions, acceptedNames } = status;
    return [
      conditions.map((one: Record<string, string>) => `${one['type']} ${one['status']} ${one['reason']}`),
      acceptedNames,
    ];
  };

  test('get the names that are free, and others when they become free', async () => {
    await using server = await rig();
    await ask(server, 'POST', DEFINITIONS, { body: definition({ names: { shortNames: ['w'] } }) });
    await ask(server, 'POST', DEFINITIONS, {
      body: definition({ plural: 'gadgets', kind: 'Gadget', names: { shortNames: ['w', 'g'] } }),
    });
    expect(await statusOf(server, 'gadgets')).toEqual([
      ['NamesAccepted False ShortNamesConflict', 'Established False NotAccepted'],
      { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    ]);
    await ask(server, 'DELETE', `${DEFINITIONS}/widgets.example.com`);
    expect((await statusOf(server, 'gadgets'))[0]).toEqual([
      'NamesAccepted True NoConflicts',
      'Established True InitialNamesAccepted',
    ]);
  });

  test('once established stay established, without names that they cannot have', async () => {
    await using server = await rig();
    await ask(server, 'POST', DEFINITIONS, { body: definition({ names: { shortNames: ['w'] } }) });
    await ask(server, 'POST', DEFINITIONS, {
      body: definition({ plural: 'gadgets', kind: 'Gadget', names: { shortNames: ['g'] } }),
    });
    const body = { spec: { names: { shortNames: ['g', 'w'] } } };
    await ask(server, 'PATCH', `${DEFINITIONS}/gadgets.example.com`, { body, headers: MERGE });
    expect((await statusOf(server, 'gadgets'))[0]).toEqual([
      'NamesAccepted False ShortNamesConflict',
      'Established True InitialNamesAccepted',
    ]);
    const { resources } = (await ask(server, 'GET', '/apis/example.com/v1')).body;
    expect(resources.find(({ name }: { name: string }) => name === 'gadgets').shortNames).toEqual(['g']);
  });

  test('show each version with its own fields only, and defaults of the stored one', async () => {
    await using server = await rig();
    const mood = { type: 'string', default: 'fine' };
    await ask(server, 'POST', DEFINITIONS, { body: definition({ v1: { size: { type: 'integer' } }, v2: { mood } }) });
    await ask(server, 'POST', WIDGETS, { body: widget('a', { size: 1 }) });
    const v2 = WIDGETS.replace('v1', 'v2');
    expect((await ask(server, 'GET', `${v2}/a`)).body).toMatchObject({ apiVersion: 'example.com/v2', spec: {} });
    expect((await ask(server, 'GET', v2)).body.items[0].spec).toEqual({});
    const watch = await ask(server, 'GET', `${v2}?watch=1&timeoutSeconds=1`);
    expect(JSON.parse(watch.text).object.spec).toEqual({});

    const late = { size: { type: 'integer' }, late: { type: 'string', default: 'yes' } };
    const { spec } = definition({ v1: late, v2: { mood } });
    await ask(server, 'PATCH', `${DEFINITIONS}/widgets.example.com`, { body: { spec }, headers: MERGE });
    expect((await ask(server, 'GET', `${WIDGETS}/a`)).body.spec).toEqual({ size: 1, late: 'yes' });
    expect((await ask(server, 'GET', WIDGETS)).body.items[0].spec).toEqual({ size: 1, late: 'yes' });
  });

  test('check a status by the schema of the status alone', async () => {
    await using server = await rig();
    await ask(server, 'POST', DEFINITIONS, { body: definition({}) });
    await ask(server, 'POST', WIDGETS, { body: widget('a', {}) });
    const write = (body: object) => ask(server, 'PATCH', `${WIDGETS}/a/status`, { body, headers: MERGE });
    expect((await write({ status: { phase: 'Z' } })).body).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'status.phase', reason: 'FieldValueNotSupported' }] },
    });
    expect((await write({ status: { phase: 'A' }, spec: { replicas: 'wrong' } })).status).toBe(200);
  });

  test('with CEL rules: objects are refused, and nothing is warned about', async () => {
    await using server = await rig();
    const ruled = definition({ v1: { size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] } } });
    const created = await ask(server, 'POST', DEFINITIONS, { body: ruled });
    expect([created.status, created.headers['warning']]).toEqual([201, undefined]);
    const refused = await ask(server, 'POST', WIDGETS, { body: widget('a', { size: -1 }) });
    expect(refused.body).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.size', message: 'Invalid value: -1: failed rule: self > 0' }] },
    });
    expect((await ask(server, 'POST', WIDGETS, { body: widget('a', { size: 1 }) })).status).toBe(201);
  });

  test('with CEL rules that were loaded without HTTP: rules are in force', async () => {
    await using server = await rig();
    const ruled = definition({ v1: { size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] } } });
    server.load([ruled as never]);
    expect((await ask(server, 'POST', WIDGETS, { body: widget('a', { size: -1 }) })).status).toBe(422);
  });
});

describe('answers', () => {
  test('a dry run does not look at the resourceVersion of a new object', async () => {
    await using server = await rig();
    const body = { metadata: { name: 'a', resourceVersion: '5' } };
    expect((await ask(server, 'POST', CONFIG_MAPS, { body })).status).toBe(500);
    const dry = await ask(server, 'POST', `${CONFIG_MAPS}?dryRun=All`, { body });
    expect([dry.status, dry.body.metadata.resourceVersion]).toEqual([201, '5']);
  });

  test('rows of an empty Table are null for kinds without columns of their own', async () => {
    await using server = await rig();
    const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const rows = async (path: string) => (await ask(server, 'GET', path, { headers })).body.rows;
    expect(await rows('/api/v1/limitranges')).toBe(null);
    expect(await rows(CONFIG_MAPS)).toEqual([]);
  });

  test('an invalid Event has no group, whichever it was sent to', async () => {
    await using server = await rig();
    const path = '/apis/events.k8s.io/v1/namespaces/default/events';
    const { body } = await ask(server, 'POST', path, { body: { metadata: { name: 'x' } } });
    expect(body.message).toMatch(/^Event "x" is invalid/);
    expect(body.details.group).toBe(undefined);
  });

  test('an impersonation that is not allowed is a 403', async () => {
    await using server = await rig({ auth: 'rbac' });
    const token = server.users.add({ name: 'jane', groups: [] });
    const { status, headers } = await ask(server, 'GET', CONFIG_MAPS, {
      token,
      headers: { 'impersonate-user': 'joe' },
    });
    expect([status, headers['x-content-type-options']]).toEqual([403, 'nosniff']);
  });

  test('a watch that accepts only list kinds ends with its first event', async () => {
    await using server = await rig();
    await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'a' } } });
    const headers = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
    const { status, text: frames } = await ask(server, 'GET', `${CONFIG_MAPS}?watch=1&timeoutSeconds=30`, { headers });
    expect([status, frames]).toEqual([200, '']);
  });

  test('a streamed list may be several gzip members, each with whole frames; other watches are not compressed', async () => {
    await using server = await rig({ gzipWatches: true });
    const path = `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=1`;
    await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'a' } } });
    const watch = ask(server, 'GET', path, { headers: { 'accept-encoding': 'gzip' } });
    await server.waitFor({ watches: 1 });
    await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'b' } } });
    const { bytes, headers } = await watch;
    expect(headers['content-encoding']).toBe('gzip');
    // A flush before each last block: without it Go's reader returns a member only when the next one arrives.
    const members = bytes.toString('latin1').split('\x1f\x8b\x08').slice(1);
    expect(members.length).toBeGreaterThan(1);
    for (const member of members) expect(member.slice(0, -8).endsWith('\0\0\xff\xff\x01\0\0\xff\xff')).toBe(true);
    const frames = gunzipSync(bytes)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(frames.map(({ object }) => object.metadata.name)).toEqual(['a', undefined, 'b']);
    expect((await ask(server, 'GET', path)).headers['content-encoding']).toBe(undefined);
    const plain = `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&allowWatchBookmarks=1&resourceVersion=${server.store.revision}`;
    const answer = await ask(server, 'GET', plain, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers['content-encoding']).toBe(undefined);
  });
});
