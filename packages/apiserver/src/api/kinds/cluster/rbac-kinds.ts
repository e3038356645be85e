import {
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import {
  ensureFields,
  fieldsAt,
  itemsField,
  sameFields,
  setDefaultField,
  textField,
  textsField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';

const GROUP = 'rbac.authorization.k8s.io';

const rbacRoleKindRules = (namespaced: boolean): KindRules => ({
  validate: (role) => rbacRoleKindErrors(role, namespaced),
  validateUpdate: (next) => rbacRoleKindErrors(next, namespaced),
});

export const namespacedRoleRules: KindRules = rbacRoleKindRules(true);
export const clusterRoleRules: KindRules = rbacRoleKindRules(false);

function rbacRoleKindErrors(role: ApiObject, namespaced: boolean): FieldError[] {
  return itemsField(role, 'rules').flatMap((rule, index) => {
    const path = `rules[${index}]`;
    const errors: FieldError[] = [];
    const urls = textsField(rule, 'nonResourceURLs');
    if (textsField(rule, 'verbs').length === 0)
      errors.push(requiredFieldError(`${path}.verbs`, 'verbs must contain at least one value'));
    if (urls.length > 0) {
      if (namespaced)
        errors.push(
          invalidFieldError(`${path}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'),
        );
      if (['apiGroups', 'resources', 'resourceNames'].some((name) => textsField(rule, name).length > 0))
        errors.push(
          invalidFieldError(
            `${path}.nonResourceURLs`,
            urls,
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        );
      return errors;
    }
    if (textsField(rule, 'apiGroups').length === 0)
      errors.push(requiredFieldError(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
    if (textsField(rule, 'resources').length === 0)
      errors.push(requiredFieldError(`${path}.resources`, 'resource rules must supply at least one resource'));
    return errors;
  });
}

const rbacBindingKindRules = (namespaced: boolean): KindRules => ({
  defaults(binding) {
    setDefaultField(ensureFields(binding, 'roleRef'), 'apiGroup', GROUP);
    for (const subject of itemsField(binding, 'subjects'))
      if (['User', 'Group'].includes(textField(subject, 'kind'))) setDefaultField(subject, 'apiGroup', GROUP);
  },
  validate: (binding) => rbacBindingKindErrors(binding, namespaced),
  validateUpdate(next, old) {
    const errors = rbacBindingKindErrors(next, namespaced);
    if (!sameFields(next['roleRef'], old['roleRef'])) {
      const ref = fieldsAt(next, 'roleRef');
      const shown = {
        APIGroup: textField(ref, 'apiGroup'),
        Kind: textField(ref, 'kind'),
        Name: textField(ref, 'name'),
      };
      errors.push(invalidFieldError('roleRef', shown, 'cannot change roleRef'));
    }
    return errors;
  },
});

export const roleBindingRules: KindRules = rbacBindingKindRules(true);
export const clusterRoleBindingRules: KindRules = rbacBindingKindRules(false);

const SUBJECTS = ['ServiceAccount', 'User', 'Group'];

function rbacBindingKindErrors(binding: ApiObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const ref = fieldsAt(binding, 'roleRef');
  if (textField(ref, 'apiGroup') !== GROUP)
    errors.push(unsupportedFieldError('roleRef.apiGroup', textField(ref, 'apiGroup'), [GROUP]));
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(textField(ref, 'kind')))
    errors.push(unsupportedFieldError('roleRef.kind', textField(ref, 'kind'), kinds));
  if (textField(ref, 'name') === '') errors.push(requiredFieldError('roleRef.name'));
  for (const [index, subject] of itemsField(binding, 'subjects').entries()) {
    const path = `subjects[${index}]`;
    const kind = textField(subject, 'kind');
    if (textField(subject, 'name') === '') errors.push(requiredFieldError(`${path}.name`));
    if (!SUBJECTS.includes(kind)) errors.push(unsupportedFieldError(`${path}.kind`, kind, SUBJECTS));
    if (kind === 'ServiceAccount' && !namespaced && textField(subject, 'namespace') === '')
      errors.push(requiredFieldError(`${path}.namespace`));
  }
  return errors;
}
