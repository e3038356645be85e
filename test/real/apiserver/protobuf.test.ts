import { Agent, get } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtinResources } from '../../../packages/apiserver/src/api/kinds/builtin-resources.ts';
import { encodeProtobuf } from '../../../packages/apiserver/src/api/protobuf/encode-protobuf.ts';
import type { ApiObject } from '../../../packages/apiserver/src/core/kube-object.ts';
import { manifests } from '../../../packages/apiserver/test/rig/kinds/manifests.ts';
import { bytesFrom } from '../../../tools/generate/schema-server.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: protobuf of a real kube-apiserver: ${missing}\n`);

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const AS_METADATA = 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

describe.skipIf(missing !== undefined)('protobuf compared with a real kube-apiserver', () => {
  let plane: ControlPlane;
  const agent = new Agent({ keepAlive: true });
  const resources = builtinResources();
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(async () => {
    agent.destroy();
    await plane?.[Symbol.asyncDispose]();
  });

  const json = async (path: string, accept = 'application/json'): Promise<ApiObject & { items?: ApiObject[] }> =>
    JSON.parse((await bytesFrom(plane, path, accept)).toString());

  /** Fails with the first bytes that differ. */
  function expectBytes(ours: Buffer, theirs: Buffer, what: string): void {
    if (ours.equals(theirs)) return;
    const at = ours.findIndex((byte, index) => byte !== theirs[index]);
    const shown = (bytes: Buffer): string => bytes.subarray(Math.max(0, at - 40), at + 60).toString('latin1');
    expect(shown(ours), `${what}, at byte ${at}`).toBe(shown(theirs));
  }

  test('the encoder writes every kind byte for byte like the server: objects, lists, metadata', async () => {
    const skipped: string[] = [];
    for (const object of manifests) {
      const [version = '', group = ''] = (object.apiVersion ?? '').split('/').toReversed();
      const resource = resources.find(
        (one) => one.group === group && one.version === version && one.kind === object.kind,
      );
      if (resource === undefined) continue;
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const path = `${root}${resource.namespaced ? '/namespaces/default' : ''}/${resource.resource}`;
      const { status } = await plane.ask('POST', path, object, 0, plane.credentials.token, agent);
      if (status !== 201) skipped.push(`${object.kind} ${object.metadata?.name}: ${status}`);
    }
    // Manifests that only a full cluster accepts.
    expect(skipped.length, skipped.join('\n')).toBeLessThan(manifests.length / 4);

    const kinds = new Set<string>();
    let objects = 0;
    for (const { group, version, resource, namespaced, verbs } of resources) {
      // Component statuses are asked for anew by every request, and come in any order.
      if (!verbs.includes('list') || !verbs.includes('get') || resource === 'componentstatuses') continue;
      const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const path = `${base}/${resource}`;
      const list = await json(path);
      expectBytes(encodeProtobuf(list), await bytesFrom(plane, path, PROTOBUF), path);
      const partial = await json(path, `application/json;${AS_METADATA}`);
      expectBytes(encodeProtobuf(partial), await bytesFrom(plane, path, `${PROTOBUF};${AS_METADATA}`), path);
      for (const { metadata = {} } of list.items ?? []) {
        const one = `${base}${namespaced ? `/namespaces/${metadata.namespace}` : ''}/${resource}/${metadata.name}`;
        expectBytes(encodeProtobuf(await json(one)), await bytesFrom(plane, one, PROTOBUF), one);
        kinds.add(`${group}/${resource}`);
        objects += 1;
      }
    }
    expect(objects).toBeGreaterThan(200);
    expect(kinds.size).toBeGreaterThan(40);
    console.log(`protobuf: ${objects} objects of ${kinds.size} kinds are the same bytes`);
  }, 600_000);

  test('the encoder writes failures byte for byte like the server', async () => {
    const { token, ca } = plane.credentials;
    const bytes = (path: string, accept: string): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, accept };
        get(`${plane.url}${path}`, { ca, agent, headers }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => resolve(Buffer.concat(chunks)));
        }).on('error', reject);
      });
    for (const path of [
      '/api/v1/namespaces/nope',
      '/api/v1/nosuch',
      '/api/v1/namespaces/default/pods?limit=x',
      '/api/v1/namespaces/default/pods?labelSelector=%21%21',
      '/api/v1/namespaces/default/pods?watch=true&resourceVersion=abc',
    ]) {
      const status = JSON.parse((await bytes(path, 'application/json')).toString()) as ApiObject;
      expect(status.kind, path).toBe('Status');
      expectBytes(encodeProtobuf(status), await bytes(path, PROTOBUF), path);
    }
  });

  test('the encoder writes discovery byte for byte like the server', async () => {
    for (const path of ['/api', '/apis', '/api/v1', '/apis/apps', '/apis/apps/v1', '/apis/batch/v1'])
      expectBytes(encodeProtobuf(await json(path)), await bytesFrom(plane, path, PROTOBUF), path);
  });
});
