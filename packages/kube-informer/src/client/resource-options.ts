import { findRoundedInteger } from './codec/rounded-integer.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import type { ListOptions, WatchOptions } from '../core/object/list-options.ts';
import { defined } from '../core/defined.ts';
import type { Narrowed, Selection } from './request/list-query.ts';
import { redactForSafeError } from '../core/safe-error.ts';
import type { CallOptions } from './request/request.ts';
import type { Query } from './request/url.ts';
import type { Wire } from './wire-choice.ts';

/** Options of every call that changes an object. */
export interface WriteOptions extends CallOptions {
  /** Validates the change and does not store it. */
  readonly dryRun?: boolean;
  /** The name the server records in managedFields. @default derived from the user agent by the server */
  readonly fieldManager?: string;
  /** How the server treats unknown or duplicate fields. @default the server's: Warn */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export interface ReplaceOptions extends WriteOptions {
  /** Writes only this subresource: `status`. */
  readonly subresource?: string;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchOptions extends ReplaceOptions {
  /** `strategic` is for built-in kinds only. @default 'merge' for an object, 'json' for an array */
  readonly type?: PatchType;
  /** Server-side apply only: takes over fields that other managers own. */
  readonly force?: boolean;
}

export interface ApplyOptions extends ReplaceOptions {
  readonly fieldManager: string;
  /** Takes over fields that other managers own. @default false */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagation?: 'Orphan' | 'Background' | 'Foreground';
  /** Deletes the object only if it matches. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface SubresourceOptions extends WriteOptions {
  /** @default GET without a body, POST with one */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: object;
  /** Patch type of a PATCH. @default 'merge' for an object, 'json' for an array */
  readonly type?: PatchType;
}

interface WireOption {
  /** Encoding of the objects in responses. @default 'auto': protobuf for built-in kinds, JSON for the rest */
  readonly wire?: Wire;
}

export type ListCallOptions = Narrowed<ListOptions> & Selection & CallOptions & WireOption;
/** Options of a watch. It takes no `timeoutMs`: `timeoutSeconds` asks the server to end it. */
export type WatchCallOptions = Narrowed<WatchOptions> &
  Selection &
  Omit<CallOptions, 'timeoutMs' | 'limiter'> &
  WireOption;
export type DeleteCollectionOptions = DeleteOptions & Selection & Pick<ListOptions, 'resourceVersion' | 'limit'>;

/** A part of an object, at every level. A field that is undefined is not sent. */
export type Partially<T> = { readonly [K in keyof T]?: Partially<T[K]> | undefined };

/** The body of a request and its content type. */
export interface Content {
  readonly body: string;
  readonly contentType: string;
}

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML.
  apply: 'application/apply-patch+yaml',
};

/** The options that concern the call itself, without those of the verb. */
export function callOptionsOf({ signal, timeoutMs, attempts, onWarning, limiter }: CallOptions): CallOptions {
  return defined({ signal, timeoutMs, attempts, onWarning, limiter });
}

/** Rejects the API's own value `'All'`, which would otherwise be ignored and the change stored. */
function isDryRunOption(dryRun: boolean | undefined): boolean {
  requireOption(dryRun === undefined || typeof dryRun === 'boolean', 'dryRun', 'true or false', dryRun);
  return dryRun === true;
}

/** Throws INVALID_OPTION unless the server accepts the name: printable, 1 to 128 bytes. */
export function checkManagerResourceOption(fieldManager: string | undefined): void {
  if (fieldManager === undefined) return;
  const length = typeof fieldManager === 'string' ? new TextEncoder().encode(fieldManager).length : 0;
  if (length > 0 && length <= 128 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(fieldManager)) return;
  throw new KubeError('INVALID_OPTION', 'fieldManager: expected 1 to 128 printable characters');
}

/** The query of a write. Throws INVALID_OPTION. */
export function resourceOptionsQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query {
  checkManagerResourceOption(fieldManager);
  return { dryRun: isDryRunOption(dryRun) ? 'All' : undefined, fieldManager, fieldValidation };
}

/** `object` as a request body. Throws INVALID_OPTION when it is not an object or cannot be encoded as JSON. */
export function jsonOfResourceOptions(object: object): Content {
  checkObjectBesideResourceOptions(object, 'object');
  return { body: encodeForResourceOptions(object, 'object'), contentType: 'application/json' };
}

/**
 * `value` as JSON. Throws INVALID_OPTION with `name` when it cannot be, and for an integer beyond 2^53: it may have been
 * rounded when it was read, and a write would change it on the server.
 */
export function encodeForResourceOptions(value: unknown, name: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value) as string | undefined;
  } catch (error) {
    const message = `${name}: expected a value that JSON can hold: no BigInt and no circular reference`;
    throw new KubeError('INVALID_OPTION', message, { cause: redactForSafeError(error) });
  }
  if (text === undefined)
    throw new KubeError('INVALID_OPTION', `${name}: expected a value that JSON can hold, got undefined or a function`);
  const path = findRoundedInteger(text);
  if (path !== undefined)
    throw new KubeError(
      'INVALID_OPTION',
      `${name}: ${path} is an integer beyond 2^53, which JavaScript rounds, so this write could change it; ` +
        'leave it out and patch() the fields you change, or send the JSON as text with client.request()',
    );
  return text;
}

