import type { JsonObject } from '../../core/json.ts';
import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  tooLongFieldError,
  unsupportedFieldError,
} from '../../core/field-error.ts';
import { badRequestStatusError, invalidStatusError, type StatusError } from '../../core/status-error.ts';

export interface ListQuery {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** 0 for no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteQuery {
  readonly dryRun: boolean;
  /** Name of the field manager; if empty, the User-Agent is used. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
  /** The parameters as sent, for policies and webhooks. */
  readonly sent?: JsonObject;
}

const META_GROUP = 'meta.k8s.io';

/** The status 422 for options, which have a kind of their own and no name. */
export const invalidQueryOptions = (kind: string, errors: readonly FieldError[]): StatusError =>
  invalidStatusError({ group: META_GROUP, kind }, '', errors);

export interface ListQueryOptions {
  readonly isWatch: boolean;
  /** Whether streaming lists are supported. */
  readonly watchList: boolean;
}

/**
 * Parameters of list, watch and deletecollection. Throws 400 for invalid numbers, 422 for parameters that
 * contradict each other.
 */
export function queryOfList(query: URLSearchParams, { isWatch, watchList }: ListQueryOptions): ListQuery {
  const options: ListQuery = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: Math.max(0, integerInQuery(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    sendInitialEvents: query.has('sendInitialEvents') ? isQueryTrue(query, 'sendInitialEvents') : undefined,
    allowWatchBookmarks: isQueryTrue(query, 'allowWatchBookmarks'),
    timeoutSeconds: integerInQuery(query, 'timeoutSeconds'),
  };
  const asked = isWatch && watchList ? withStreamingQueryDefaults(options) : options;
  const errors = isWatch ? queryErrorsOfWatch(asked, watchList) : queryErrorsOfList(asked);
  if (errors.length > 0) throw invalidQueryOptions('ListOptions', errors);
  return asked;
}

/** A watch without a version, or from 0, is a streaming list even if it does not request one. */
function withStreamingQueryDefaults(options: ListQuery): ListQuery {
  const { resourceVersion, resourceVersionMatch, sendInitialEvents } = options;
  if (sendInitialEvents !== undefined || resourceVersionMatch !== '') return options;
  if (resourceVersion !== '' && resourceVersion !== '0') return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

const MATCH = 'resourceVersionMatch';

function queryErrorsOfList(options: ListQuery): FieldError[] {
  const { resourceVersion, resourceVersionMatch: match, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  if (match !== '') {
    if (resourceVersion === '')
      errors.push(forbiddenFieldError(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (options.continue !== '')
      errors.push(forbiddenFieldError(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(unsupportedFieldError(MATCH, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && resourceVersion === '0')
      errors.push(forbiddenFieldError(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (sendInitialEvents !== undefined)
    errors.push(forbiddenFieldError('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function queryErrorsOfWatch(options: ListQuery, watchList: boolean): FieldError[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  if (match !== '') {
    if (sendInitialEvents === undefined)
      errors.push(
        forbiddenFieldError(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    else if (match !== 'NotOlderThan')
      errors.push(
        forbiddenFieldError(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
      );
    if (match !== 'NotOlderThan') errors.push(unsupportedFieldError(MATCH, match, ['NotOlderThan']));
    if (options.continue !== '')
      errors.push(forbiddenFieldError(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  } else if (sendInitialEvents !== undefined)
    errors.push(forbiddenFieldError(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (sendInitialEvents !== undefined && !watchList)
    errors.push(
      forbiddenFieldError(
        'sendInitialEvents',
        'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      ),
    );
  return errors;
}

const MAX_MANAGER_BYTES = 128;

/** Parameters of create, update and patch; `kind` names them in errors: `CreateOptions`. */
export function queryOfWrite(query: URLSearchParams, kind: string, isApply = false): WriteQuery {
  const errors: FieldError[] = [];
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const validation = query.get('fieldValidation') ?? '';
  if (kind === 'PatchOptions') {
    if (isApply && fieldManager === '')
      errors.push({
        reason: 'FieldValueRequired',
        field: 'fieldManager',
        message: 'Required value: is required for apply patch',
      });
    if (!isApply && query.has('force'))
      errors.push(forbiddenFieldError('force', 'may not be specified for non-apply patch'));
  }
  errors.push(...fieldManagerQueryErrors(fieldManager), ...dryRunQueryErrors(dryRun));
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(validation))
    errors.push(unsupportedFieldError('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  if (errors.length > 0) throw invalidQueryOptions(kind, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: validation === '' ? 'Warn' : (validation as FieldValidation),
    force: isQueryTrue(query, 'force'),
  };
}

export function dryRunQueryErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [unsupportedFieldError('dryRun', [...dryRun], ['All'])];
}

function fieldManagerQueryErrors(manager: string): FieldError[] {
  if (Buffer.byteLength(manager) > MAX_MANAGER_BYTES)
    return [tooLongFieldError('fieldManager', `may not be more than ${MAX_MANAGER_BYTES} bytes`)];
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const at = manager.search(/[\u0000-\u001f\u007f-\u009f]/);
  if (at === -1) return [];
  const code = manager.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  const { message, ...error } = invalidFieldError(
    'fieldManager',
    manager,
    `invalid character U+${code} (at position ${at})`,
  );
  // Go escapes such a character in its own way.
  return [{ ...error, message: message.replaceAll('\\u00', '\\x') }];
}

/** A whole number, or a 400 with kube-apiserver's message. */
export function integerInQuery(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text))
    throw badRequestStatusError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text.replace('+', ''));
  if (BigInt.asIntN(64, value) !== value)
    throw badRequestStatusError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(value);
}

/** The server's error message about an invalid resourceVersion; undefined when it is valid. */
export function queryResourceVersionFault(text: string): string | undefined {
  const isNumber = /^\d*$/.test(text);
  if (isNumber && BigInt.asUintN(64, BigInt(text)) === BigInt(text)) return undefined;
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`;
}

/** The server's error message about an invalid resourceVersion in the query; undefined when it is valid. */
export function queryVersionFault(text: string): string | undefined {
  const fault = queryResourceVersionFault(text);
  return fault === undefined ? undefined : `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${fault}`;
}

/** A boolean parameter: true if present and not "false" or "0", also for a bare `?watch`. */
export function isQueryTrue(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}
