import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiObject, type ApiServer, startApiServer } from '@kube-informer/apiserver';
import type { KubeObject } from 'kube-informer';
import { until } from '../../harness/until.ts';
import type { RunningOperator, StartOperator } from './operators.ts';
import type { FaultScript } from './scripts.ts';
import { NAMESPACE, site, siteDefinition } from './sites.ts';

/** The final state that an operator left, and the requests it took. */
export interface Outcome {
  readonly name: RunningOperator['name'];
  readonly objects: readonly string[];
  /** Requests by verb, those of the user excluded. */
  readonly requests: Readonly<Record<string, number>>;
  readonly writes: number;
  readonly seconds: number;
  readonly metrics: string;
}

/** How long nothing may change before the end counts as the end. */
const QUIET_MS = 700;

/** Runs an operator on a server of its own, changes things meanwhile, and waits until it has nothing left to do. */
export async function live(start: StartOperator, { faults = [], midway }: FaultScript): Promise<Outcome> {
  await using server = await startApiServer({ controllers: ['garbageCollector'], requestLog: 100_000 });
  const dir = await mkdtemp(join(tmpdir(), 'sites-'));
  try {
    const kubeconfig = join(dir, 'kubeconfig');
    await server.writeKubeconfig(kubeconfig);
    server.load([siteDefinition, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]);
    for (const one of [site('a', 'one', 2), site('b', 'one', 1), site('c', 'one', 3)])
      server.local.create('example.com', 'sites', one as KubeObject as ApiObject);
    for (const rule of faults) server.faults.add(rule);
    const began = performance.now();
    const operator = await start(kubeconfig);
    try {
      const inTheWay = (): string => [operator.name, ...state(server)].join('\n');
      await until('the sites of the start have their copies', () => names(server).length >= 9, { inTheWay });
      change(server, 'a', (spec) => ({ ...spec, copies: 1 }));
      change(server, 'b', (spec) => ({ ...spec, message: 'two' }));
      server.local.remove('example.com', 'sites', NAMESPACE, 'c');
      await midway?.(server);
      server.local.create('example.com', 'sites', site('d', 'one', 2) as KubeObject as ApiObject);
      if (server.local.get('', 'configmaps', NAMESPACE, 'b-0') !== undefined)
        server.local.remove('', 'configmaps', NAMESPACE, 'b-0');
      const edited = server.local.get('', 'configmaps', NAMESPACE, 'a-0');
      if (edited !== undefined) server.local.update('', 'configmaps', { ...edited, data: { message: 'meddled with' } });
      await until('all sites are as wanted', () => isDone(server), { inTheWay });
      server.faults.clear();
      await quiet(server);
      const seconds = (performance.now() - began - QUIET_MS) / 1_000;
      const metrics = await operator.metrics();
      return { name: operator.name, objects: state(server), ...counted(server), seconds, metrics };
    } finally {
      await operator.stop();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const EXPECTED = ['a-0', 'a-outside', 'b-0', 'b-outside', 'd-0', 'd-1', 'd-outside'];
const MESSAGES: Readonly<Record<string, string>> = { a: 'one', b: 'two', d: 'one' };

function isDone(server: ApiServer): boolean {
  const maps = server.local.list('', 'configmaps', NAMESPACE);
  const isRight = maps.every(({ metadata, data }) => {
    const { message } = (data ?? {}) as { message?: string };
    return message === MESSAGES[metadata?.name?.[0] ?? ''];
  });
  const isReported = server.local.list('example.com', 'sites', NAMESPACE).every(({ metadata, status }) => {
    const { conditions = [] } = (status ?? {}) as { conditions?: { observedGeneration?: number }[] };
    return conditions[0]?.observedGeneration === metadata?.generation;
  });
  return isRight && isReported && names(server).join() === EXPECTED.join();
}

const names = (server: ApiServer): string[] =>
  server.local
    .list('', 'configmaps', NAMESPACE)
    .map(({ metadata }) => metadata?.name ?? '')
    .filter((name) => name !== 'kube-root-ca.crt')
    .toSorted();

function change(server: ApiServer, name: string, by: (spec: object) => object): void {
  const old = server.local.get('example.com', 'sites', NAMESPACE, name) as ApiObject & { spec: object };
  server.local.update('example.com', 'sites', { ...old, spec: by(old.spec) });
}

async function quiet(server: ApiServer): Promise<void> {
  let revision = -1;
  let since = 0;
  await until('nothing is written any more', () => {
    if (server.revision.current !== revision) [revision, since] = [server.revision.current, Date.now()];
    return Date.now() - since > QUIET_MS;
  });
}

/** The objects as text, without what every server and every moment names differently. */
export function state(server: ApiServer): string[] {
  return [...server.local.list('example.com', 'sites', NAMESPACE), ...server.local.list('', 'configmaps', NAMESPACE)]
    .map(canonical)
    .toSorted();
}

/** An object without uids, versions, times and managers. */
export function canonical(object: object): string {
  const hidden = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'lastTransitionTime']);
  return JSON.stringify(object, (name, value: unknown) => {
    if (hidden.has(name) || (name === 'message' && value === '')) return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const WRITING = new Set(['create', 'update', 'patch', 'delete']);

function counted(server: ApiServer): Pick<Outcome, 'requests' | 'writes'> {
  const requests: Record<string, number> = {};
  for (const { verb, path } of server.requests)
    // Reviews change nothing, but are created.
    if (!path.endsWith('reviews')) requests[verb] = (requests[verb] ?? 0) + 1;
  const writes = Object.entries(requests).reduce((sum, [verb, count]) => sum + (WRITING.has(verb) ? count : 0), 0);
  return { requests, writes };
}
