import { builtinResources } from '../../../packages/apiserver/src/api/kinds/builtin-resources.ts';
import { schemaFrom } from '../../../packages/apiserver/src/api/schema/schema-from.ts';
import type { JsonObject } from '../../../packages/apiserver/src/core/json.ts';
import type { Resource } from '../../../packages/apiserver/src/api/schema/resource.ts';
import type { Random } from './random.ts';

/** A kind to test: makes random objects that a server may accept. */
export interface Subject {
  readonly resource: Resource;
  readonly path: string;
  /** Parts of an object besides apiVersion and kind; `isWhole` where it must be valid alone. */
  config(random: Random, isWhole: boolean): Record<string, unknown>;
  status?(random: Random): Record<string, unknown>;
}

const builtin = (wanted: string): Resource => {
  const found = builtinResources().find(({ group, resource }) => `${group}/${resource}` === wanted);
  if (found === undefined) throw new Error(`no ${wanted}`);
  return found;
};

const TEXTS = ['1', '2', '3'];
/** Has a text that Go escapes when it writes JSON. */
const ANY_TEXTS = [...TEXTS, '<&>'];

const texts = (random: Random, names: readonly string[], choices = TEXTS): Record<string, string> =>
  Object.fromEntries(random.some(names).map((name) => [name, random.pick(choices)]));

const owner = (uid: string, random: Random): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: `owner-${uid}`,
  uid,
  ...random.fields({ blockOwnerDeletion: () => random.chance(0.5) }),
});

export function metadata(random: Random): Record<string, unknown> {
  return random.fields({
    labels: () => texts(random, ['a', 'b', 'c']),
    annotations: () => texts(random, ['x.example.com/a', 'x.example.com/b']),
    finalizers: () => random.some(['x.example.com/one', 'x.example.com/two', 'x.example.com/three']),
    ownerReferences: () => random.some(['u1', 'u2']).map((uid) => owner(uid, random)),
  });
}

const configMaps: Subject = {
  resource: builtin('/configmaps'),
  path: '/api/v1/namespaces/default/configmaps',
  config: (random) =>
    random.fields(
      {
        data: () =>
          random.chance(0.1) ? random.pick([{}, null]) : texts(random, ['k1', 'k2', 'k3', 'k.4', 'k5'], ANY_TEXTS),
        binaryData: () => ({ b1: random.pick(['AA==', 'AQ==']) }),
      },
      0.8,
    ),
};

const services: Subject = {
  resource: builtin('/services'),
  path: '/api/v1/namespaces/default/services',
  config(random, isWhole) {
    const ports = [
      () => ({
        name: 'web',
        port: 80,
        ...random.fields({ protocol: () => 'TCP', targetPort: () => random.pick([80, 'web']) }),
      }),
      () => ({
        name: 'dns',
        port: 80,
        protocol: 'UDP',
        ...random.fields({ targetPort: () => random.pick([53, 'dns']) }),
      }),
      () => ({ name: random.pick(['tls', 'https']), port: 443 }),
    ];
    const chosen = random.some(ports);
    if (isWhole && chosen.length === 0) chosen.push(random.pick(ports));
    return {
      spec: {
        ...random.fields({
          selector: () => texts(random, ['a', 'b']),
          sessionAffinity: () => random.pick(['None', 'ClientIP']),
          publishNotReadyAddresses: () => random.chance(0.5),
        }),
        ...(chosen.length > 0 ? { ports: chosen.map((make) => make()) } : {}),
      },
    };
  },
  status: (random) => ({
    ...random.fields({ loadBalancer: () => ({}) }),
    conditions: conditions(random),
  }),
};

