import { type ApiServer, startApiServer } from '@kube-informer/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiObject } from '../../../packages/apiserver/src/core/kube-object.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: objects of a new kube-apiserver: ${missing}\n`);

const RESOURCES: readonly (readonly [group: string, resource: string])[] = [
  ['rbac.authorization.k8s.io', 'clusterroles'],
  ['rbac.authorization.k8s.io', 'clusterrolebindings'],
  ['rbac.authorization.k8s.io', 'roles'],
  ['rbac.authorization.k8s.io', 'rolebindings'],
  ['apiregistration.k8s.io', 'apiservices'],
  ['flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations'],
  ['flowcontrol.apiserver.k8s.io', 'flowschemas'],
  ['scheduling.k8s.io', 'priorityclasses'],
];

/** Objects by place, without what differs from server to server. */
function comparable(items: readonly ApiObject[]): Record<string, unknown> {
  const entries = items.map(({ apiVersion: _version, kind: _kind, ...object }) => {
    const {
      uid: _uid,
      resourceVersion: _rv,
      creationTimestamp: _time,
      managedFields: _owners,
      ...metadata
    } = object.metadata ?? {};
    // The real server leaves aggregated rules to a controller, which is not running.
    const rules = object['aggregationRule'] === undefined ? {} : { rules: 'aggregated' };
    return [`${metadata.namespace ?? ''}/${metadata.name}`, timeless({ ...object, ...rules, metadata })] as const;
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const timeless = (object: unknown): unknown =>
  JSON.parse(JSON.stringify(object), (key, value: unknown) => (key === 'lastTransitionTime' ? 'then' : value));

describe.skipIf(missing !== undefined)('the objects of a new kube-apiserver', () => {
  let plane: ControlPlane;
  let server: ApiServer;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    server = await startApiServer();
  }, 1_800_000);
  afterAll(async () => {
    await plane?.[Symbol.asyncDispose]();
    await server?.close();
  });

  test.each(RESOURCES)('%s: %s are those of the embedded server', async (group, resource) => {
    const { text } = await plane.ask('GET', `/apis/${group}/v1/${resource}`);
    const real = comparable((JSON.parse(text) as { items: ApiObject[] }).items);
    expect(Object.keys(real)).not.toHaveLength(0);
    expect(comparable(server.local.list(group, resource))).toEqual(real);
  });
});
