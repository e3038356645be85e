import { defined } from 'kube-informer/core';
import { type FieldError, invalidFieldError } from '../../core/field-error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { OwnerReference } from '../../core/kube-object.ts';

const FIELD = 'metadata.ownerReferences';

export function ownerReferenceErrors(references: readonly OwnerReference[]): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references) {
    errors.push(...oneOwnerReferenceErrors(reference));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === undefined) controller = name;
    else {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(invalidFieldError(FIELD, references.map(orderOwnerReferenceFields), why));
    }
  }
  return errors;
}

/** The references without duplicates, as they are stored on a write. The server warns about duplicates. */
export function distinctOwnerReferences(references: readonly OwnerReference[]): OwnerReference[] {
  const seen = new Set<string>();
  return references.filter((reference) => {
    const key = JSON.stringify(orderOwnerReferenceFields(reference));
    return !seen.has(key) && seen.add(key);
  });
}

/** Errors of one reference. A client can leave out anything, even required fields. */
function oneOwnerReferenceErrors(reference: Partial<OwnerReference>): FieldError[] {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const errors: FieldError[] = [];
  const version = ownerReferenceVersion(apiVersion);
  if (version === '') errors.push(invalidFieldError(`${FIELD}.apiVersion`, apiVersion, 'version must not be empty'));
  if (kind === '') errors.push(invalidFieldError(`${FIELD}.kind`, kind, 'must not be empty'));
  if (name === '') errors.push(invalidFieldError(`${FIELD}.name`, name, 'must not be empty'));
  if (uid === '') errors.push(invalidFieldError(`${FIELD}.uid`, uid, 'must not be empty'));
  // Events expire, and their dependents would be deleted with them.
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(
      invalidFieldError(
        FIELD,
        orderOwnerReferenceFields(reference),
        '/v1, Kind=Event is disallowed from being an owner',
      ),
    );
  }
  return errors;
}

/** The version; empty for a text that is not `version` or `group/version`. */
function ownerReferenceVersion(apiVersion: string): string {
  const parts = apiVersion.split('/');
  return parts.length > 2 ? '' : (parts.at(-1) as string);
}

function orderOwnerReferenceFields({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
}: Partial<OwnerReference>): JsonObject {
  return {
    apiVersion: apiVersion ?? '',
    kind: kind ?? '',
    name: name ?? '',
    uid: uid ?? '',
    ...defined({ controller, blockOwnerDeletion }),
  };
}
