import { invalidField } from '../errors/field.ts';
import { badRequest, internalError, invalid, noSuchResource, notFound } from '../errors/status.ts';
import type { ScalePaths } from '../kinds/strategy.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import type { StoredRecord } from '../store/record.ts';
import type { ApiObject, JsonObject } from '../types.ts';
import { type Api, copyOf, type Target, type WriteOptions } from './api.ts';
import type { Patch } from './patch.ts';
import { find } from './read.ts';
import { checkPlace, replace } from './update.ts';

/** The `scale` of an object: the same few fields for every kind that has replicas. */
export function getScale(target: Target): ApiObject {
  const record = find(target);
  const scale = scaleOf(target, target.served.object(record));
  if (target.served.resource.custom && replicasOf(scale) === undefined)
    throw internalError(`the spec replicas field ${JSON.stringify(pathsOf(target).specReplicas)} does not exist`);
  return scale;
}

export function putScale(api: Api, target: Target, scale: ApiObject, options: WriteOptions): ApiObject {
  const record = target.served.collection.get(target.namespace, target.name);
  if (record === undefined) throw notFound(target.served.resource, target.name);
  checkPlace((scale.metadata ??= {}), target);
  return setReplicas(api, target, record, scale, options);
}

export function patchScale(api: Api, target: Target, { type, value }: Patch, options: WriteOptions): ApiObject {
  const record = target.served.collection.get(target.namespace, target.name);
  if (record === undefined) throw notFound(target.served.resource, target.name);
  if (type === 'application/apply-patch+yaml')
    throw badRequest('apply patches of scale are not supported by this server');
  const old = scaleOf(target, target.served.object(record)) as JsonObject;
  // A Scale has no lists, so a strategic merge does what a plain one does.
  const next = (type === 'application/json-patch+json' ? jsonPatch(old, value) : mergePatch(old, value)) as ApiObject;
  checkPlace(next.metadata ?? {}, target);
  return setReplicas(api, target, record, next, options);
}

function setReplicas(
  api: Api,
  target: Target,
  record: StoredRecord,
  scale: ApiObject,
  options: WriteOptions,
): ApiObject {
  const { served, name } = target;
  const { specReplicas } = pathsOf(target);
  const replicas = replicasOf(scale) ?? 0;
  if (replicas < 0)
    throw served.resource.custom
      ? invalid(served.resource, name, [invalidField(specReplicas, replicas, 'should be a non-negative integer')])
      : invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
          invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'),
        ]);
  const next = copyOf(served.object(record));
  write(next, specReplicas, replicas);
  const version = scale.metadata?.resourceVersion;
  if (version === undefined) delete next.metadata?.resourceVersion;
  else (next.metadata ??= {}).resourceVersion = version;
  const written = replace(api, target, record, next, { ...options, isPatch: true, isUnconditional: true });
  return scaleOf(target, written.object);
}

function scaleOf(target: Target, object: ApiObject): ApiObject {
  const paths = pathsOf(target);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {};
  const replicas = read(object, paths.specReplicas);
  const isShown = typeof replicas === 'number' && (target.served.resource.custom || replicas !== 0);
  const selector = paths.selector(object);
  return JSON.parse(
    JSON.stringify({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: isShown ? { replicas } : {},
      status: {
        replicas: Number(read(object, paths.statusReplicas) ?? 0),
        ...(selector === '' ? {} : { selector }),
      },
    }),
  ) as ApiObject;
}

function pathsOf({ served }: Target): ScalePaths {
  const { scale } = served.strategy;
  if (scale === undefined) throw noSuchResource();
  return scale;
}

function replicasOf(scale: ApiObject): number | undefined {
  const { replicas } = (scale['spec'] ?? {}) as { replicas?: unknown };
  return typeof replicas === 'number' ? replicas : undefined;
}

const segments = (path: string): string[] => path.replace(/^\./, '').split('.');

function read(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const key of segments(path)) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function write(object: ApiObject, path: string, value: number): void {
  const keys = segments(path);
  const last = keys.pop() as string;
  let parent = object as Record<string, unknown>;
  for (const key of keys) parent = (parent[key] ??= {}) as Record<string, unknown>;
  parent[last] = value;
}
