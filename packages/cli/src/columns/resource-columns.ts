import { type ApiResource, type Client, objectRedactor } from 'kube-informer/client';
import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import {
  objectAgeSince,
  objectFieldItems,
  objectFieldNumber,
  objectFieldText,
} from '@kube-informer/inspector/internal';
import { AGE, type Column, column, NAME, NAMESPACE } from './column.ts';
import { compileColumnJsonPath, type JsonPath } from './column-json-path.ts';
import { COLUMNS_BY_RESOURCE } from './kubectl-columns.ts';

/**
 * Returns the columns of a resource: kubectl's for built-in kinds, additionalPrinterColumns for custom ones.
 *
 * Requests the definition of a custom resource once; without permission to read it, the columns are name and age.
 */
export async function resourceColumns(
  client: Client,
  resource: ApiResource,
  options: { readonly withNamespace: boolean; readonly signal: AbortSignal; readonly env: Pick<Env, 'random'> },
): Promise<readonly Column[]> {
  const { withNamespace, signal, env } = options;
  const known = COLUMNS_BY_RESOURCE.get(`${resource.group}/${resource.resource}`);
  const own = known ?? (await definedResourceColumns(client, resource, signal, env)) ?? [NAME, AGE];
  return withNamespace && resource.namespaced ? [NAMESPACE, ...own] : own;
}

async function definedResourceColumns(
  client: Client,
  { group, version, resource }: ApiResource,
  signal: AbortSignal,
  env: Pick<Env, 'random'>,
): Promise<readonly Column[] | undefined> {
  if (!group.includes('.')) return undefined;
  let definition: KubeObject;
  try {
    const definitions = client.resource('apiextensions.k8s.io/v1/customresourcedefinitions');
    definition = await definitions.get(`${resource}.${group}`, { signal, attempts: 'once', timeoutMs: 5_000 });
  } catch {
    return undefined; // forbidden, or an aggregated API without a definition: name and age are shown
  }
  const served = objectFieldItems(definition, 'spec.versions').find((one) => one['name'] === version);
  const wanted = objectFieldItems(served, 'additionalPrinterColumns').filter(
    (one) => objectFieldNumber(one, 'priority') === 0,
  );
  return customResourceColumns(wanted, env);
}

/**
 * Columns for additionalPrinterColumns. A column whose path is not supported is left out. The definition of a custom
 * resource chooses the paths, so cells are read from the masked object.
 */
export function customResourceColumns(
  wanted: readonly Readonly<Record<string, unknown>>[],
  env: Pick<Env, 'random'>,
): readonly Column[] {
  const masked = maskedForResourceColumns(env);
  const columns = wanted.flatMap((one): readonly Column[] => {
    const title = objectFieldText(one, 'name').toUpperCase();
    const type = objectFieldText(one, 'type');
    let find: JsonPath;
    try {
      find = compileColumnJsonPath(objectFieldText(one, 'jsonPath'));
    } catch {
      return [];
    }
    if (type === 'date')
      return [column(title, (object, now) => resourceColumnDate(find(masked(object))[0], now), { isAge: true })];
    return [column(title, (object) => resourceColumnText(find(masked(object))[0]), { isStatus: type === 'string' })];
  });
  return columns.some(({ isAge }) => isAge === true) ? [NAME, ...columns] : [NAME, ...columns, AGE];
}

/** Masks each object once: a live table needs its cells again and again. */
function maskedForResourceColumns(env: Pick<Env, 'random'>): (object: KubeObject) => KubeObject {
  const redact = objectRedactor(env);
  const known = new WeakMap<KubeObject, KubeObject>();
  return (object) => {
    let masked = known.get(object);
    if (masked === undefined) known.set(object, (masked = redact(object) as KubeObject));
    return masked;
  };
}

const resourceColumnDate = (value: unknown, now: number): string =>
  value === undefined ? '' : objectAgeSince(value, now);

function resourceColumnText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
