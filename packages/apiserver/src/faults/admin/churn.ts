import { type Env, KubeError } from 'kube-informer/core';
import type { Resource } from '../../api/schema/resource.ts';
import {
  type Check,
  integerShapeCheck,
  positiveCheck,
  shapeCheck,
  checkShape,
  textCheck,
} from '../../core/shape-check.ts';
import type { ApiObject } from '../../core/kube-object.ts';

export interface ChurnOptions {
  /** Plural: `pods`. */
  readonly resource: string;
  readonly group?: string;
  /** Writes per second. @default 100 */
  readonly rate?: number;
  /** @default 1 */
  readonly seconds?: number;
  /** Number of objects, which are written in turn. @default 100 */
  readonly objects?: number;
  /** @default 'default' */
  readonly namespace?: string;
}

export interface ChurnHost {
  readonly local: { resources(): readonly Resource[] };
  load(objects: Iterable<ApiObject>): number;
}

const TICK_MS = 10;

const OPTIONS = shapeCheck(
  {
    resource: textCheck,
    group: textCheck,
    rate: positiveCheck,
    seconds: positiveCheck,
    objects: integerShapeCheck(1),
    namespace: textCheck,
  } satisfies Record<keyof ChurnOptions, Check>,
  ['resource'],
);

/**
 * Writes at a steady rate from inside the process: the load of a busy cluster without its clients. Returns
 * the number of writes.
 */
export async function churn(env: Env, host: ChurnHost, options: ChurnOptions, signal: AbortSignal): Promise<number> {
  checkShape(OPTIONS, options, '', 'churn');
  const { resource, group, rate = 100, seconds = 1, objects = 100, namespace = 'default' } = options;
  const kind = host.local
    .resources()
    .find((one) => one.resource === resource && (group === undefined || one.group === group));
  if (kind === undefined)
    throw new KubeError(
      'INVALID_OPTION',
      `churn: resource: expected one that is served, got ${JSON.stringify(resource)}`,
    );
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const started = env.now();
  let written = 0;
  const object = (): ApiObject => {
    const name = `churn-${written % objects}`;
    const annotations = { churn: String(written) };
    written += 1;
    return { apiVersion, kind: kind.kind, metadata: { name, ...(kind.namespaced ? { namespace } : {}), annotations } };
  };
  const total = Math.round(rate * seconds);
  while (written < total && !signal.aborted) {
    const due = Math.min(total, Math.floor(((env.now() - started) * rate) / 1000) + 1);
    while (written < due) host.load([object()]);
    if (written < total) await env.sleep(TICK_MS, signal);
  }
  return written;
}
