import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverSideApply } from '../../../packages/apiserver/src/api/apply/server-side-apply.ts';
import { schemaFrom } from '../../../packages/apiserver/src/api/schema/schema-from.ts';
import type { ApiObject } from '../../../packages/apiserver/src/core/kube-object.ts';
import type { JsonObject } from '../../../packages/apiserver/src/core/json.ts';
import { apply, map, newest, refusal, timeless, unordered, write } from './compare.ts';
import { Random } from './random.ts';
import { APPLY, type Ask, connect } from './requests.ts';
import { type Subject, subjects, widgetDefinition } from './subjects.ts';
import { Walk } from './walk.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { CRDS } from '../harness/kinds.ts';
import { until } from '../harness/until.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: server-side apply on a real kube-apiserver: ${missing}\n`);

/** More walks find rarer differences: APPLY_WALKS=200 APPLY_SEED=7 npm run test:real -- apply */
const WALKS = Number(process.env['APPLY_WALKS'] ?? 8);
const SEED = Number(process.env['APPLY_SEED'] ?? 1);
const STEPS = 25;

const WIDGETS = '/apis/apply.example.com/v1/namespaces/default/widgets';

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

describe.skipIf(missing !== undefined)('server-side apply compared with a real kube-apiserver', () => {
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
    await until(`${path} is served`, async () => (await ask('GET', path)).code === 200);
  }

  test.each(Object.entries(subjects))(
    'random writes of three managers to %s have the same result',
    async (_, subject) => {
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
    },
  );

  test('a value of the wrong type is refused with the same message', async () => {
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
      const theirs = await apply(ask, path(name), applied, manager, force);
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
    await until('the new schema is in use', changed);
    await same('atomic', 'v1', 'm4', { list: ['z'] });
    await same('atomic', 'v1', 'm4', { list: ['z'] }, true);
    await same('atomic', 'v1', 'm1', { a: '2' }, true);
  });
});
