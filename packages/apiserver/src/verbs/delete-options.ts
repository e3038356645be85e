import { invalidField, unsupportedField } from '../errors/field.ts';
import { badRequest } from '../errors/status.ts';
import type { FieldError, Json } from '../types.ts';
import { dryRunErrors, integer, invalidOptions, isTrue } from './options.ts';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

/** From a body if there is one, else from the query. Throws 400 and 422. */
export function deleteOptions(query: URLSearchParams, body: Json | undefined): DeleteOptions {
  const options = body === undefined || body === null ? fromQuery(query) : fromBody(body);
  const errors: FieldError[] = [];
  const { propagationPolicy: policy, orphanDependents } = options;
  if (policy !== undefined && orphanDependents !== undefined)
    errors.push(
      invalidField('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  else if (policy !== undefined && !POLICIES.includes(policy))
    errors.push(unsupportedField('propagationPolicy', policy, [...POLICIES, 'nil']));
  // The query counts in any case: kubectl and client-go put dryRun there.
  const dryRun = [...options.dryRun, ...(body === undefined ? [] : query.getAll('dryRun'))];
  errors.push(...dryRunErrors(dryRun));
  if (errors.length > 0) throw invalidOptions('DeleteOptions', errors);
  return { ...options, dryRun: dryRun.length > 0 } as DeleteOptions;
}

type RawOptions = Omit<DeleteOptions, 'dryRun' | 'propagationPolicy'> & {
  readonly dryRun: readonly string[];
  readonly propagationPolicy?: string;
};

function fromQuery(query: URLSearchParams): RawOptions {
  const grace = integer(query, 'gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  return {
    dryRun: query.getAll('dryRun'),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === null || policy === '' ? {} : { propagationPolicy: policy }),
    ...(query.has('orphanDependents') ? { orphanDependents: isTrue(query, 'orphanDependents') } : {}),
  };
}

function fromBody(body: Json): RawOptions {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest(
      "couldn't get version/kind; json parse error: json: cannot unmarshal into Go value of type struct",
    );
  const { kind, apiVersion } = body;
  if (typeof kind === 'string' && kind !== '' && kind !== 'DeleteOptions')
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion ?? '')} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun } = body;
  return {
    dryRun: Array.isArray(dryRun) ? (dryRun as string[]) : [],
    ...(typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {}),
    ...(typeof propagationPolicy === 'string' ? { propagationPolicy } : {}),
    ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
    ...(typeof preconditions === 'object' && preconditions !== null ? { preconditions: preconditions as object } : {}),
  };
}