/** Throws INVALID_OPTION unless `value` is an object: callers from JavaScript are not checked by types. */
export function checkObjectBesideResourceOptions(value: unknown, name: string): void {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  requireOption(isObject, name, 'an object', value);
}

/** `patch` as a request body. Throws INVALID_OPTION when its shape or the options do not fit its type. */
export function patchOfResourceOptions(patch: object, options: PatchOptions): Content {
  const { type = Array.isArray(patch) ? 'json' : 'merge', force, fieldManager } = options;
  requireOption(Object.hasOwn(PATCH_TYPES, type), 'type', 'json, merge, strategic or apply', type);
  if (type === 'json') requireOption(Array.isArray(patch), 'patch', 'an array', patch);
  else checkObjectBesideResourceOptions(patch, 'patch');
  requireOption(
    type !== 'apply' || fieldManager !== undefined,
    'fieldManager',
    'a name for server-side apply',
    fieldManager,
  );
  requireOption(type === 'apply' || force === undefined, 'force', 'only with server-side apply', force);
  return { body: encodeForResourceOptions(patch, 'patch'), contentType: PATCH_TYPES[type] };
}

/** The fields of an object that are checked before a server-side apply. */
export type Applied = Partially<{ apiVersion: string; kind: string; metadata: object }>;

/** `object` with the apiVersion and kind of its resource, where it has none. */
export async function typeForResourceOptions<O extends Applied>(
  object: O,
  { subresource }: ReplaceOptions,
  typeOf: () => Promise<{ readonly group: string; readonly version: string; readonly kind: string }>,
): Promise<O> {
  // Other subresources, such as scale, have a type of their own.
  if ((object.apiVersion && object.kind) || (subresource !== undefined && subresource !== 'status')) return object;
  const known = await typeOf();
  const apiVersion = known.group === '' ? known.version : `${known.group}/${known.version}`;
  return { ...object, apiVersion: object.apiVersion || apiVersion, kind: object.kind || known.kind };
}

/** Throws INVALID_OPTION when the server would refuse to apply the object. */
export function checkAppliedByResourceOptions({ apiVersion, kind, metadata }: Applied): void {
  if (!apiVersion || !kind) throw new KubeError('INVALID_OPTION', 'apply: expected an object with apiVersion and kind');
  if ((metadata as { managedFields?: unknown } | undefined)?.managedFields !== undefined) {
    throw new KubeError(
      'INVALID_OPTION',
      'apply: expected no metadata.managedFields: send only the fields you want to own, not an object you read',
    );
  }
}

/** The body of a delete; undefined when no option needs one. */
export function resourceDeleteContent({
  gracePeriodSeconds,
  propagation,
  preconditions,
  dryRun,
}: DeleteOptions): Content | undefined {
  const options = defined({
    gracePeriodSeconds,
    propagationPolicy: propagation,
    preconditions,
    dryRun: isDryRunOption(dryRun) ? ['All'] : undefined,
  });
  return Object.keys(options).length === 0
    ? undefined
    : jsonOfResourceOptions({ apiVersion: 'v1', kind: 'DeleteOptions', ...options });
}
