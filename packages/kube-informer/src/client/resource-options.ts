import { KubeError, requireOption } from '../core/errors.ts';
import type { ListOptions, WatchOptions } from '../core/object/list-options.ts';
import { defined } from '../core/defined.ts';
import { checkFieldManager, type Narrowed, type Selection } from './request/list-query.ts';
import { safeCause } from './secrets/redact.ts';
import type { CallOptions } from './request/request.ts';
import type { Query } from './request/url.ts';

/** Of every call that changes something. */
export interface WriteOptions extends CallOptions {
  /** Checks everything and stores nothing. */
  readonly dryRun?: boolean;
  /** Who changes it, as the server keeps it in managedFields. @default from the user agent, by the server */
  readonly fieldManager?: string;
  /** What the server does about unknown or duplicate fields. @default the server's: Warn */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

export interface ReplaceOptions extends WriteOptions {
  /** Only this part of the object: `status`. */
  readonly subresource?: string;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchOptions extends ReplaceOptions {
  /** `strategic` is for built-in kinds only. @default 'merge' for an object, 'json' for an array */
  readonly type?: PatchType;
  /** Server-side apply only: take over fields that others own. */
  readonly force?: boolean;
}

export interface ApplyOptions extends ReplaceOptions {
  readonly fieldManager: string;
  /** Take over fields that others own. @default false */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagation?: 'Orphan' | 'Background' | 'Foreground';
  /** Delete only the object that was meant. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface SubresourceOptions extends WriteOptions {
  /** @default GET without a body, POST with one */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: object;
  /** Of a PATCH. @default 'merge' for an object, 'json' for an array */
  readonly type?: PatchType;
}

export type ListCallOptions = Narrowed<ListOptions> & Selection & CallOptions;
/** A watch has no end of its own, so `timeoutSeconds` is asked of the server instead of `timeoutMs`. */
export type WatchCallOptions = Narrowed<WatchOptions> & Selection & Omit<CallOptions, 'timeoutMs' | 'limiter'>;
export type DeleteCollectionOptions = DeleteOptions & Selection & Pick<ListOptions, 'resourceVersion' | 'limit'>;

/** A part of an object: only the fields that are meant. */
export type Partially<T> = { readonly [K in keyof T]?: Partially<T[K]> };

/** The body of a request and what it is. */
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

/** Only what concerns the call as such. */
export function callOf({ signal, timeoutMs, attempts, onWarning, limiter }: CallOptions): CallOptions {
  return defined({ signal, timeoutMs, attempts, onWarning, limiter });
}

/** Whoever writes the API's own `All` must not write for real. */
function isDry(dryRun: boolean | undefined): boolean {
  requireOption(dryRun === undefined || typeof dryRun === 'boolean', 'dryRun', 'true or false', dryRun);
  return dryRun === true;
}

/** Throws INVALID_OPTION. */
export function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query {
  checkFieldManager(fieldManager);
  return { dryRun: isDry(dryRun) ? 'All' : undefined, fieldManager, fieldValidation };
}

/** Throws INVALID_OPTION for what is no object of JSON. */
export function json(object: object): Content {
  checkObject(object, 'object');
  return { body: encoded(object, 'object'), contentType: 'application/json' };
}

/** `value` as JSON; `name` is for the error when it cannot be. */
export function encoded(value: unknown, name: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value) as string | undefined;
  } catch (error) {
    const message = `${name}: expected what JSON can hold: no BigInt, and nothing that holds itself`;
    throw new KubeError('INVALID_OPTION', message, { cause: safeCause(error) });
  }
  if (text === undefined) throw new KubeError('INVALID_OPTION', `${name}: expected what JSON can hold, got nothing`);
  return text;
}

/** Types say so; whoever calls from JavaScript, or with what a parser gave, may not know. */
export function checkObject(value: unknown, name: string): void {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  requireOption(isObject, name, 'an object', value);
}

/** Throws INVALID_OPTION when options and type do not fit. */
export function patchContent(patch: object, options: PatchOptions): Content {
  const { type = Array.isArray(patch) ? 'json' : 'merge', force, fieldManager } = options;
  requireOption(Object.hasOwn(PATCH_TYPES, type), 'type', 'json, merge, strategic or apply', type);
  if (type === 'json') requireOption(Array.isArray(patch), 'patch', 'an array', patch);
  else checkObject(patch, 'patch');
  requireOption(
    type !== 'apply' || fieldManager !== undefined,
    'fieldManager',
    'a name for server-side apply',
    fieldManager,
  );
  requireOption(type === 'apply' || force === undefined, 'force', 'only with server-side apply', force);
  return { body: encoded(patch, 'patch'), contentType: PATCH_TYPES[type] };
}

/** The parts of an object that server-side apply looks at. */
export type Applied = Partially<{ apiVersion: string; kind: string; metadata: object }>;

/** `object` with the type of what it is applied to, where it does not say it itself. */
export async function typed<O extends Applied>(
  object: O,
  { subresource }: ReplaceOptions,
  builtIn: () => Promise<{ readonly group: string; readonly version: string; readonly kind: string } | undefined>,
): Promise<O> {
  // Other subresources, such as scale, have a type of their own.
  if ((object.apiVersion && object.kind) || (subresource !== undefined && subresource !== 'status')) return object;
  const known = await builtIn();
  if (known === undefined) return object;
  const apiVersion = known.group === '' ? known.version : `${known.group}/${known.version}`;
  return { ...object, apiVersion: object.apiVersion || apiVersion, kind: object.kind || known.kind };
}

/** What server-side apply demands of an object, said before it is sent. */
export function checkApplied({ apiVersion, kind, metadata }: Applied): void {
  if (!apiVersion || !kind) throw new KubeError('INVALID_OPTION', 'apply: expected an object with apiVersion and kind');
  if ((metadata as { managedFields?: unknown } | undefined)?.managedFields !== undefined) {
    throw new KubeError(
      'INVALID_OPTION',
      'apply: expected no metadata.managedFields: send only the fields you want to own, not an object you read',
    );
  }
}

/** The body of a delete; none when there is nothing to say. */
export function deletion({
  gracePeriodSeconds,
  propagation,
  preconditions,
  dryRun,
}: DeleteOptions): Content | undefined {
  const options = defined({
    gracePeriodSeconds,
    propagationPolicy: propagation,
    preconditions,
    dryRun: isDry(dryRun) ? ['All'] : undefined,
  });
  return Object.keys(options).length === 0 ? undefined : json({ apiVersion: 'v1', kind: 'DeleteOptions', ...options });
}
