import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverSideApply } from '../../../packages/apiserver/src/api/apply/server-side-apply.ts';
import { managedFieldsAfterUpdate } from '../../../packages/apiserver/src/api/apply/managed-fields.ts';
import {
  objectOwnersFromScale,
  scaleOwnersFromObject,
} from '../../../packages/apiserver/src/api/apply/scale-owners.ts';
import { builtinSchema } from '../../../packages/apiserver/src/api/schema/builtin-schema.ts';
import type { ApiObject, ManagedFields } from '../../../packages/apiserver/src/core/kube-object.ts';
import { apply, map, newest, refusal, timeless, unordered, write } from './compare.ts';
import { Random } from './random.ts';
import { APPLY, type Ask, connect, MERGE } from './requests.ts';
import { type Subject, subjects } from './subjects.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: owners of fields on a real kube-apiserver: ${missing}\n`);

const SEED = Number(process.env['APPLY_SEED'] ?? 1);

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

describe.skipIf(missing !== undefined)('owners of fields compared with a real kube-apiserver', () => {
  let plane: ControlPlane;
  let ask: Ask;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    const { ca, token } = plane.credentials;
    ask = connect({ url: plane.url, ca, token });
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  test('of more than ten managers that update, the oldest are merged', async () => {
    await ask('POST', `${MAPS}?fieldManager=first`, map('many', { first: '1' }));
    let before: ApiObject | undefined;
    for (let index = 0; index < 14; index += 1) {
      before = (await ask('GET', `${MAPS}/many`)).body;
      const manager = `writer-${index % 12}`;
      const patch = { data: { [`k${index}`]: '1' } };
      const { body } = await ask('PATCH', `${MAPS}/many?fieldManager=${manager}`, patch, MERGE);
      const { managedFields, ...metadata } = body.metadata ?? {};
      const request = { ...write(subjects['configMaps'] as Subject, manager), now: newest(managedFields) };
      expect(managedFieldsAfterUpdate({ ...request, before, after: { ...body, metadata } })).toEqual(managedFields);
    }
    expect(before?.metadata?.managedFields?.map(({ manager }) => manager)).toContain('ancient-changes');
  });

  test('a new object may have managedFields', async () => {
    const mine: ManagedFields = {
      manager: 'elsewhere',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2020-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {}, 'f:gone': {} }, 'q:unknown': {} },
    };
    for (const [index, managedFields] of [[mine], [], [{}], [{ ...mine, operation: 'Other' }]].entries()) {
      const object = map(`brought-${index}`, { a: '1', b: '2' });
      const sent = { ...object, metadata: { ...object.metadata, managedFields } } as ApiObject;
      const { body } = await ask('POST', `${MAPS}?fieldManager=m1`, sent);
      const after = { ...body, metadata: { ...body.metadata, managedFields } } as ApiObject;
      const ours = managedFieldsAfterUpdate({
        ...write(subjects['configMaps'] as Subject, 'm1'),
        before: undefined,
        after,
      });
      expect(timeless(ours)).toEqual(timeless(body.metadata?.managedFields));
    }
  });

  test('kubectl takes over the fields of its client-side apply', async () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const applied = (data: Record<string, string>): ApiObject => map('moved', data);
    const withAnnotation = (data: Record<string, string>): ApiObject => ({
      ...applied({ ...data, other: '1' }),
      metadata: { name: 'moved', annotations: { [annotation]: JSON.stringify(applied(data)) } },
    });
    const made = await ask(
      'POST',
      `${MAPS}?fieldManager=kubectl-client-side-apply`,
      withAnnotation({ a: '1', b: '1' }),
    );
    let live: ApiObject = made.body;
    const changes: [Record<string, string>, string][] = [
      [{ a: '2', other: '2' }, 'kubectl'],
      [{ a: '2' }, 'somebody'],
      [{ a: '2', b: '<2>' }, 'kubectl'],
      [{ a: '3' }, 'kubectl'],
    ];
    for (const [data, manager] of changes) {
      const theirs = await apply(ask, MAPS, applied(data), manager);
      const request = {
        ...write(subjects['configMaps'] as Subject, manager),
        live,
        applied: applied(data),
        force: false,
      };
      if (theirs.code === 409) {
        expect(refusal(() => serverSideApply(request))).toEqual(unordered(theirs.body));
        continue;
      }
      const ours = serverSideApply(request);
      expect(ours['data']).toEqual(theirs.body['data']);
      expect(ours.metadata?.annotations).toEqual(theirs.body.metadata?.annotations);
      expect(timeless(ours.metadata?.managedFields)).toEqual(timeless(theirs.body.metadata?.managedFields));
      live = theirs.body;
    }
  });

  test('owners of replicas are those of the Scale, and back', async () => {
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'scaled' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    };
    const random = new Random(SEED);
    await ask('POST', `${DEPLOYMENTS}?fieldManager=m1`, deployment);
    for (let index = 0; index < 40; index += 1) {
      const manager = random.pick(['m1', 'm2', 'm3']);
      const replicas = random.pick([1, 2]);
      const live = (await ask('GET', `${DEPLOYMENTS}/scaled`)).body;
      if (random.chance(0.3)) {
        await apply(ask, DEPLOYMENTS, { ...deployment, spec: { ...deployment.spec, replicas } }, manager, true);
        continue;
      }
      const before = (await ask('GET', `${DEPLOYMENTS}/scaled/scale`)).body;
      const scaled = {
        managedFields: live.metadata?.managedFields,
        apiVersion: 'apps/v1',
        replicasPath: (version: string) => (version === 'apps/v1' ? ['spec', 'replicas'] : undefined),
      };
      const scale = { ...before, metadata: { ...before.metadata, managedFields: scaleOwnersFromObject(scaled) } };
      const request = {
        manager,
        apiVersion: 'autoscaling/v1',
        schema: builtinSchema('autoscaling', 'v1', 'Scale'),
        subresource: 'scale',
        now: '2026-01-01T00:00:00Z',
      };
      let ours: readonly ManagedFields[] | undefined;
      if (random.chance(0.5)) {
        const applied = {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'scaled' },
          spec: { replicas },
        };
        const force = random.chance(0.5);
        const theirs = await ask(
          'PATCH',
          `${DEPLOYMENTS}/scaled/scale?fieldManager=${manager}&force=${force}`,
          applied,
          APPLY,
        );
        const once = { ...request, live: scale, applied, force };
        if (theirs.code === 409) {
          expect(refusal(() => serverSideApply(once))).toMatchObject({ message: theirs.body.message });
          continue;
        }
        ours = serverSideApply(once).metadata?.managedFields;
      } else {
        await ask('PATCH', `${DEPLOYMENTS}/scaled/scale?fieldManager=${manager}`, { spec: { replicas } }, MERGE);
        const after = { ...before, spec: { ...(before['spec'] as object), replicas } };
        ours = managedFieldsAfterUpdate({ ...request, before: scale, after });
      }
      const { managedFields } = (await ask('GET', `${DEPLOYMENTS}/scaled`)).body.metadata ?? {};
      expect(timeless(objectOwnersFromScale(scaled, ours)), `step ${index}`).toEqual(timeless(managedFields));
    }
  });
});
