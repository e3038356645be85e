import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Status, StatusError } from '../../packages/apiserver/src/errors/status.ts';
import { serverSideApply } from '../../packages/apiserver/src/patch/apply.ts';
import { trackUpdate } from '../../packages/apiserver/src/patch/managed-fields.ts';
import { scaledManagedFields, scaleManagedFields } from '../../packages/apiserver/src/patch/scale-owners.ts';
import { builtinSchema } from '../../packages/apiserver/src/schema/builtin.ts';
import { schemaFrom } from '../../packages/apiserver/src/schema/open-api.ts';
import type { ApiObject, JsonObject, ManagedFields } from '../../packages/apiserver/src/types.ts';
import { Random } from './apply/random.ts';
import { APPLY, type Ask, connect, MERGE } from './apply/requests.ts';
import { type Subject, subjects, widgetDefinition } from './apply/subjects.ts';
import { Walk } from './apply/walk.ts';
import { whatIsMissing } from './harness/binaries.ts';
import { ControlPlane } from './harness/control-plane.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: server-side apply on a real kube-apiserver: ${missing}\n`);

/** More of them find rarer things: APPLY_WALKS=200 APPLY_SEED=7 npm run test:real -- apply */
const WALKS = Number(process.env['APPLY_WALKS'] ?? 8);
const SEED = Number(process.env['APPLY_SEED'] ?? 1);
const STEPS = 25;

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const WIDGETS = '/apis/apply.example.com/v1/namespaces/default/widgets';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

/** The other side's clock, as its answer tells it. */
const newest = (entries: readonly ManagedFields[] | undefined): string =>
  (entries ?? [])
    .map(({ time }) => time ?? '')
    .toSorted()
    .at(-1) ?? '';

const timeless = (entries: readonly ManagedFields[] | undefined): unknown =>
  (entries ?? []).map((entry) => ({ ...entry, time: undefined }));

/** Causes come in the order of a Go map: any. */
function unordered(status: object): unknown {
  const { details, ...rest } = status as Partial<Status>;
  return {
    ...rest,
    details: { ...details, causes: undefined },
    causes: details?.causes?.map((cause) => JSON.stringify(cause)).toSorted(),
  };
}

