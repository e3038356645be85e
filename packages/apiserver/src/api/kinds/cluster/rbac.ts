import { type FieldError, invalidField, requiredField, unsupportedField } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/object.ts';
import { ensureFields, fieldsAt, itemsAt, sameFields, setDefault, textAt, textsAt } from '../common/fields.ts';
import type { KindRules } from '../common/rules.ts';

const GROUP = 'rbac.authorization.k8s.io';

const roleRules = (namespaced: boolean): KindRules => ({
  validate: (role) => ruleErrors(role, namespaced),
  validateUpdate: (next) => ruleErrors(next, namespaced),
});

export const namespacedRoleRules: KindRules = roleRules(true);
export const clusterRoleRules: KindRules = roleRules(false);

function ruleErrors(role: ApiObject, namespaced: boolean): FieldError[] {
  return itemsAt(role, 'rules').flatMap((rule, index) => {
    const path = `rules[${index}]`;
    const errors: FieldError[] = [];
    const urls = textsAt(rule, 'nonResourceURLs');
    if (textsAt(rule, 'verbs').length === 0)
      errors.push(requiredField(`${path}.verbs`, 'verbs must contain at least one value'));
    if (urls.length > 0) {
      if (namespaced)
        errors.push(
          invalidField(`${path}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'),
        );
      if (['apiGroups', 'resources', 'resourceNames'].some((name) => textsAt(rule, name).length > 0))
        errors.push(
          invalidField(
            `${path}.nonResourceURLs`,
            urls,
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        );
      return errors;
    }
    if (textsAt(rule, 'apiGroups').length === 0)
      errors.push(requiredField(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
    if (textsAt(rule, 'resources').length === 0)
      errors.push(requiredField(`${path}.resources`, 'resource rules must supply at least one resource'));
    return errors;
  });
}

const bindingRules = (namespaced: boolean): KindRules => ({
  defaults(binding) {
    setDefault(ensureFields(binding, 'roleRef'), 'apiGroup', GROUP);
    for (const subject of itemsAt(binding, 'subjects'))
      if (['User', 'Group'].includes(textAt(subject, 'kind'))) setDefault(subject, 'apiGroup', GROUP);
  },
  validate: (binding) => bindingErrors(binding, namespaced),
  validateUpdate(next, old) {
    const errors = bindingErrors(next, namespaced);
    if (!sameFields(next['roleRef'], old['roleRef'])) {
      const ref = fieldsAt(next, 'roleRef');
      const shown = { APIGroup: textAt(ref, 'apiGroup'), Kind: textAt(ref, 'kind'), Name: textAt(ref, 'name') };
      errors.push(invalidField('roleRef', shown, 'cannot change roleRef'));
    }
    return errors;
  },
});

export const roleBindingRules: KindRules = bindingRules(true);
export const clusterRoleBindingRules: KindRules = bindingRules(false);

const SUBJECTS = ['ServiceAccount', 'User', 'Group'];

function bindingErrors(binding: ApiObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const ref = fieldsAt(binding, 'roleRef');
  if (textAt(ref, 'apiGroup') !== GROUP)
    errors.push(unsupportedField('roleRef.apiGroup', textAt(ref, 'apiGroup'), [GROUP]));
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(textAt(ref, 'kind'))) errors.push(unsupportedField('roleRef.kind', textAt(ref, 'kind'), kinds));
  if (textAt(ref, 'name') === '') errors.push(requiredField('roleRef.name'));
  for (const [index, subject] of itemsAt(binding, 'subjects').entries()) {
    const path = `subjects[${index}]`;
    const kind = textAt(subject, 'kind');
    if (textAt(subject, 'name') === '') errors.push(requiredField(`${path}.name`));
    if (!SUBJECTS.includes(kind)) errors.push(unsupportedField(`${path}.kind`, kind, SUBJECTS));
    if (kind === 'ServiceAccount' && !namespaced && textAt(subject, 'namespace') === '')
      errors.push(requiredField(`${path}.namespace`));
  }
  return errors;
}
