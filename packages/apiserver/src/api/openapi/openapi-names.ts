import { builtinSchemaName } from '../schema/builtin-schema.ts';
import type { Resource } from '../schema/resource.ts';

/** The OpenAPI name of a kind: a built-in's own name, or `com.example.stable.v1.CronTab` of `stable.example.com`. */
export function openApiSchemaName(
  { group, version, kind }: Pick<Resource, 'group' | 'version' | 'kind'>,
  custom: boolean,
): string {
  const builtIn = builtinSchemaName(group, version, kind);
  if (builtIn !== undefined && !(custom && !isOpenApiBuiltinGroup(group))) return builtIn;
  return `${group.split('.').toReversed().join('.')}.${version}.${kind}`;
}

function isOpenApiBuiltinGroup(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
