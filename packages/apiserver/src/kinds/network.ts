import { invalidField, requiredField, unsupportedField } from '../errors/field.ts';
import type { FieldError } from '../types.ts';
import { applyTable } from './default-table.ts';
import { ensureFields, fieldsAt, isAbsent, isEmpty, itemsAt, sameFields, specOf, textAt, textsAt } from './fields.ts';
import { choice } from './pod-validation.ts';
import type { KindRules } from './rules.ts';
import { countGeneration } from './workload.ts';

export const endpointsRules: KindRules = {
  defaults: (object) => applyTable(object, [['subsets[].ports[].protocol', 'TCP']]),
};

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export const endpointSliceRules: KindRules = {
  prepareUpdate(next, old) {
    // Proxies read labels too.
    if (!sameFields(next.metadata?.labels, old.metadata?.labels)) countGeneration(next, old);
  },
  defaults: (object) =>
    applyTable(object, [
      ['ports[].name', ''],
      ['ports[].protocol', 'TCP'],
    ]),
  validate(object) {
    const errors: FieldError[] = [];
    const type = textAt(object, 'addressType');
    if (type === '') errors.push(requiredField('addressType'));
    else if (!ADDRESS_TYPES.includes(type)) errors.push(unsupportedField('addressType', type, ADDRESS_TYPES));
    for (const [index, endpoint] of itemsAt(object, 'endpoints').entries())
      if (textsAt(endpoint, 'addresses').length === 0)
        errors.push(requiredField(`endpoints[${index}].addresses`, 'must contain at least 1 address'));
    return errors;
  },
  validateUpdate: (next, old) =>
    next['addressType'] === old['addressType']
      ? []
      : [invalidField('addressType', textAt(next, 'addressType'), 'field is immutable')],
};

export const ingressRules: KindRules = {
  validate(ingress) {
    const spec = specOf(ingress);
    if (isEmpty(spec['rules']) && isAbsent(spec['defaultBackend']))
      return [invalidField('spec', null, 'either `defaultBackend` or `rules` must be specified')];
    return itemsAt(spec, 'rules').flatMap((rule, index) => {
      const http = fieldsAt(rule, 'http');
      if (isAbsent(rule['http'])) return [];
      const path = `spec.rules[${index}].http.paths`;
      const paths = itemsAt(http, 'paths');
      if (paths.length === 0) return [requiredField(path)];
      return paths.flatMap((item, at) =>
        isAbsent(item['pathType'])
          ? [requiredField(`${path}[${at}].pathType`, 'pathType must be specified')]
          : choice(item, 'pathType', `${path}[${at}]`, ['Exact', 'ImplementationSpecific', 'Prefix']),
      );
    });
  },
};

export const ingressClassRules: KindRules = {
  defaults: (object) => applyTable(object, [['spec.parameters.scope', 'Cluster']]),
};

export const networkPolicyRules: KindRules = {
  defaults(policy) {
    const spec = ensureFields(policy, 'spec');
    applyTable(spec, [
      ['ingress[].ports[].protocol', 'TCP'],
      ['egress[].ports[].protocol', 'TCP'],
    ]);
    if (isEmpty(spec['policyTypes']))
      spec['policyTypes'] = isEmpty(spec['egress']) ? ['Ingress'] : ['Ingress', 'Egress'];
  },
};
