import { defined } from 'kube-informer/core';
import { builtinSchema } from '../../api/schema/builtin-schema.ts';
import { type FieldError, invalidFieldError, unsupportedFieldError } from '../../core/field-error.ts';
import type { JsonObject } from '../../core/json.ts';
import { badRequestStatusError } from '../../core/status-error.ts';
import { dryRunQueryErrors, integerInQuery, invalidQueryOptions, isQueryTrue } from './query.ts';
import { typeFault } from './type-fault.ts';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string | null; readonly resourceVersion?: string | null };
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

/** The kind assumed for the body of a DELETE that has none. */
export const DELETE_OPTIONS = { group: 'meta.k8s.io', version: 'v1', kind: 'DeleteOptions' } as const;

/** Throws 400 for the body of a DELETE that is not DeleteOptions, or has a field with an invalid value. */
export function checkDeleteOptions(body: JsonObject | null): void {
  const { kind: expected, group, version } = DELETE_OPTIONS;
  const kind = body?.['kind'] ?? '';
  if (kind !== '' && kind !== expected)
    throw badRequestStatusError(
      `no kind ${JSON.stringify(kind)} is registered for version ` +
        `${JSON.stringify(body?.['apiVersion'] ?? `${group}/${version}`)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const fault = typeFault(body, builtinSchema(group, version, expected), expected);
  if (fault !== undefined) throw badRequestStatusError(fault.why);
}

/** Reads the options from a checked body, if there is one, otherwise from the query. Throws 400 and 422. */
export function readDeleteOptions(query: URLSearchParams, body: JsonObject | null | undefined): DeleteOptions {
  const options = body === undefined || body === null ? deleteOptionsFromQuery(query) : deleteOptionsFromBody(body);
  const errors: FieldError[] = [];
  const { propagationPolicy: policy, orphanDependents } = options;
  if (policy !== undefined && orphanDependents !== undefined)
    errors.push(
      invalidFieldError('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  else if (policy !== undefined && !POLICIES.includes(policy))
    errors.push(unsupportedFieldError('propagationPolicy', policy, [...POLICIES, 'nil']));
  // The query always counts: kubectl and client-go send dryRun there.
  const dryRun = [...options.dryRun, ...(body === undefined ? [] : query.getAll('dryRun'))];
  errors.push(...dryRunQueryErrors(dryRun));
  if (errors.length > 0) throw invalidQueryOptions('DeleteOptions', errors);
  return { ...options, dryRun: dryRun.length > 0 } as DeleteOptions;
}

type RawOptions = Omit<DeleteOptions, 'dryRun' | 'propagationPolicy'> & {
  readonly dryRun: readonly string[];
  readonly propagationPolicy?: string;
};

function deleteOptionsFromQuery(query: URLSearchParams): RawOptions {
  const grace = integerInQuery(query, 'gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  return {
    dryRun: query.getAll('dryRun'),
    ...defined({ gracePeriodSeconds: grace }),
    ...(policy === null || policy === '' ? {} : { propagationPolicy: policy }),
    ...(query.has('orphanDependents') ? { orphanDependents: isQueryTrue(query, 'orphanDependents') } : {}),
  };
}

function deleteOptionsFromBody(body: JsonObject): RawOptions {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun } = body;
  return {
    dryRun: ((dryRun ?? []) as (string | null)[]).map((value) => value ?? ''),
    ...(typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {}),
    ...(typeof propagationPolicy === 'string' ? { propagationPolicy } : {}),
    ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
    ...(typeof preconditions === 'object' && preconditions !== null ? { preconditions: preconditions as object } : {}),
  };
}
