import { pathSegmentSyntaxComplaints } from '../api/meta/name-syntax.ts';
import {
  methodNotAllowedStatusError,
  noSuchResourceStatusError,
  notFoundStatusError,
  type StatusError,
  verbNotSupportedStatusError,
  badRequestStatusError,
  internalStatusError,
  unknownStatusError,
} from '../core/status-error.ts';
import type { Registry } from '../registry/registry.ts';
import type { Served } from '../registry/served.ts';
import { storageKey } from '../storage/store/storage-key.ts';
import type { ParsedRequest } from './message/parse-request.ts';

/**
 * Finds the resource of a request; `no page` stands for a plain-text 404. Throws the server's error for an
 * invalid path.
 */
export function resourceRoute(registry: Registry, info: ParsedRequest, method: string): Served | 'no page' {
  const served = registry.find(info.group, info.version, info.resource);
  if (served === undefined) {
    if (info.group === '' || registry.hasBuiltinGroup(info.group)) throw noSuchResourceStatusError();
    return 'no page';
  }
  if (served.resource.custom) {
    if (checkCustomResourceRoute(served, info, method) === 'no page') return 'no page';
  } else checkBuiltinResourceRoute(served, info, method);
  checkResourceRouteNames(served, info);
  return served;
}

/** Checks names, which must be valid in a path. A namespace is not checked before the storage makes a key from it. */
function checkResourceRouteNames({ resource }: Served, { namespace, name, verb }: ParsedRequest): void {
  const [complaint] = verb === 'watch' ? [] : pathSegmentSyntaxComplaints(name);
  if (complaint !== undefined)
    throw badRequestStatusError(`Name parameter invalid: ${JSON.stringify(name)}: ${complaint}`);
  const [fault] = pathSegmentSyntaxComplaints(namespace);
  if (fault === undefined) return;
  if (verb === 'create') throw internalStatusError(`invalid resource name ${JSON.stringify(namespace)}: [${fault}]`);
  if (namespace.includes('%')) return;
  throw unknownStatusError(`invalid key: ${JSON.stringify(storageKey(resource, namespace, name))}`);
}

/** Checks a built-in path against a fixed table: an unknown path is not found, an unknown method is not allowed. */
function checkBuiltinResourceRoute({ resource }: Served, info: ParsedRequest, method: string): void {
  const { namespace, name, verb, subresource } = info;
  if (resource.namespaced ? namespace === '' && name !== '' : namespace !== '') throw noSuchResourceStatusError();
  if (method === 'HEAD') throw methodNotAllowedStatusError();
  if (subresource !== '') {
    const found = resource.subresources.find((one) => one.name === subresource);
    if (found === undefined) throw noSuchResourceStatusError();
    if (!found.verbs.includes(verb)) throw methodNotAllowedStatusError();
    return;
  }
  if (verb === 'watch' && resource.verbs.includes('list') && !resource.verbs.includes('watch'))
    throw verbNotSupportedStatusError(resource, 'watch');
  if (!resource.verbs.includes(verb)) throw methodNotAllowedStatusError();
  // Lists may span namespaces; writes may not.
  if (resource.namespaced && namespace === '' && verb !== 'list' && verb !== 'watch')
    throw methodNotAllowedStatusError();
  const wantsName = verb === 'get' || verb === 'update' || verb === 'patch' || verb === 'delete';
  if (wantsName !== (name !== '') && verb !== 'watch') throw methodNotAllowedStatusError();
}

/** Checks the path of a custom resource. They share one handler, some of whose messages differ. */
function checkCustomResourceRoute(served: Served, info: ParsedRequest, method: string): Served | 'no page' {
  const { resource } = served;
  const { namespace, name, verb, subresource } = info;
  if (!resource.namespaced && namespace !== '') return 'no page';
  if (resource.namespaced && namespace === '' && (name !== '' || (verb !== 'list' && verb !== 'watch')))
    return 'no page';
  if (subresource !== '') {
    const found = resource.subresources.find((one) => one.name === subresource);
    if (found === undefined) throw notFoundStatusError(resource, name);
    if (!found.verbs.includes(verb)) throw verbNotSupportedStatusError(resource, verb);
    return served;
  }
  if (method === 'OPTIONS' || verb === '') throw unsupportedResourceRoute(served, verb);
  if (name === '' && (verb === 'update' || verb === 'patch')) throw badRequestStatusError('name must be provided');
  return served;
}

const unsupportedResourceRoute = ({ resource }: Served, verb: string): StatusError =>
  verbNotSupportedStatusError(resource, verb);
