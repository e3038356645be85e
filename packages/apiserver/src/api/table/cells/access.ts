import type { ApiObject } from '../../../core/object.ts';
import { humanAge } from './age.ts';
import { ageCell, type Cells, nameCell } from './cells.ts';
import {
  readCondition,
  readFilledText,
  readIsPresent,
  readConditionIsTrue,
  readItems,
  readMap,
  readNumber,
  readText,
  readTexts,
} from './read-fields.ts';
import { NONE, UNSET } from './texts.ts';

/** Cells of RBAC and admission kinds. */
export const accessCells: Readonly<Record<string, Cells>> = {
  'rbac.authorization.k8s.io/rolebindings': accessBindingCells,
  'rbac.authorization.k8s.io/clusterrolebindings': accessBindingCells,
  'certificates.k8s.io/certificatesigningrequests': (object, now) => [
    nameCell(object),
    ageCell(object, now),
    readFilledText(object, 'spec.signerName', NONE),
    readText(object, 'spec.username'),
    readIsPresent(object, 'spec.expirationSeconds')
      ? humanAge(readNumber(object, 'spec.expirationSeconds') * 1000)
      : NONE,
    accessRequestStatusCell(object),
  ],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': accessWebhookCells,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': accessWebhookCells,
  'admissionregistration.k8s.io/mutatingadmissionpolicies': (object, now) =>
    accessPolicyCells(object, now, 'spec.mutations'),
  'admissionregistration.k8s.io/validatingadmissionpolicies': (object, now) =>
    accessPolicyCells(object, now, 'spec.validations'),
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': accessPolicyBindingCells,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': accessPolicyBindingCells,
  'apiregistration.k8s.io/apiservices': (object, now) => [
    nameCell(object),
    readIsPresent(object, 'spec.service')
      ? `${readText(object, 'spec.service.namespace')}/${readText(object, 'spec.service.name')}`
      : 'Local',
    accessAvailableCell(object),
    ageCell(object, now),
  ],
};

function accessBindingCells(object: ApiObject, now: number): ReturnType<Cells> {
  const subjects = (kind: string): string =>
    readItems(object, 'subjects')
      .filter((subject) => subject['kind'] === kind)
      .map((subject) =>
        kind === 'ServiceAccount'
          ? `${readText(subject, 'namespace')}/${readText(subject, 'name')}`
          : readText(subject, 'name'),
      )
      .join(', ');
  return [
    nameCell(object),
    `${readText(object, 'roleRef.kind')}/${readText(object, 'roleRef.name')}`,
    ageCell(object, now),
    subjects('User'),
    subjects('Group'),
    subjects('ServiceAccount'),
  ];
}

function accessWebhookCells(object: ApiObject, now: number): ReturnType<Cells> {
  return [nameCell(object), readItems(object, 'webhooks').length, ageCell(object, now)];
}

function accessPolicyCells(object: ApiObject, now: number, rules: string): ReturnType<Cells> {
  const kind = readIsPresent(object, 'spec.paramKind')
    ? `${readText(object, 'spec.paramKind.apiVersion')}/${readText(object, 'spec.paramKind.kind')}`
    : UNSET;
  return [nameCell(object), readItems(object, rules).length, kind, ageCell(object, now)];
}

function accessPolicyBindingCells(object: ApiObject, now: number): ReturnType<Cells> {
  return [nameCell(object), readText(object, 'spec.policyName'), accessParameterCell(object), ageCell(object, now)];
}

function accessParameterCell(binding: ApiObject): string {
  const parameter = readText(binding, 'spec.paramRef.name');
  if (parameter !== '') return `${readFilledText(binding, 'spec.paramRef.namespace', '*')}/${parameter}`;
  return readIsPresent(binding, 'spec.paramRef.selector')
    ? accessSelectorCell(binding, 'spec.paramRef.selector')
    : UNSET;
}

/** The one place where the server shows a selector as Go prints it. */
function accessSelectorCell(object: ApiObject, path: string): string {
  const pairs = Object.entries(readMap(object, `${path}.matchLabels`)).sort(([a], [b]) => (a < b ? -1 : 1));
  const labels = pairs.map(([key, value]) => `${key}: ${value},`).join('');
  const expressions = readItems(object, `${path}.matchExpressions`).map((expression) => {
    const values = readTexts(expression, 'values').join(' ');
    const [key, operator] = [readText(expression, 'key'), readText(expression, 'operator')];
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values}],},`;
  });
  const lists = `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},`;
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},${lists}}`;
}

function accessRequestStatusCell(request: ApiObject): string {
  const has = (type: string): boolean => readCondition(request, type) !== undefined;
  const verdict = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return [
    verdict,
    ...(has('Failed') ? ['Failed'] : []),
    ...(readText(request, 'status.certificate') === '' ? [] : ['Issued']),
  ].join(',');
}

function accessAvailableCell(service: ApiObject): string {
  const available = readCondition(service, 'Available');
  const status = readText(available, 'status', 'Unknown');
  const reason = readText(available, 'reason');
  return readConditionIsTrue(available) || reason === '' ? status : `${status} (${reason})`;
}
