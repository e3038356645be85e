import { KubeError } from '../../core/errors.ts';

/** Returns `namespace` if it is a DNS label, because it becomes part of paths and messages. Throws INVALID_CONFIG. */
export function checkedNamespace(namespace: string, where: string): string {
  if (/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)) return namespace;
  throw new KubeError(
    'INVALID_CONFIG',
    `${where}: expected a namespace of at most 63 lower case letters, digits and "-"`,
  );
}
