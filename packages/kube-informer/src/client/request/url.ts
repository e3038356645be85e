import { KubeError } from '../../core/errors.ts';

/** What a path names. An empty or absent namespace means all namespaces, or a cluster-scoped resource. */
export interface ResourcePath {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The parts of a path that come from whoever calls. */
export type Target = Pick<ResourcePath, 'namespace' | 'name' | 'subresource'>;

/** Values of a query; undefined ones are not sent, 0, false and "" are. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * The only place where a path is put together.
 *
 * Every segment is checked before it becomes part of one: a name of `..` would reach another object, one with a
 * slash or a percent sign another resource. Nothing is escaped, because nothing that needs escaping is accepted.
 * Throws INVALID_OPTION.
 */
export function resourcePath(path: ResourcePath): string {
  const { resource, namespace = '', name, subresource } = path;
  checkTarget(path);
  const parts = [groupVersionPath(path)];
  if (namespace !== '') parts.push('namespaces', namespace);
  parts.push(checked('resource', resource));
  if (name !== undefined) parts.push(name);
  if (subresource !== undefined) parts.push(subresource);
  return faithful(parts.join('/'));
}

/** `/api/v1`, `/apis/apps/v1`. */
export function groupVersionPath({ group, version }: Pick<ResourcePath, 'group' | 'version'>): string {
  checked('version', version);
  return faithful(group === '' ? `/api/${version}` : `/apis/${checked('group', group)}/${version}`);
}

/** Throws INVALID_OPTION unless these can be part of a path. For those who have to ask the server for the rest of it. */
export function checkTarget({ namespace = '', name, subresource }: Target): void {
  if (namespace !== '') checked('namespace', namespace);
  if (name !== undefined) checked('name', name);
  if (subresource === undefined) return;
  checked('subresource', subresource);
  if (name === undefined)
    throw new KubeError('INVALID_OPTION', 'subresource: expected the name of an object before it');
}

/** `path?query`, every value encoded. */
export function withQuery(path: string, query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)]) {
      // URLSearchParams would send something else in its place, and the server select other objects.
      if (/\p{Surrogate}/u.test(one)) throw new KubeError('INVALID_OPTION', `${name}: expected well-formed text`);
      params.append(name, one);
    }
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A path a user brings along. It must already be what goes on the wire. */
export function rawPath(path: string): string {
  if (typeof path !== 'string' || !path.startsWith('/') || path.startsWith('//')) {
    throw new KubeError('INVALID_OPTION', 'path: expected one that begins with a single slash');
  }
  if (/[^\u0021-\u007e]|#/.test(path)) {
    throw new KubeError('INVALID_OPTION', 'path: expected ASCII without spaces, control characters and fragment');
  }
  const question = path.indexOf('?');
  faithful(question === -1 ? path : path.slice(0, question));
  return path;
}

type Segment = 'group' | 'version' | 'resource' | 'namespace' | 'name' | 'subresource';

interface Grammar {
  readonly accepts: (value: string) => boolean;
  readonly most: number;
  readonly expected: string;
}

const LABEL: Grammar = { accepts: isLabel, most: 63, expected: 'lower-case letters, digits and hyphens' };

const GRAMMARS: Readonly<Record<Segment, Grammar>> = {
  group: { accepts: isSubdomain, most: 253, expected: 'lower-case letters, digits, hyphens and dots' },
  version: LABEL,
  resource: LABEL,
  namespace: LABEL,
  name: { accepts: isSegment, most: 253, expected: 'printable ASCII without / % ? # and the like, and not . or ..' },
  subresource: LABEL,
};

/** Throws INVALID_OPTION unless `value` may stand between two slashes. It is printed bounded and escaped. */
function checked(what: Segment, value: string): string {
  const { accepts, most, expected } = GRAMMARS[what];
  if (typeof value === 'string' && value !== '' && value.length <= most && accepts(value)) return value;
  const shown =
    typeof value === 'string' ? JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value) : typeof value;
  throw new KubeError(
    'INVALID_OPTION',
    `${what} ${shown} cannot be part of a path: expected 1 to ${most} of ${expected}`,
  );
}

function isLabel(value: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(value);
}

function isSubdomain(value: string): boolean {
  return value.split('.').every(isLabel);
}

/** Path characters of RFC 3986 without the percent sign; some kinds allow colons and capitals (`system:node`). */
function isSegment(value: string): boolean {
  return value !== '.' && value !== '..' && /^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/.test(value);
}

/** The second lock: whatever the checks above let through, a URL parser must not read it differently. */
function faithful(path: string): string {
  const read = URL.canParse(path, BASE) ? new URL(path, BASE) : undefined;
  if (read?.pathname === path && read.origin === BASE) return path;
  throw new KubeError(
    'INVALID_OPTION',
    'this path would be changed on its way to the server: it has dot segments or characters that need escaping',
  );
}

const BASE = 'http://unused.invalid';