describe.skipIf(missing !== undefined)('server-side apply, next to a real kube-apiserver', () => {
  let plane: ControlPlane;
  let ask: Ask;

  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    const { ca, token } = plane.credentials;
    ask = connect({ url: plane.url, ca, token });
    await define(widgetDefinition, WIDGETS);
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  /** Writes a CustomResourceDefinition and waits until its resources are served with it. */
  async function define(definition: object, path: string): Promise<void> {
    await ask('POST', CRDS, definition);
    const deadline = Date.now() + 30_000;
    for (;;) {
      const { code } = await ask('GET', path).catch(() => ({ code: 0 }));
      if (code === 200) return;
      if (Date.now() > deadline) throw new Error(`${path} is not served`);
      await sleep(50);
    }
  }

  const apply = (path: string, object: ApiObject, manager: string, force = false) =>
    ask('PATCH', `${path}/${object.metadata?.name}?fieldManager=${manager}&force=${force}`, object, APPLY);

  const write = (subject: Subject, manager: string) => ({
    manager,
    apiVersion: subject.path
      .split('/')
      .slice(1, -3)
      .join('/')
      .replace(/^apis?\//, ''),
    schema: subject.resource.schema,
    resource: subject.resource,
    now: '2026-01-01T00:00:00Z',
  });

  function refusal(action: () => unknown, said = ''): unknown {
    try {
      action();
    } catch (error) {
      if (error instanceof StatusError) return unordered(error.status);
      throw error;
    }
    throw new Error(`expected a refusal: ${said}`);
  }

  test.each(Object.entries(subjects))('random writes of three managers to %s end the same', async (_, subject) => {
    for (let index = 0; index < WALKS; index += 1) {
      const seed = SEED * 1_000 + index;
      const walk = new Walk(ask, subject, new Random(seed), `walk-${seed}`);
      for (let count = 0; count < STEPS; count += 1) {
        const step = await walk.step();
        if (step === undefined) continue;
        const where = `seed ${seed}, step ${count}: ${JSON.stringify(step.asked)}`;
        expect(json(step.ours), where).toEqual(json(step.theirs));
      }
      await walk.end();
    }
  });

  const map = (name: string, data: Record<string, unknown>, more: object = {}): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
    ...more,
  });

  test('what does not fit its type is refused in the same words', async () => {
    const container = (more: object): object => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'odd' },
      spec: { template: { spec: { containers: [more] } } },
    });
    const widget = (spec: unknown): object => ({
      apiVersion: 'apply.example.com/v1',
      kind: 'Widget',
      metadata: { name: 'odd', namespace: 'default' },
      spec,
    });
    const cases: [Subject, object][] = [
      ...[
        map('odd', {}, { foo: 1 }),
        map('odd', {}, { data: 'x' }),
        map('odd', {}, { data: ['x', 1, null, { b: 1, a: true }] }),
        map('odd', { k: 1 }),
        map('odd', { k: 1.5 }),
        map('odd', { k: true }),
        map('odd', {}, { immutable: 'x' }),
        map('odd', {}, { metadata: { name: 'odd', labels: ['x'] } }),
        map('odd', {}, { metadata: { name: 'odd', finalizers: ['a', 'a'] } }),
        map('odd', {}, { metadata: { name: 'odd', finalizers: [{}] } }),
        map('odd', {}, { metadata: { name: 'odd', finalizers: [['a']] } }),
        map('odd', {}, { metadata: { name: 'odd', finalizers: [null] } }),
        map('odd', {}, { metadata: { name: 'odd', ownerReferences: [{ name: 'x' }] } }),
        map('odd', {}, { metadata: { name: 'odd', ownerReferences: ['x'] } }),
        map('odd', {}, { metadata: { name: 'odd', ownerReferences: [null] } }),
        map('odd', {}, { metadata: { name: 'odd', managedFields: [] } }),
        map('odd', {}, { kind: 'Secret' }),
        map('odd', {}, { kind: undefined }),
        map('odd', {}, { apiVersion: undefined }),
        map('odd', {}, { apiVersion: 'a/b/c' }),
        map('odd', {}, { apiVersion: 'v2' }),
      ].map((object): [Subject, object] => [subjects['configMaps'] as Subject, object]),
      ...[
        container({ name: 'c', image: 1 }),
        container({ name: 'c', tty: 1 }),
        container({ name: 'c', args: 'x' }),
        container({ name: 'c', args: [1] }),
        container({ name: 'c', ports: [{ containerPort: 'x' }] }),
        container({ name: 'c', ports: [{ containerPort: 1 }, { containerPort: 1, protocol: 'TCP' }] }),
        container({ name: 'c', env: [{ name: 'a' }, { name: 'a' }] }),
        container({ name: 'c', unknown: {} }),
        container({ name: 'c', resources: { limits: { cpu: {} } } }),
      ].map((object): [Subject, object] => [subjects['deployments'] as Subject, object]),
      ...[
        widget({ words: ['a', 'a'] }),
        widget({ items: [{ value: 'x' }] }),
        widget({ pairs: [{ port: 1 }, { port: 1, zone: 'home' }] }),
        widget({ unit: { a: 'x' } }),
        widget({ unknown: 1 }),
        widget('x'),
        widget({ either: {} }),
        widget({
          items: [
            { name: 'a', value: 1 },
            { name: 'b', tags: ['x', 'x'] },
          ],
        }),
      ].map((object): [Subject, object] => [subjects['widgets'] as Subject, object]),
    ];
    for (const [subject, object] of cases) {
      const applied = json(object) as ApiObject;
      const theirs = await ask('PATCH', `${subject.path}/odd?fieldManager=m1`, applied, APPLY);
      const request = { ...write(subject, 'm1'), live: undefined, applied, force: false };
      const said = JSON.stringify(applied);
      if (theirs.code === 422) continue;
      expect(
        refusal(() => serverSideApply(request), `${said}: ${theirs.body.message}`),
        said,
      ).toEqual(unordered(theirs.body));
    }
  });

  test('the oldest of more than ten updaters are put together', async () => {
    await ask('POST', `${MAPS}?fieldManager=first`, map('many', { first: '1' }));
    let before: ApiObject | undefined;
    for (let index = 0; index < 14; index += 1) {
      before = (await ask('GET', `${MAPS}/many`)).body;
      const manager = `writer-${index % 12}`;
      const patch = { data: { [`k${index}`]: '1' } };
      const { body } = await ask('PATCH', `${MAPS}/many?fieldManager=${manager}`, patch, MERGE);
      const { managedFields, ...metadata } = body.metadata ?? {};
      const request = { ...write(subjects['configMaps'] as Subject, manager), now: newest(managedFields) };
      expect(trackUpdate({ ...request, before, after: { ...body, metadata } })).toEqual(managedFields);
    }
    expect(before?.metadata?.managedFields?.map(({ manager }) => manager)).toContain('ancient-changes');
  });

  test('a new object may bring its own managedFields', async () => {
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
      const ours = trackUpdate({ ...write(subjects['configMaps'] as Subject, 'm1'), before: undefined, after });
      expect(timeless(ours)).toEqual(timeless(body.metadata?.managedFields));
    }
  });

  test('kubectl takes over what it applied on its own side', async () => {
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
      const theirs = await apply(MAPS, applied(data), manager);
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

  test('owners go through scale and back', async () => {
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
        await apply(DEPLOYMENTS, { ...deployment, spec: { ...deployment.spec, replicas } }, manager, true);
        continue;
      }
      const before = (await ask('GET', `${DEPLOYMENTS}/scaled/scale`)).body;
      const scaled = {
        managedFields: live.metadata?.managedFields,
        apiVersion: 'apps/v1',
        replicasPath: (version: string) => (version === 'apps/v1' ? ['spec', 'replicas'] : undefined),
      };
      const scale = { ...before, metadata: { ...before.metadata, managedFields: scaleManagedFields(scaled) } };
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
        ours = trackUpdate({ ...request, before: scale, after });
      }
      const { managedFields } = (await ask('GET', `${DEPLOYMENTS}/scaled`)).body.metadata ?? {};
      expect(timeless(scaledManagedFields(scaled, ours)), `step ${index}`).toEqual(timeless(managedFields));
    }
  });

  test('versions of a kind with other types, and a type that changes', async () => {
    const list = (type: 'set' | 'atomic'): object => ({
      type: 'array',
      'x-kubernetes-list-type': type,
      items: { type: 'string' },
    });
    const version = (name: string, storage: boolean, type: 'set' | 'atomic') => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { list: list(type), a: { type: 'string' } } } },
        },
      },
    });
    const definition = (first: 'set' | 'atomic') => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.apply.example.com' },
      spec: {
        group: 'apply.example.com',
        scope: 'Namespaced',
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
        versions: [version('v1', true, first), version('v2', false, 'atomic')],
      },
    });
    const path = (name: string): string => `/apis/apply.example.com/${name}/namespaces/default/gadgets`;
    await define(definition('set'), path('v2'));
    const schemas = (first: 'set' | 'atomic') => (apiVersion: string) => {
      const found = definition(first).spec.versions.find(({ name }) => apiVersion === `apply.example.com/${name}`);
      if (found === undefined) return undefined;
      const raw = found.schema.openAPIV3Schema as unknown as JsonObject;
      return { schema: schemaFrom(raw), convert: (object: ApiObject) => ({ ...object, apiVersion }) };
    };
    const gadgets = {
      ...(subjects['widgets'] as Subject).resource,
      resource: 'gadgets',
      kind: 'Gadget',
      subresources: [],
    };

    async function same(
      first: 'set' | 'atomic',
      name: string,
      manager: string,
      spec: object,
      force = false,
    ): Promise<void> {
      const live = await ask('GET', `${path(name)}/g`);
      const apiVersion = `apply.example.com/${name}`;
      const applied = { apiVersion, kind: 'Gadget', metadata: { name: 'g', namespace: 'default' }, spec };
      const theirs = await apply(path(name), applied, manager, force);
      const versions = schemas(first);
      const request = {
        manager,
        apiVersion,
        schema: versions(apiVersion)?.schema,
        versions,
        resource: gadgets,
        now: newest(theirs.body.metadata?.managedFields),
        live: live.code === 200 ? live.body : undefined,
        applied,
        force,
      };
      if (theirs.code === 409) {
        expect(refusal(() => serverSideApply(request))).toEqual(unordered(theirs.body));
        return;
      }
      const ours = serverSideApply(request);
      expect(ours['spec']).toEqual(theirs.body['spec']);
      expect(timeless(ours.metadata?.managedFields)).toEqual(timeless(theirs.body.metadata?.managedFields));
    }

    await same('set', 'v1', 'm1', { list: ['a', 'b'], a: '1' });
    await same('set', 'v2', 'm2', { list: ['a', 'b', 'c'] });
    await same('set', 'v2', 'm2', { list: ['a', 'b', 'c'] }, true);
    await same('set', 'v1', 'm3', { list: ['d'], a: '2' });
    await same('set', 'v1', 'm3', { list: ['d'], a: '2' }, true);
    await same('set', 'v2', 'm3', { a: '2' });
    await same('set', 'v2', 'm1', { a: '2' });
    await same('set', 'v1', 'm1', { list: ['b'], a: '2' }, true);

    const { body } = await ask('GET', `${CRDS}/gadgets.apply.example.com`);
    const { spec } = definition('atomic');
    expect((await ask('PUT', `${CRDS}/gadgets.apply.example.com`, { ...body, spec })).code).toBe(200);
    const changed = async (): Promise<boolean> => {
      const probe = {
        apiVersion: 'apply.example.com/v1',
        kind: 'Gadget',
        metadata: { name: 'probe' },
        spec: { list: ['x'] },
      };
      const answer = await ask('PATCH', `${path('v1')}/probe?fieldManager=p&dryRun=All`, probe, APPLY);
      return !JSON.stringify(answer.body.metadata?.managedFields ?? 'v:').includes('v:');
    };
    const deadline = Date.now() + 30_000;
    while (!(await changed())) {
      if (Date.now() > deadline) throw new Error('the new schema is not in use');
      await sleep(50);
    }
    await same('atomic', 'v1', 'm4', { list: ['z'] });
    await same('atomic', 'v1', 'm4', { list: ['z'] }, true);
    await same('atomic', 'v1', 'm1', { a: '2' }, true);
  });
});
