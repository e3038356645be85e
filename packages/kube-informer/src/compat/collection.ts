import { requireOption } from '../core/errors.ts';

/** The resource, namespace and selectors in a path. */
export interface Collection {
  /** The full name, such as `v1/pods` or `apps/v1/deployments`. */
  readonly resource: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const CORE = /^\/api\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)$/;
const GROUP = /^\/apis\/(?<group>[^/]+)\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)$/;
const EXPECTED = 'the path of a collection, /api/v1/namespaces/web/pods or /apis/apps/v1/deployments';

/** Parses a path such as `/api/v1/namespaces/web/pods`. Its query may contain selectors. Throws INVALID_OPTION. */
export function collectionOf(path: string): Collection {
  requireOption(typeof path === 'string', 'path', EXPECTED, path);
  const [plain = '', query = ''] = path.split('?', 2);
  const parts = (CORE.exec(plain) ?? GROUP.exec(plain))?.groups;
  requireOption(parts !== undefined, 'path', EXPECTED, path);
  const { group, version = '', namespace = '', plural = '' } = parts as Readonly<Record<string, string | undefined>>;
  const parameters = new URLSearchParams(query);
  const selectors = (['labelSelector', 'fieldSelector'] as const).flatMap((name) => {
    const value = parameters.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  return {
    resource: group === undefined ? `${version}/${plural}` : `${group}/${version}/${plural}`,
    namespace: decodeURIComponent(namespace),
    ...Object.fromEntries(selectors),
  };
}
