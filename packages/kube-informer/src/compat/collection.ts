import { requireOption } from '../core/errors.ts';

/** What a path names. */
export interface Collection {
  /** `v1/pods`, `apps/v1/deployments` */
  readonly resource: string;
  /** Empty: all of them. */
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const CORE = /^\/api\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)$/;
const GROUP = /^\/apis\/(?<group>[^/]+)\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)$/;
const EXPECTED = 'the path of a collection, /api/v1/namespaces/web/pods or /apis/apps/v1/deployments';

/** `/api/v1/namespaces/web/pods` → pods of web. Selectors may be in its query. Throws INVALID_OPTION. */
export function collectionOf(path: string): Collection {
  requireOption(typeof path === 'string', 'path', EXPECTED, path);
  const [plain = '', query = ''] = path.split('?', 2);
  const parts = (CORE.exec(plain) ?? GROUP.exec(plain))?.groups;
  requireOption(parts !== undefined, 'path', EXPECTED, path);
  const { group, version = '', namespace = '', plural = '' } = parts as Readonly<Record<string, string | undefined>>;
  const asked = new URLSearchParams(query);
  const narrowed = (['labelSelector', 'fieldSelector'] as const).flatMap((name) => {
    const value = asked.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  return {
    resource: group === undefined ? `${version}/${plural}` : `${group}/${version}/${plural}`,
    namespace: decodeURIComponent(namespace),
    ...Object.fromEntries(narrowed),
  };
}
