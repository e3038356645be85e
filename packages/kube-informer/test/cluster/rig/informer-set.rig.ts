import { expect } from 'vitest';
import { InformerSet } from '../../../src/cluster/informer-set.ts';
import type { InformerSetOptions, SourceFactory } from '../../../src/cluster/informer-set-options.ts';
import type { Scope } from '../../../src/cluster/scope.ts';
import { KubeError } from '../../../src/core/errors.ts';
import type { ListOptions } from '../../../src/core/object/list-options.ts';
import type { Metrics } from '../../../src/core/metrics.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { FieldSelector, LabelSelector } from '../../../src/core/selector/selector.ts';
import { InformerNames } from '../../../src/informer/apply/informer-name.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';
import { FakeSource, type FakeSourceOptions } from '../../../src/testing/fake-source.ts';

export interface Pod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}

export const RESOURCES = ['v1/pods', 'v1/services', 'apps/v1/deployments', 'v1/nodes'];

export interface Rig {
  readonly informers: InformerSet;
  readonly env: FakeEnv;
  /** One server per resource; a scope reads a part of it. */
  readonly servers: Readonly<Record<string, FakeSource<Pod>>>;
  readonly pods: FakeSource<Pod>;
  readonly services: FakeSource<Pod>;
  /** The calls of the source factory. */
  readonly made: { readonly resource: string; readonly scope: Scope }[];
  readonly names: InformerNames;
}

export interface RigOptions extends Partial<InformerSetOptions> {
  readonly server?: FakeSourceOptions;
}

export function rig({ server = {}, ...options }: RigOptions = {}): Rig {
  const servers = Object.fromEntries(RESOURCES.map((resource) => [resource, new FakeSource<Pod>(server)]));
  const made: { resource: string; scope: Scope }[] = [];
  const source: SourceFactory = (resource, scope) => {
    made.push({ resource, scope });
    const whole = servers[resource];
    if (whole === undefined) throw new Error(`the server has no ${resource}`);
    return narrowed(whole, scope.namespace);
  };
  const env = fakeEnv();
  const names = new InformerNames();
  const informers = new InformerSet({ source, env, names, ...options });
  const { 'v1/pods': pods, 'v1/services': services } = servers as Record<string, FakeSource<Pod>>;
  return { informers, env, servers, pods, services, made, names } as Rig;
}

/** A source restricted to one namespace and to the selectors of the request. */
function narrowed(whole: FakeSource<Pod>, namespace = ''): ListWatch<Pod> {
  const fits = ({ labelSelector = '', fieldSelector = '' }: ListOptions, { metadata = {} }: KubeObject): boolean =>
    (namespace === '' || metadata.namespace === namespace) &&
    LabelSelector.parse(labelSelector).matches(metadata.labels) &&
    FieldSelector.parse(fieldSelector).matches({ 'metadata.name': metadata.name ?? '' });
  return {
    list: async (options, signal) => {
      const page = await whole.list(options, signal);
      return { ...page, items: page.items.filter((object) => fits(options, object)) };
    },
    watch: async function* (options, signal) {
      for await (const event of whole.watch(options, signal)) {
        if (event.type === 'BOOKMARK' || event.type === 'ERROR' || fits(options, event.object)) yield event;
      }
    },
    watchListUnsupported: whole.watchListUnsupported,
  };
}

export function pod(key: string, labels: Record<string, string> = {}): Pod {
  const [name = '', namespace] = key.split('/').toReversed();
  return { metadata: { name, labels, ...(namespace === undefined ? {} : { namespace }) } };
}

export const NODE = (object: Pod): string[] => [object.spec?.nodeName ?? ''];

export function thrown(call: () => unknown): KubeError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(KubeError);
    return error as KubeError;
  }
  throw new Error('nothing was thrown');
}

export async function rejected(work: Promise<unknown>): Promise<KubeError> {
  const [outcome] = await Promise.allSettled([work]);
  expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(KubeError) });
  return (outcome as PromiseRejectedResult).reason as KubeError;
}

export function warnings({ lines }: FakeEnv): string[] {
  return lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ message }) => message);
}

/** Metrics that record the names of the series written, as `metric name/resource`. */
export function countingMetrics(): { metrics: Metrics; series: () => string[]; forget: () => void } {
  const written = new Set<string>();
  const make = (metric: string, labels: Readonly<Record<string, string>>) => {
    const note = (): void => void written.add(`${metric} ${labels['name']}/${labels['resource']}`);
    return { inc: note, set: note, observe: note };
  };
  const informerOnly = (): string[] => [...written].filter((line) => line.startsWith('informer_')).sort();
  return {
    metrics: { counter: make, gauge: make, histogram: make },
    series: informerOnly,
    forget: () => written.clear(),
  };
}