const conditions = (random: Random): object[] =>
  random.some(['Ready', 'Available', 'Odd']).map((type) => ({
    type,
    status: random.pick(['True', 'False']),
    reason: random.pick(['Some', 'Other']),
    message: 'm',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));

const container = (random: Random, name: string): object => ({
  name,
  image: random.pick(['one', 'two']),
  ...random.fields(
    {
      args: () => random.some(['-a', '-b']),
      env: () => random.some(['E1', 'E2', 'E3']).map((env) => ({ name: env, value: random.pick(TEXTS) })),
      ports: () =>
        random
          .some([
            { containerPort: 80 },
            { containerPort: 80, protocol: 'UDP' },
            { containerPort: 443, protocol: 'TCP' },
          ])
          .map((port) => ({ ...port, ...random.fields({ hostIP: () => '127.0.0.1' }) })),
      resources: () =>
        random.chance(0.4) ? {} : { limits: random.fields({ cpu: () => random.pick(['1', '500m', 2]) }, 0.8) },
      volumeMounts: () => random.some(['/a', '/b']).map((mountPath) => ({ name: 'scratch', mountPath })),
    },
    0.35,
  ),
});

const deployments: Subject = {
  resource: builtin('apps/deployments'),
  path: '/apis/apps/v1/namespaces/default/deployments',
  config(random, isWhole) {
    const names = random.some(['c1', 'c2', 'c3']);
    if (isWhole && names.length === 0) names.push('c1');
    const template = {
      metadata: { labels: { app: 'x', ...texts(random, ['t1', 't2']) } },
      spec: {
        ...random.fields({
          nodeSelector: () => texts(random, ['n1', 'n2']),
          tolerations: () => random.some(['k1', 'k2']).map((key) => ({ key, operator: 'Exists' })),
          terminationGracePeriodSeconds: () => random.pick([1, 2]),
          securityContext: () => random.fields({ runAsUser: () => random.pick([1, 2]) }),
        }),
        volumes: [{ name: 'scratch', emptyDir: {} }],
        ...(names.length > 0 ? { containers: names.map((name) => container(random, name)) } : {}),
      },
    };
    return {
      spec: {
        ...random.fields({
          replicas: () => random.pick([0, 1, 2]),
          paused: () => random.chance(0.5),
          minReadySeconds: () => random.pick([0, 5]),
          strategy: () =>
            random.pick([
              {},
              { type: 'RollingUpdate' },
              { type: 'RollingUpdate', rollingUpdate: { maxSurge: random.pick([1, '30%']) } },
            ]),
        }),
        ...(isWhole || random.chance(0.5) ? { selector: { matchLabels: { app: 'x' } } } : {}),
        ...(isWhole || random.chance(0.7) ? { template } : {}),
      },
    };
  },
  status: (random) => ({
    ...random.fields({ observedGeneration: () => random.pick([1, 2]), replicas: () => random.pick([0, 1]) }),
    conditions: conditions(random).map(({ ...condition }) => condition),
  }),
};

const text = { type: 'string' };
const number = { type: 'integer' };
const free = { 'x-kubernetes-preserve-unknown-fields': true };

export const widgetSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: number,
        flag: { type: 'boolean' },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: text,
              value: text,
              tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
            },
          },
        },
        pairs: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['zone', 'port'],
          items: {
            type: 'object',
            required: ['port'],
            properties: { zone: { ...text, default: 'home' }, port: number, note: text },
          },
        },
        words: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        numbers: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'number' } },
        whole: {
          type: 'array',
          'x-kubernetes-list-type': 'atomic',
          items: { type: 'object', properties: { a: number } },
        },
        plain: { type: 'array', items: text },
        unit: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: number, b: number } },
        labels: { type: 'object', additionalProperties: text },
        maps: { type: 'object', additionalProperties: { type: 'object', properties: { a: number, b: number } } },
        deep: { type: 'object', properties: { inner: { type: 'object', properties: { a: number, b: number } } } },
        either: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', ...free, properties: { known: { type: 'object', properties: { a: number } } } },
        object: { type: 'object', 'x-kubernetes-embedded-resource': true, ...free },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: text,
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: {
            type: 'object',
            required: ['type'],
            properties: { type: text, status: text, reason: text, message: text, lastTransitionTime: text },
          },
        },
      },
    },
  },
};

const widgetResource: Resource = {
  group: 'apply.example.com',
  version: 'v1',
  resource: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  listKind: 'WidgetList',
  namespaced: true,
  verbs: [],
  shortNames: [],
  categories: [],
  subresources: [{ name: 'status', group: 'apply.example.com', version: 'v1', kind: 'Widget', verbs: [] }],
  custom: true,
  schema: schemaFrom(widgetSchema as unknown as JsonObject),
};

export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.apply.example.com' },
  spec: {
    group: 'apply.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: widgetSchema },
      },
    ],
  },
};

const widgets: Subject = {
  resource: widgetResource,
  path: '/apis/apply.example.com/v1/namespaces/default/widgets',
  config: (random) => ({
    spec: random.fields({
      size: () => random.pick([1, 2]),
      flag: () => random.chance(0.5),
      items: () =>
        random.some(['i1', 'i2', 'i3', 'i4']).map((name) => ({
          name,
          ...random.fields({ value: () => random.pick(TEXTS), tags: () => random.some(['t1', 't2', 't3']) }),
        })),
      pairs: () =>
        random
          .some([{ port: 1 }, { port: 1, zone: 'away' }, { port: 2, zone: 'home' }])
          .map((pair) => ({ ...pair, ...random.fields({ note: () => random.pick(TEXTS) }) })),
      words: () => random.some(['w1', 'w2', 'w3', '<w4>']),
      numbers: () => random.some([1, 2, 10, 0.5]),
      whole: () => random.some([{ a: 1 }, { a: 2 }]),
      plain: () => random.some(['p1', 'p2']),
      unit: () => random.fields({ a: () => random.pick([1, 2]), b: () => random.pick([1, 2]) }),
      labels: () => texts(random, ['l1', 'l2', 'l3']),
      maps: () =>
        Object.fromEntries(
          random.some(['m1', 'm2']).map((name) => [name, random.fields({ a: () => random.pick([1, 2]), b: () => 1 })]),
        ),
      deep: () => (random.chance(0.2) ? {} : { inner: random.fields({ a: () => random.pick([1, 2]), b: () => 1 }) }),
      either: () => random.pick([1, '1', 2]),
      free: () =>
        random.fields({
          known: () => random.fields({ a: () => random.pick([1, 2]) }),
          unknown: () => random.fields({ x: () => random.pick([1, 2]), list: () => random.some([1, 2]) }),
        }),
      object: () => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'inner', ...random.fields({ finalizers: () => random.some(['f1', 'f2']) }) },
        ...random.fields({ data: () => texts(random, ['d1', 'd2']) }),
      }),
    }),
  }),
  status: (random) =>
    random.fields({ phase: () => random.pick(['up', 'down']), conditions: () => conditions(random) }, 0.7),
};

export const subjects: Readonly<Record<string, Subject>> = { configMaps, services, deployments, widgets };
