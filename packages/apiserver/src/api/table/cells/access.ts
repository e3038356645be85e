import type { ApiObject } from '../../../core/object.ts';
import { humanAge } from './age.ts';
import { age, type Cells, name } from './cells.ts';
import { conditionOf, filledAt, isPresent, isTrue, itemsAt, mapAt, numberAt, textAt, textsAt } from './read.ts';
import { NONE, UNSET } from './texts.ts';

/** Cells of RBAC and admission kinds. */
export const accessCells: Readonly<Record<string, Cells>> = {
  'rbac.authorization.k8s.io/rolebindings': bindingCells,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingCells,
  'certificates.k8s.io/certificatesigningrequests': (object, now) => [
    name(object),
    age(object, now),
    filledAt(object, 'spec.signerName', NONE),
    textAt(object, 'spec.username'),
    isPresent(object, 'spec.expirationSeconds') ? humanAge(numberAt(object, 'spec.expirationSeconds') * 1000) : NONE,
    requestStatus(object),
  ],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhookCells,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhookCells,
  'admissionregistration.k8s.io/mutatingadmissionpolicies': (object, now) => policyCells(object, now, 'spec.mutations'),
  'admissionregistration.k8s.io/validatingadmissionpolicies': (object, now) =>
    policyCells(object, now, 'spec.validations'),
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': policyBindingCells,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': policyBindingCells,
  'apiregistration.k8s.io/apiservices': (object, now) => [
    name(object),
    isPresent(object, 'spec.service')
      ? `${textAt(object, 'spec.service.namespace')}/${textAt(object, 'spec.service.name')}`
      : 'Local',
    availableText(object),
    age(object, now),
  ],
};

function bindingCells(object: ApiObject, now: number): ReturnType<Cells> {
  const subjects = (kind: string): string =>
    itemsAt(object, 'subjects')
      .filter((subject) => subject['kind'] === kind)
      .map((subject) =>
        kind === 'ServiceAccount'
          ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}`
          : textAt(subject, 'name'),
      )
      .join(', ');
  return [
    name(object),
    `${textAt(object, 'roleRef.kind')}/${textAt(object, 'roleRef.name')}`,
    age(object, now),
    subjects('User'),
    subjects('Group'),
    subjects('ServiceAccount'),
  ];
}

function webhookCells(object: ApiObject, now: number): ReturnType<Cells> {
  return [name(object), itemsAt(object, 'webhooks').length, age(object, now)];
}

function policyCells(object: ApiObject, now: number, rules: string): ReturnType<Cells> {
  const kind = isPresent(object, 'spec.paramKind')
    ? `${textAt(object, 'spec.paramKind.apiVersion')}/${textAt(object, 'spec.paramKind.kind')}`
    : UNSET;
  return [name(object), itemsAt(object, rules).length, kind, age(object, now)];
}

function policyBindingCells(object: ApiObject, now: number): ReturnType<Cells> {
  return [name(object), textAt(object, 'spec.policyName'), parameterText(object), age(object, now)];
}

function parameterText(binding: ApiObject): string {
  const parameter = textAt(binding, 'spec.paramRef.name');
  if (parameter !== '') return `${filledAt(binding, 'spec.paramRef.namespace', '*')}/${parameter}`;
  return isPresent(binding, 'spec.paramRef.selector') ? printedSelector(binding, 'spec.paramRef.selector') : UNSET;
}

/** The one place where the server shows a selector as Go prints it. */
function printedSelector(object: ApiObject, path: string): string {
  const pairs = Object.entries(mapAt(object, `${path}.matchLabels`)).sort(([a], [b]) => (a < b ? -1 : 1));
  const labels = pairs.map(([key, value]) => `${key}: ${value},`).join('');
  const expressions = itemsAt(object, `${path}.matchExpressions`).map((expression) => {
    const values = textsAt(expression, 'values').join(' ');
    const [key, operator] = [textAt(expression, 'key'), textAt(expression, 'operator')];
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values}],},`;
  });
  const lists = `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},`;
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},${lists}}`;
}

function requestStatus(request: ApiObject): string {
  const has = (type: string): boolean => conditionOf(request, type) !== undefined;
  const verdict = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return [
    verdict,
    ...(has('Failed') ? ['Failed'] : []),
    ...(textAt(request, 'status.certificate') === '' ? [] : ['Issued']),
  ].join(',');
}

function availableText(service: ApiObject): string {
  const available = conditionOf(service, 'Available');
  const status = textAt(available, 'status', 'Unknown');
  const reason = textAt(available, 'reason');
  return isTrue(available) || reason === '' ? status : `${status} (${reason})`;
}
