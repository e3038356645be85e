import type { RequestInfo } from '../../core/request-info.ts';
import { isQueryTrue } from '../../verbs/request/query.ts';

/** The meaning of a method and a path; `isWatchPath` marks the old `/watch/` prefix. */
export interface ParsedRequest extends RequestInfo {
  readonly isWatchPath: boolean;
}

const VERBS: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    POST: 'create',
    GET: 'get',
    HEAD: 'get',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: 'delete',
  }),
);

/** Subresources of a namespace; any other third segment is a resource inside it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

/**
 * Reads a request without looking anything up.
 *
 *   /api/{version}/…                 core
 *   /apis/{group}/{version}/…        all other groups
 *   … [watch/] [namespaces/{ns}/] {resource} [/{name} [/{subresource}]]
 *
 * Everything else, discovery included, is not a resource request.
 */
export function parseRequest(method: string, path: string, query: URLSearchParams): ParsedRequest {
  const parts = parseRequestSegments(path);
  const isCore = parts[0] === 'api';
  const rest = isCore ? parts.slice(2) : parts.slice(3);
  if ((!isCore && parts[0] !== 'apis') || rest.length === 0) return parseNonResourceRequest(method, path);
  const group = isCore ? '' : (parts[1] as string);
  const version = (isCore ? parts[1] : parts[2]) as string;
  const isWatchPath = rest[0] === 'watch' && rest.length > 1;
  if (isWatchPath) rest.shift();

  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2] as string)) {
    namespace = rest[1] as string;
    rest.splice(0, 2);
  }
  const [resource = '', name = '', ...sub] = rest;
  const base = { path, isResource: true, group, version, resource, namespace, name, subresource: sub.join('/') };
  return { ...base, verb: parseRequestVerb(method, name, query, isWatchPath), isWatchPath };
}

function parseRequestVerb(method: string, name: string, query: URLSearchParams, isWatchPath: boolean): string {
  const verb = VERBS.get(method) ?? '';
  if (verb === 'get' && isWatchPath) return 'watch';
  if (name !== '') return verb;
  if (verb === 'get') return isQueryTrue(query, 'watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

function parseNonResourceRequest(method: string, path: string): ParsedRequest {
  return {
    verb: method.toLowerCase(),
    path,
    isResource: false,
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    isWatchPath: false,
  };
}

/**
 * The segments of a path. It is decoded first, so an escaped slash divides like any other. One slash at the
 * end is allowed; an empty segment in the middle matches nothing.
 */
function parseRequestSegments(path: string): string[] {
  const decoded = parseRequestSegment(path);
  const text = decoded.endsWith('/') ? decoded.slice(1, -1) : decoded.slice(1);
  return text === '' ? [] : text.split('/');
}

function parseRequestSegment(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
