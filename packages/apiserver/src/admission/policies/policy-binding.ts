import { type Fields, nameField, specFields, textField } from '../../api/kinds/common/fields.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { Attributes } from '../../verbs/admission-gate.ts';

/** A binding of either kind of policies. */
export interface Binding {
  readonly name: string;
  readonly policyName: string;
  readonly spec: Fields;
}

export const policyBinding = (object: ApiObject): Binding => ({
  name: nameField(object),
  policyName: textField(specFields(object), 'policyName'),
  spec: specFields(object),
});

/** The name of an object in a refusal; its prefix if the name is not generated yet. */
export const refusedPolicyBindingName = ({ name, object }: Attributes): string =>
  name || (object?.metadata?.name ?? '') || (object?.metadata?.generateName ?? '') || 'Unknown';
