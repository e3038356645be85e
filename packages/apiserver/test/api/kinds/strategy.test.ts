import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuantity, compareQuantities } from '../../../src/api/kinds/common/quantity.ts';
import { acceptDefinitionNames } from '../../../src/api/kinds/definition/definition-names.ts';
import { serviceAddresses } from '../../../src/api/kinds/network/service-addresses.ts';
import { podDeletionSeconds } from '../../../src/api/kinds/pod/pod-deletion.ts';
import { sharedStorage } from '../../../src/api/kinds/shared-storage.ts';
import { strategyFor } from '../../../src/api/kinds/strategy.ts';
import type { Resource } from '../../../src/api/schema/resource.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { pipeline, resourceOf } from '../../rig/kinds/pipeline.ts';

function rig() {
  const widgets = (hasStatus: boolean): Resource => ({
    group: 'example.com',
    version: 'v1',
    resource: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
    namespaced: true,
    verbs: [],
    shortNames: [],
    categories: [],
    subresources: hasStatus ? [{ name: 'status', group: 'example.com', version: 'v1', kind: 'Widget', verbs: [] }] : [],
    custom: true,
    schema: undefined,
  });
  const { context } = pipeline();
  return {
    widgets,
    context,
    factsOf: (apiVersion: string, kind: string) => strategyFor(resourceOf({ apiVersion, kind })),
  };
}

const widget = (fields: Record<string, unknown>, generation = 1): ApiObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', generation },
  ...fields,
});

describe('custom resources', () => {
  test('start with generation 1, and without a status if there is a status subresource', () => {
    const { widgets, context } = rig();
    const object = widget({ spec: { a: 1 }, status: { b: 2 } }, 7);
    strategyFor(widgets(true)).prepareCreate(object, context);
    expect(object).toEqual(widget({ spec: { a: 1 } }, 1));
  });

  test('without a status subresource keep their status as an ordinary field, whose changes increase the generation', () => {
    const { widgets, context } = rig();
    const strategy = strategyFor(widgets(false));
    const next = widget({ status: { b: 3 } });
    strategy.prepareUpdate(next, widget({ status: { b: 2 } }), context);
    expect(next).toEqual(widget({ status: { b: 3 } }, 2));
  });

  test('increase the generation with every change outside of metadata and status', () => {
    const { widgets, context } = rig();
    const strategy = strategyFor(widgets(true));
    const old = widget({ spec: { a: 1 }, other: 1, status: { b: 2 } });
    const update = (fields: Record<string, unknown>, labels?: Record<string, string>): number | undefined => {
      const next = widget(fields);
      if (labels !== undefined) (next.metadata ??= {}).labels = labels;
      strategy.prepareUpdate(next, old, context);
      expect(next['status']).toEqual({ b: 2 });
      return next.metadata?.generation;
    };
    expect(update({ spec: { a: 1 }, other: 1 }, { x: 'y' })).toBe(1);
    expect(update({ spec: { a: 2 }, other: 1 })).toBe(2);
    expect(update({ spec: { a: 1 }, other: 2 })).toBe(2);
  });

  test('accept only the status through the status subresource', () => {
    const { widgets, context } = rig();
    const next = widget({ spec: { a: 9 }, extra: 1, status: { b: 3 } });
    (next.metadata ??= {}).labels = { x: 'y' };
    strategyFor(widgets(true)).prepareStatusUpdate(next, widget({ spec: { a: 1 }, status: { b: 2 } }, 4), context);
    expect(next).toEqual(widget({ spec: { a: 1 }, status: { b: 3 } }, 4));
  });
});

