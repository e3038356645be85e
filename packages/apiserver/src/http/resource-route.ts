import { pathSegmentSyntaxComplaints } from '../api/meta/name-syntax.ts';
import {
  methodNotAllowed,
  noSuchResource,
  notFound,
  type StatusError,
  verbNotSupported,
  badRequest,
  internalError,
  unknownError,
} from '../core/status-error.ts';
import type { Registry } from '../registry/registry.ts';
import type { Served } from '../registry/served.ts';
import { storageKey } from '../storage/store/storage-key.ts';
import type { ParsedRequest } from './message/parse-request.ts';

/** Finds the resource of a request; `no page` is a plain-text 404. Throws the server's error for an invalid path. */
export function route(registry: Registry, info: ParsedRequest, method: string): Served | 'no page' {
  const served = registry.find(info.group, info.version, info.resource);
  if (served === undefined) {
    if (info.group === '' || registry.hasBuiltinGroup(info.group)) throw noSuchResource();
    return 'no page';
  }
  if (served.resource.custom) {
    if (checkCustomRoute(served, info, method) === 'no page') return 'no page';
  } else checkBuiltinRoute(served, info, method);
  checkRouteNames(served, info);
  return served;
}

/** A name must be able to stand in a path. A namespace is not checked before the storage makes a key of it. */
function checkRouteNames({ resource }: Served, { namespace, name, verb }: ParsedRequest): void {
  const [complaint] = verb === 'watch' ? [] : pathSegmentSyntaxComplaints(name);
  if (complaint !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${complaint}`);
  const [fault] = pathSegmentSyntaxComplaints(namespace);
  if (fault === undefined) return;
  if (verb === 'create') throw internalError(`invalid resource name ${JSON.stringify(namespace)}: [${fault}]`);
  if (namespace.includes('%')) return;
  throw unknownError(`invalid key: ${JSON.stringify(storageKey(resource, namespace, name))}`);
}

/** Built-in paths are a fixed table: what is not in it is not found, what has no such method is not allowed. */
function checkBuiltinRoute({ resource }: Served, info: ParsedRequest, method: string): void {
  const { namespace, name, verb, subresource } = info;
  if (resource.namespaced ? namespace === '' && name !== '' : namespace !== '') throw noSuchResource();
  if (method === 'HEAD') throw methodNotAllowed();
  if (subresource !== '') {
    const found = resource.subresources.find((one) => one.name === subresource);
    if (found === undefined) throw noSuchResource();
    if (!found.verbs.includes(verb)) throw methodNotAllowed();
    return;
  }
  if (verb === 'watch' && resource.verbs.includes('list') && !resource.verbs.includes('watch'))
    throw verbNotSupported(resource, 'watch');
  if (!resource.verbs.includes(verb)) throw methodNotAllowed();
  // Some lists span namespaces; nothing is written to all of them at once.
  if (resource.namespaced && namespace === '' && verb !== 'list' && verb !== 'watch') throw methodNotAllowed();
  const wantsName = verb === 'get' || verb === 'update' || verb === 'patch' || verb === 'delete';
  if (wantsName !== (name !== '') && verb !== 'watch') throw methodNotAllowed();
}

/** Custom resources share one handler, some of whose messages differ. */
function checkCustomRoute(served: Served, info: ParsedRequest, method: string): Served | 'no page' {
  const { resource } = served;
  const { namespace, name, verb, subresource } = info;
  if (!resource.namespaced && namespace !== '') return 'no page';
  if (resource.namespaced && namespace === '' && (name !== '' || (verb !== 'list' && verb !== 'watch')))
    return 'no page';
  if (subresource !== '') {
    const found = resource.subresources.find((one) => one.name === subresource);
    if (found === undefined) throw notFound(resource, name);
    if (!found.verbs.includes(verb)) throw verbNotSupported(resource, verb);
    return served;
  }
  if (method === 'OPTIONS' || verb === '') throw unsupportedRoute(served, verb);
  if (name === '' && (verb === 'update' || verb === 'patch')) throw badRequest('name must be provided');
  return served;
}

const unsupportedRoute = ({ resource }: Served, verb: string): StatusError => verbNotSupported(resource, verb);
