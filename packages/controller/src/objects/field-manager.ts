import type { KubeObject } from 'kube-informer/core';

type FieldSet = Readonly<Record<string, unknown>>;

/**
 * The manager, other than `own`, that owns a field, by `metadata.managedFields`; the one that wrote last if there are several.
 * `path` is that of `changedPaths`, such as `metadata.labels.app.kubernetes.io/name`.
 */
export function otherFieldManager(object: KubeObject, path: string, own: string): string | undefined {
  const owners = (object.metadata?.managedFields ?? []).filter(
    ({ manager, fieldsV1 }) => manager !== undefined && manager !== own && isFieldManagerOf(fieldsV1, path),
  );
  return owners.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0]?.manager;
}

/** Whether a set of fields names the path. Names may contain dots, so the names in the set decide where each ends. */
function isFieldManagerOf(set: unknown, path: string): boolean {
  if (path === '') return true;
  if (typeof set !== 'object' || set === null) return false;
  const names = Object.keys(set).filter((name) => name.startsWith('f:'));
  // Nothing below: it owns the value as a whole.
  if (names.length === 0) return true;
  return names.some((name) => {
    const field = name.slice(2);
    if (path === field) return true;
    return path.startsWith(`${field}.`) && isFieldManagerOf((set as FieldSet)[name], path.slice(field.length + 1));
  });
}