describe('facts', () => {
  test('hold what differs between kinds', () => {
    const { factsOf, widgets } = rig();
    expect(factsOf('v1', 'ConfigMap')).toMatchObject({
      hasStatus: false,
      generation: 'none',
      allowsUnconditionalUpdate: true,
      allowsCreateOnUpdate: false,
      returnsDeletedObject: false,
      gracefulDeletion: false,
      defaultPropagation: 'Background',
      hasDependents: true,
    });
    expect(factsOf('v1', 'Pod')).toMatchObject({ returnsDeletedObject: true, gracefulDeletion: true, hasStatus: true });
    expect(factsOf('batch/v1', 'Job').defaultPropagation).toBe('Orphan');
    expect(factsOf('v1', 'ReplicationController').defaultPropagation).toBe('Orphan');
    expect(factsOf('v1', 'Event')).toMatchObject({ hasDependents: false, allowsCreateOnUpdate: true });
    expect(factsOf('coordination.k8s.io/v1', 'Lease')).toMatchObject({
      allowsCreateOnUpdate: true,
      allowsUnconditionalUpdate: false,
    });
    expect(strategyFor(widgets(true))).toMatchObject({ allowsUnconditionalUpdate: false, allowsCreateOnUpdate: false });
  });

  test('protect the namespaces that a cluster cannot lose', () => {
    const strategy = rig().factsOf('v1', 'Namespace');
    for (const name of ['default', 'kube-system', 'kube-public'])
      expect(() => strategy.beforeDelete?.({ metadata: { name } })).toThrow(
        `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      );
    expect(() => strategy.beforeDelete?.({ metadata: { name: 'kube-node-lease' } })).not.toThrow();
  });

  test('hold the paths of replicas and of their selector', () => {
    const { scale } = rig().factsOf('apps/v1', 'Deployment');
    const selector = {
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['y', 'x'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    };
    expect(scale?.specReplicas).toBe('.spec.replicas');
    expect(scale?.selector({ spec: { selector } })).toBe('a in (x,y),b=1,!c');
    expect(
      rig()
        .factsOf('v1', 'ReplicationController')
        .scale?.selector({ spec: { selector: { a: 'b' } } }),
    ).toBe('a=b');
  });
});

describe('pods', () => {
  test('get a QoS class from their requests and limits', () => {
    const { create } = pipeline();
    const classOf = (...resources: Record<string, unknown>[]): unknown => {
      const containers = resources.map((one, index) => ({ name: `c${index}`, image: 'i', resources: one }));
      const { stored } = create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } });
      return (stored?.['status'] as { qosClass?: string } | undefined)?.qosClass;
    };
    const all = { cpu: '1', memory: '1Gi' };
    expect(classOf({})).toBe('BestEffort');
    expect(classOf({ limits: all })).toBe('Guaranteed');
    expect(classOf({ limits: all, requests: { ...all, memory: '1024Mi' } })).toBe('Guaranteed');
    expect(classOf({ limits: { cpu: '1' } }), 'memory is not limited').toBe('Burstable');
    expect(classOf({ limits: all }, {}), 'one container is not limited').toBe('Burstable');
    expect(classOf({ limits: all, requests: { cpu: '500m' } })).toBe('Burstable');
  });

  test('end after their grace period, which may only be made shorter', () => {
    const start = Date.UTC(2026, 0, 1);
    const at = (seconds: number): string => `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`;
    const pod = (grace?: number, end?: number): ApiObject => ({
      metadata: grace === undefined ? {} : { deletionTimestamp: at(end ?? grace), deletionGracePeriodSeconds: grace },
      spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 },
      status: { phase: 'Running' },
    });
    const grace = (deletionGracePeriodSeconds: number, end: number) => ({
      deletionTimestamp: at(end),
      deletionGracePeriodSeconds,
    });
    expect(podDeletionSeconds(pod(), undefined, start)).toEqual(grace(30, 30));
    expect(podDeletionSeconds(pod(), 20, start)).toEqual(grace(20, 20));
    expect(podDeletionSeconds(pod(), -5, start)).toEqual(grace(1, 1));
    expect(podDeletionSeconds(pod(20), 25, start)).toBeUndefined();
    expect(podDeletionSeconds(pod(20), undefined, start)).toBeUndefined();
    expect(podDeletionSeconds(pod(20), 10, start + 5000), 'counted from the first delete').toEqual(grace(10, 10));
    expect(podDeletionSeconds(pod(20), 2, start + 5000), 'never into the past').toEqual(grace(2, 5));
    expect(podDeletionSeconds(pod(0, 7), 10, start)).toEqual(grace(0, 7));
  });

  test('without a node end at once', () => {
    const pod = (nodeName: string, phase: string): ApiObject => ({ spec: { nodeName }, status: { phase } });
    for (const one of [pod('', 'Pending'), pod('n', 'Succeeded'), pod('n', 'Failed')])
      expect(podDeletionSeconds(one, 30, 0)?.deletionGracePeriodSeconds).toBe(0);
    expect(podDeletionSeconds(pod('n', 'Pending'), 30, 0)?.deletionGracePeriodSeconds).toBe(30);
  });

  test('of a job cannot be changed once it runs', () => {
    const { create, patch } = pipeline();
    const template = (image: string) => ({ spec: { restartPolicy: 'Never', containers: [{ name: 'c', image }] } });
    const job = (suspend: boolean): ApiObject =>
      create({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'j' },
        spec: { suspend, template: template('i') },
      }).stored as ApiObject;
    const change = { spec: { template: template('other') } };
    expect(patch(job(false), change).causes?.map(({ field }) => field)).toEqual(['spec.template']);
    expect(patch(job(true), change).causes).toBeUndefined();
  });
});

describe('quantities', () => {
  test.each([
    ['0.5', '500m'],
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.1Gi', '107374182400m'],
    ['512', '512'],
    ['1000000', '1M'],
    ['1e6', '1e6'],
    ['1e5', '100e3'],
    ['1023Ki', '1023Ki'],
    ['0Gi', '0'],
    ['-1500m', '-1500m'],
    ['1Ki', '1Ki'],
    ['.5Ki', '512'],
    ['0.9765625Ki', '1k'],
    ['1e-9', '1e-9'],
    ['nonsense', 'nonsense'],
  ])('%s is written %s', (given, written) => {
    expect(canonicalQuantity(given)).toBe(written);
  });

  test('a quantity of a resource is rounded up to thousandths', () => {
    expect(canonicalQuantity('0.0001', true)).toBe('1m');
    expect(canonicalQuantity('0.0001')).toBe('100u');
  });

  test('the canonical form is the same quantity and stays the same when it is written again', () => {
    const unit = fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3');
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 999 }),
        unit,
        (whole, part, suffix) => {
          const text = `${whole}.${part}${suffix}`;
          const written = canonicalQuantity(text);
          expect(compareQuantities(written, text)).toBe(0);
          expect(canonicalQuantity(written)).toBe(written);
        },
      ),
    );
  });
});

describe('service addresses', () => {
  test('are never allocated twice, until none is left', () => {
    const taken = new Set<string>();
    const { allocateClusterIp } = serviceAddresses(
      { hasClusterIp: (address) => taken.has(address), hasNodePort: () => false },
      () => 0.999,
      { clusterIps: '10.0.0.0/29' },
    );
    for (let count = 0; count < 6; count += 1) taken.add(allocateClusterIp());
    expect([...taken].toSorted()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6']);
    expect(() => allocateClusterIp()).toThrow('range is full');
  });

  test('are refused outside of their range', () => {
    const { allocateClusterIp, allocateNodePort } = serviceAddresses(
      { hasClusterIp: () => false, hasNodePort: (port) => port === 30001 },
      () => 0,
    );
    expect(allocateClusterIp('10.111.255.254')).toBe('10.111.255.254');
    for (const address of ['10.96.0.0', '10.111.255.255', '10.112.0.0'])
      expect(() => allocateClusterIp(address)).toThrow('does not match the current range');
    expect(() => allocateNodePort({ wanted: 30001 })).toThrow('already allocated');
    expect(() => allocateNodePort({ wanted: 29999 })).toThrow('The range of valid ports is 30000-32767');
    expect(allocateNodePort()).toBe(30000);
  });
});

describe('versions of custom definitions', () => {
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object' } },
  });
  const created = (): ApiObject =>
    pipeline().create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Gadget', plural: 'gadgets' },
        versions: [version('v1', true)],
      },
    }).stored as ApiObject;

  test('are recorded as soon as objects are stored in them', () => {
    const old = created();
    expect(old['status']).toEqual({
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    });
    const { stored } = pipeline().patch(old, { spec: { versions: [version('v1', false), version('v2', true)] } });
    expect(stored?.['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
    expect(stored?.metadata?.generation).toBe(2);
  });

  test('in which objects were stored cannot be removed', () => {
    const { causes } = pipeline().patch(created(), { spec: { versions: [version('v2', true)] } });
    expect(causes?.map(({ field }) => field)).toEqual(['status.storedVersions[0]']);
  });

  test('group and plural never change; scope and kind not once they are served', () => {
    const old = created();
    const established = { type: 'Established', status: 'True', lastTransitionTime: null, reason: 'R', message: 'm' };
    const served = { ...old, status: { ...(old['status'] as object), conditions: [established] } };
    const causes = (definition: ApiObject, spec: JsonObject): string[] =>
      (pipeline().patch(definition, { spec }).causes ?? []).map(({ field, message }) => `${field}: ${message}`);
    expect(causes(served, { group: 'x.y' })).toEqual(['spec.group: Invalid value: "x.y": field is immutable']);
    expect(causes(served, { scope: 'Cluster' })).toEqual(['spec.scope: Invalid value: "Cluster": field is immutable']);
    expect(causes(served, { names: { kind: 'Foo', plural: 'foos' } })).toEqual([
      'spec.names.kind: Invalid value: "Foo": field is immutable',
      'spec.names.plural: Invalid value: "foos": field is immutable',
    ]);
    expect(causes(old, { scope: 'Cluster', names: { kind: 'Foo' } })).toEqual([]);
  });
});

describe('names of custom definitions', () => {
  const definition = (
    name: string,
    names: Record<string, unknown>,
    acceptedNames: Record<string, unknown> = {},
  ): ApiObject => ({
    metadata: { name },
    spec: { group: 'example.com', names },
    status: { acceptedNames },
  });
  const taken = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] };
  const others = [definition('widgets.example.com', taken, taken)];

  test('are all accepted where no other definition has them', () => {
    const names = {
      plural: 'gadgets',
      singular: 'gadget',
      kind: 'Gadget',
      listKind: 'GadgetList',
      categories: ['all'],
    };
    expect(acceptDefinitionNames(definition('gadgets.example.com', names), others)).toEqual({
      names,
      conflict: undefined,
    });
  });

  test('that another definition has are refused, and the condition names the last conflict', () => {
    const names = {
      plural: 'widgetz',
      singular: 'widget',
      kind: 'Widgetz',
      listKind: 'WidgetList',
      shortNames: ['wd'],
    };
    expect(acceptDefinitionNames(definition('widgetz.example.com', names), others)).toEqual({
      names: { plural: 'widgetz', kind: 'Widgetz' },
      conflict: { reason: 'ListKindConflict', message: '"WidgetList" is already in use' },
    });
  });

  test('once accepted are kept', () => {
    expect(acceptDefinitionNames(others[0] as ApiObject, others).conflict).toBeUndefined();
  });
});

describe('two versions over one store', () => {
  test('an event is the same event in both groups', () => {
    const events = sharedStorage({ group: 'events.k8s.io', version: 'v1', resource: 'events' });
    const sent: ApiObject = {
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      metadata: { name: 'e', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'A',
      reason: 'R',
      regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
      note: 'm',
      type: 'Normal',
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    };
    const stored = events?.toStored(sent) as ApiObject;
    expect(stored).toEqual({
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: 'e', namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      reason: 'R',
      message: 'm',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'A',
      reportingComponent: 'example.com/c',
      reportingInstance: 'i',
    });
    expect(events?.fromStored(stored)).toEqual(sent);
  });

  test('an autoscaler loses nothing when it is read and written in the old version', () => {
    const hpas = sharedStorage({ group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers' });
    const cpu = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
    };
    const memory = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
    };
    const stored = pipeline().create({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h', annotations: { z: 'y' } },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        // CPU has its own field in v1, and is the last metric after the conversion back.
        metrics: [memory, cpu],
        behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
      },
    }).stored as ApiObject;
    const old = hpas?.fromStored(stored) as ApiObject;
    expect(old).toMatchObject({
      apiVersion: 'autoscaling/v1',
      metadata: { annotations: { z: 'y' } },
      spec: { minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    });
    expect(hpas?.toStored(old)).toEqual(stored);
  });
});

test('a ConfigMap may have keys such as __proto__', () => {
  const data = JSON.parse('{"constructor":"a","__proto__":"b","valueOf":"c"}') as Record<string, string>;
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'y' }, data };
  expect(strategyFor(resourceOf(object)).validate(object)).toEqual([]);
});
