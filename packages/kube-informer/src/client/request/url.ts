import { KubeError } from '../../core/errors.ts';

/** The parts of a path. An empty or absent namespace means all namespaces, or a cluster-scoped resource. */
export interface ResourcePath {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The parts of a path that the caller supplies. */
export type Target = Pick<ResourcePath, 'namespace' | 'name' | 'subresource'>;

/** Query parameters. Undefined ones are not sent; 0, false and "" are. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * Builds the path of a resource; no other code builds paths.
 *
 * Checks every segment first: the name `..` would reach another object, a name with a slash or a percent sign
 * another resource. Escapes nothing, because nothing that needs escaping is accepted. Throws INVALID_OPTION.
 */
export function resourceUrlPath(path: ResourcePath): string {
  const { resource, namespace = '', name, subresource } = path;
  checkUrl(path);
  const parts = [groupVersionOfUrl(path)];
  if (namespace !== '') parts.push('namespaces', namespace);
  parts.push(checkedUrlSegment('resource', resource));
  if (name !== undefined) parts.push(name);
  if (subresource !== undefined) parts.push(subresource);
  return requireUnambiguousUrlPath(parts.join('/'));
}

/** The path of a group-version: `/api/v1`, `/apis/apps/v1`. */
export function groupVersionUrlPath(path: Pick<ResourcePath, 'group' | 'version'>): string {
  return requireUnambiguousUrlPath(groupVersionOfUrl(path));
}

function groupVersionOfUrl({ group, version }: Pick<ResourcePath, 'group' | 'version'>): string {
  checkedUrlSegment('version', version);
  return group === '' ? `/api/${version}` : `/apis/${checkedUrlSegment('group', group)}/${version}`;
}

/** Throws INVALID_OPTION unless these can be part of a path. For checks before discovery finds the rest of the path. */
export function checkUrl({ namespace = '', name, subresource }: Target): void {
  if (namespace !== '') checkedUrlSegment('namespace', namespace);
  if (name !== undefined) checkedUrlSegment('name', name);
  if (subresource === undefined) return;
  checkedUrlSegment('subresource', subresource);
  if (name === undefined) throw new KubeError('INVALID_OPTION', 'subresource: expected an object name with it');
}

/** A path with a query, in which every value is encoded. */
export function urlWithQuery(path: string, query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)]) {
      // URLSearchParams would replace a lone surrogate, and the server would select other objects.
      if (/\p{Surrogate}/u.test(one)) throw new KubeError('INVALID_OPTION', `${name}: expected well-formed text`);
      params.append(name, one);
    }
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A path from the user, which must already be escaped. Throws INVALID_OPTION. */
export function checkedRawUrlPath(path: string): string {
  if (typeof path !== 'string' || !path.startsWith('/') || path.startsWith('//')) {
    throw new KubeError('INVALID_OPTION', 'path: expected a path that begins with a single slash');
  }
  if (/[^\u0021-\u007e]|#/.test(path)) {
    throw new KubeError('INVALID_OPTION', 'path: expected ASCII without spaces, control characters and fragment');
  }
  const question = path.indexOf('?');
  requireUnambiguousUrlPath(question === -1 ? path : path.slice(0, question));
  return path;
}

/** Whether requests to `path` are about Secrets, however it is escaped. The query may be part of it. */
export function isSecretUrl(path: string): boolean {
  return SECRETS.test(
    path.replaceAll(/%[0-9a-f]{2}/gi, (hex) => String.fromCharCode(Number.parseInt(hex.slice(1), 16))),
  );
}

const SECRETS = /^\/api\/v1\/(?:watch\/)?(?:namespaces\/[^/]+\/)?secrets(?:[/?]|$)/;

type Segment = 'group' | 'version' | 'resource' | 'namespace' | 'name' | 'subresource';

interface Grammar {
  readonly accepts: (value: string) => boolean;
  readonly maxLength: number;
  readonly expected: string;
}

const LABEL: Grammar = { accepts: isUrlDnsLabel, maxLength: 63, expected: 'lower-case letters, digits and hyphens' };

const GRAMMARS: Readonly<Record<Segment, Grammar>> = {
  group: { accepts: isUrlDnsSubdomain, maxLength: 253, expected: 'lower-case letters, digits, hyphens and dots' },
  version: LABEL,
  resource: LABEL,
  namespace: LABEL,
  name: {
    accepts: isUrlSegment,
    maxLength: 253,
    expected: 'printable ASCII without / % ? # and the like, and not . or ..',
  },
  subresource: LABEL,
};

/** Throws INVALID_OPTION, with `value` shortened and escaped, unless it may be one segment of a path. */
function checkedUrlSegment(what: Segment, value: string): string {
  const { accepts, maxLength, expected } = GRAMMARS[what];
  if (typeof value === 'string' && value !== '' && value.length <= maxLength && accepts(value)) return value;
  const shown =
    typeof value === 'string' ? JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value) : typeof value;
  throw new KubeError(
    'INVALID_OPTION',
    `${what} ${shown} cannot be part of a path: expected 1 to ${maxLength} of ${expected}`,
  );
}

function isUrlDnsLabel(value: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(value);
}

function isUrlDnsSubdomain(value: string): boolean {
  return value.split('.').every(isUrlDnsLabel);
}

/** Path characters of RFC 3986 without the percent sign; some kinds allow colons and capitals (`system:node`). */
function isUrlSegment(value: string): boolean {
  return value !== '.' && value !== '..' && /^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/.test(value);
}

/** A second check, independent of those above: a URL parser must read the path unchanged. */
function requireUnambiguousUrlPath(path: string): string {
  if (isReadUnchangedAsUrl(path)) return path;
  throw new KubeError(
    'INVALID_OPTION',
    'this path would be changed on its way to the server: it has dot segments or characters that need escaping',
  );
}

/** Parses once: `URL.canParse` before it would take as long again, for every request. */
function isReadUnchangedAsUrl(path: string): boolean {
  try {
    const { pathname, origin } = new URL(path, BASE);
    return pathname === path && origin === BASE;
  } catch {
    return false;
  }
}

const BASE = 'http://unused.invalid';
