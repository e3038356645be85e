import { type Kind, kinds } from '@kube-informer/kubernetes/kinds';
import { servedVersions } from '../../core/data.ts';
import { builtinSchema } from '../schema/builtin-schema.ts';
import type { Resource } from '../schema/resource.ts';
import type { Schema } from '../schema/schema.ts';

let resources: readonly Resource[] | undefined;

/**
 * Every built-in resource that a default server serves, groups and versions in the server's order, resources by name.
 *
 * Schemas are read from disk when the first one is asked for, so that a server starts without them.
 */
export function builtinResources(): readonly Resource[] {
  return (resources ??= servedVersions().flatMap((apiVersion) =>
    kinds
      .filter(({ group, version }) => apiVersion === (group === '' ? version : `${group}/${version}`))
      .map(builtinResourceOf),
  ));
}

function builtinResourceOf(kind: Kind): Resource {
  return {
    ...kind,
    listKind: `${kind.kind}List`,
    custom: false,
    get schema(): Schema | undefined {
      return builtinSchema(kind.group, kind.version, kind.kind);
    },
  };
}
