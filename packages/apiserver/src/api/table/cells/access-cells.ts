import type { ApiObject } from '../../../core/kube-object.ts';
import { humanAgeCell } from './age-cell.ts';
import { ageCell, type Cells, nameCell } from './cells.ts';
import {
  readFieldCondition,
  readFilledFieldText,
  readFieldIsPresent,
  readFieldConditionIsTrue,
  readFieldItems,
  readFieldMap,
  readFieldNumber,
  readFieldText,
  readFieldTexts,
} from './read-fields.ts';
import { NONE, UNSET } from './cell-texts.ts';

/** Cells of RBAC and admission kinds. */
export const accessCells: Readonly<Record<string, Cells>> = {
  'rbac.authorization.k8s.io/rolebindings': accessBindingCells,
  'rbac.authorization.k8s.io/clusterrolebindings': accessBindingCells,
  'certificates.k8s.io/certificatesigningrequests': (object, now) => [
    nameCell(object),
    ageCell(object, now),
    readFilledFieldText(object, 'spec.signerName', NONE),
    readFieldText(object, 'spec.username'),
    readFieldIsPresent(object, 'spec.expirationSeconds')
      ? humanAgeCell(readFieldNumber(object, 'spec.expirationSeconds') * 1000)
      : NONE,
    accessRequestStatusCell(object),
  ],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': accessWebhookCells,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': accessWebhookCells,
  'admissionregistration.k8s.io/mutatingadmissionpolicies': (object, now) =>
    accessPolicyCells(object, now, 'spec.mutations'),
  'admissionregistration.k8s.io/validatingadmissionpolicies': (object, now) =>
    accessPolicyCells(object, now, 'spec.validations'),
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': accessCellsOfPolicyBinding,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': accessCellsOfPolicyBinding,
  'apiregistration.k8s.io/apiservices': (object, now) => [
    nameCell(object),
    readFieldIsPresent(object, 'spec.service')
      ? `${readFieldText(object, 'spec.service.namespace')}/${readFieldText(object, 'spec.service.name')}`
      : 'Local',
    accessAvailableCell(object),
    ageCell(object, now),
  ],
};

function accessBindingCells(object: ApiObject, now: number): ReturnType<Cells> {
  const subjects = (kind: string): string =>
    readFieldItems(object, 'subjects')
      .filter((subject) => subject['kind'] === kind)
      .map((subject) =>
        kind === 'ServiceAccount'
          ? `${readFieldText(subject, 'namespace')}/${readFieldText(subject, 'name')}`
          : readFieldText(subject, 'name'),
      )
      .join(', ');
  return [
    nameCell(object),
    `${readFieldText(object, 'roleRef.kind')}/${readFieldText(object, 'roleRef.name')}`,
    ageCell(object, now),
    subjects('User'),
    subjects('Group'),
    subjects('ServiceAccount'),
  ];
}

function accessWebhookCells(object: ApiObject, now: number): ReturnType<Cells> {
  return [nameCell(object), readFieldItems(object, 'webhooks').length, ageCell(object, now)];
}

function accessPolicyCells(object: ApiObject, now: number, rules: string): ReturnType<Cells> {
  const kind = readFieldIsPresent(object, 'spec.paramKind')
    ? `${readFieldText(object, 'spec.paramKind.apiVersion')}/${readFieldText(object, 'spec.paramKind.kind')}`
    : UNSET;
  return [nameCell(object), readFieldItems(object, rules).length, kind, ageCell(object, now)];
}

function accessCellsOfPolicyBinding(object: ApiObject, now: number): ReturnType<Cells> {
  return [
    nameCell(object),
    readFieldText(object, 'spec.policyName'),
    accessParameterCell(object),
    ageCell(object, now),
  ];
}

function accessParameterCell(binding: ApiObject): string {
  const parameter = readFieldText(binding, 'spec.paramRef.name');
  if (parameter !== '') return `${readFilledFieldText(binding, 'spec.paramRef.namespace', '*')}/${parameter}`;
  return readFieldIsPresent(binding, 'spec.paramRef.selector')
    ? accessSelectorCell(binding, 'spec.paramRef.selector')
    : UNSET;
}

/** A selector in the format of Go, which the server uses only here. */
function accessSelectorCell(object: ApiObject, path: string): string {
  const pairs = Object.entries(readFieldMap(object, `${path}.matchLabels`)).sort(([a], [b]) => (a < b ? -1 : 1));
  const labels = pairs.map(([key, value]) => `${key}: ${value},`).join('');
  const expressions = readFieldItems(object, `${path}.matchExpressions`).map((expression) => {
    const values = readFieldTexts(expression, 'values').join(' ');
    const [key, operator] = [readFieldText(expression, 'key'), readFieldText(expression, 'operator')];
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values}],},`;
  });
  const lists = `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},`;
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},${lists}}`;
}

function accessRequestStatusCell(request: ApiObject): string {
  const has = (type: string): boolean => readFieldCondition(request, type) !== undefined;
  const verdict = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return [
    verdict,
    ...(has('Failed') ? ['Failed'] : []),
    ...(readFieldText(request, 'status.certificate') === '' ? [] : ['Issued']),
  ].join(',');
}

function accessAvailableCell(service: ApiObject): string {
  const available = readFieldCondition(service, 'Available');
  const status = readFieldText(available, 'status', 'Unknown');
  const reason = readFieldText(available, 'reason');
  return readFieldConditionIsTrue(available) || reason === '' ? status : `${status} (${reason})`;
}
