import { defined, KubeError } from 'kube-informer/core';
import { forbiddenFieldError } from '../core/field-error.ts';
import { invalidQueryOptions } from '../verbs/request/query.ts';
import type { FaultMatch, FaultRule } from './rules/rule.ts';

/**
 * - `1.33`: no streaming lists.
 * - `1.20`: also no aggregated discovery, OpenAPI v3 and field validation.
 * - `1.15`: also no bookmarks, and unknown parameters are silently ignored.
 * - `no-tables`, `no-gzip`, `no-metadata-only`, `no-version-match`: aggregated servers and proxies that lack
 * one feature.
 */
export type OldServer = '1.33' | '1.20' | '1.15' | 'no-tables' | 'no-gzip' | 'no-metadata-only' | 'no-version-match';

const times = Infinity;
const WATCH: FaultMatch = { verb: 'watch' };
const { message } = invalidQueryOptions('ListOptions', [
  forbiddenFieldError(
    'sendInitialEvents',
    'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
  ),
]).status;

const noStreamingLists: FaultRule = {
  match: { ...WATCH, query: { sendInitialEvents: '*' } },
  times,
  do: { status: { code: 422, reason: 'Invalid', ...defined({ message }) } },
};

const oldServerAccept = (accept: RegExp): FaultRule => ({
  match: { headers: { accept } },
  times,
  do: { requestHeaders: { accept: 'application/json' } },
});

const oldServerVersion = (minor: number): FaultRule => ({
  match: { path: '/version' },
  times,
  do: { body: (info) => ({ ...info, minor: String(minor), gitVersion: `v1.${minor}.0` }) },
});

const beforeValidation: readonly FaultRule[] = [
  oldServerAccept(/as=APIGroupDiscoveryList/),
  {
    match: { path: /^\/openapi\/v3/ },
    times,
    do: { status: { code: 404, form: 'plain', message: '404 page not found' } },
  },
  { match: { query: { fieldValidation: '*' } }, times, do: { query: { fieldValidation: null } } },
];

const SERVERS: Readonly<Record<OldServer, readonly FaultRule[]>> = {
  '1.33': [noStreamingLists, oldServerVersion(33)],
  '1.20': [noStreamingLists, ...beforeValidation, oldServerVersion(20)],
  '1.15': [
    {
      match: WATCH,
      times,
      do: { query: { sendInitialEvents: null, resourceVersionMatch: null, allowWatchBookmarks: null } },
    },
    { match: { verb: 'list' }, times, do: { query: { resourceVersionMatch: null } } },
    // This server ends the initial state with a bookmark only if that is requested.
    ...beforeValidation,
    oldServerVersion(15),
  ],
  'no-tables': [oldServerAccept(/as=Table/)],
  'no-gzip': [{ times, do: { requestHeaders: { 'accept-encoding': null } } }],
  'no-metadata-only': [{ match: { headers: { accept: /as=PartialObjectMetadata/ } }, times, do: { status: 406 } }],
  'no-version-match': [{ match: { verb: 'list' }, times, do: { query: { resourceVersionMatch: null } } }],
};

/** The rules that make this server behave like another one. */
export function oldServerRules(name: OldServer): readonly FaultRule[] {
  const rules = Object.hasOwn(SERVERS, name) ? SERVERS[name] : undefined;
  if (rules !== undefined) return rules;
  throw new KubeError('INVALID_OPTION', `emulate: expected one of ${Object.keys(SERVERS).join(', ')}, got ${name}`);
}
