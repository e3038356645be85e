import { type Fields, fieldsAt, isFields, textField, textMapField } from '../../api/kinds/common/fields.ts';
import { kindSelectorMatches } from '../../api/kinds/common/kind-selector.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Served } from '../../registry/served.ts';

/** Thrown for a policy or binding that cannot be used as it is. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

const NO_PARAMS: readonly undefined[] = [undefined];

/** The resource that a policy's `paramKind` names; undefined if it names none. Throws `ConfigurationError`. */
export function paramResource(registry: Registry, spec: Fields): Served | undefined {
  const kind = spec['paramKind'];
  if (!isFields(kind)) return undefined;
  const apiVersion = textField(kind, 'apiVersion');
  const slash = apiVersion.indexOf('/');
  const [group, version] = slash === -1 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const found = registry.findKind(group, version, textField(kind, 'kind'));
  if (found === undefined)
    throw new ConfigurationError(
      `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${textField(kind, 'kind')}'`,
    );
  return found;
}

/**
 * The parameters that a binding gives to its policy: the policy is evaluated once for each. Undefined stands
 * for a policy without parameters. Throws `ConfigurationError`.
 */
export function bindingParams(
  params: Served | undefined,
  binding: Fields,
  namespace: string,
): readonly (ApiObject | undefined)[] {
  const ref = binding['paramRef'];
  if (params === undefined || !isFields(ref)) return NO_PARAMS;
  const found = findParams(params, ref, namespace);
  if (found.length === 0 && textField(ref, 'parameterNotFoundAction') === 'Deny')
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

function findParams(params: Served, ref: Fields, requestNamespace: string): readonly ApiObject[] {
  const { collection, resource } = params;
  const [name, wanted] = [textField(ref, 'name'), textField(ref, 'namespace')];
  if (!resource.namespaced && wanted !== '')
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const namespace = resource.namespaced ? wanted || requestNamespace : '';
  if (resource.namespaced && namespace === '')
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  if (name !== '') {
    const record = collection.get(namespace, name);
    return record === undefined ? [] : [params.object(record)];
  }
  const selector = fieldsAt(ref, 'selector');
  return collection
    .current(namespace === '' ? {} : { namespace })
    .map((record) => params.object(record))
    .filter(({ metadata }) => kindSelectorMatches(selector, textMapField((metadata ?? {}) as Fields, 'labels')));
}
