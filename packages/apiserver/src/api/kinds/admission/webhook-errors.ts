import {
  duplicateFieldError,
  type FieldError,
  invalidFieldError,
  requiredFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { subdomainSyntaxComplaints } from '../../meta/name-syntax.ts';
import { applyDefaultTable, type DefaultTable, defaultTableUnder } from '../common/default-table.ts';
import {
  type Fields,
  fieldsAt,
  isFieldAbsent,
  isFields,
  itemsField,
  numberField,
  sameFields,
  textField,
  textsField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';
import { isPortValue, PORT_RANGE } from '../common/value-errors.ts';
import { conditionExpressionErrors } from './expression-errors.ts';
import { matchChoiceErrors, matchRuleErrors, matchSelectorErrors } from './match-errors.ts';

const WEBHOOK: DefaultTable = [
  ['clientConfig.service.port', 443],
  ['rules[].scope', '*'],
  ['failurePolicy', 'Fail'],
  ['matchPolicy', 'Equivalent'],
  ['namespaceSelector', {}],
  ['objectSelector', {}],
  ['timeoutSeconds', 10],
];

const webhookKindRules = (more: DefaultTable): KindRules => ({
  defaults: (object) => applyDefaultTable(object, defaultTableUnder('webhooks[]', [...WEBHOOK, ...more])),
  validate: webhookErrors,
  validateUpdate: (next, old) => (sameFields(next['webhooks'], old['webhooks']) ? [] : webhookErrors(next)),
});

export const validatingWebhookRules: KindRules = webhookKindRules([]);
export const mutatingWebhookRules: KindRules = webhookKindRules([['reinvocationPolicy', 'Never']]);

const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const MAX_TIMEOUT = 30;

function webhookErrors(object: ApiObject): FieldError[] {
  const webhooks = itemsField(object, 'webhooks');
  const names = webhooks.map((webhook) => textField(webhook, 'name'));
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const name = names[index] as string;
    return [
      ...webhookNameErrors(name, `${path}.name`),
      ...itemsField(webhook, 'rules').flatMap((rule, at) => matchRuleErrors(rule, `${path}.rules[${at}]`)),
      ...matchChoiceErrors(webhook, 'failurePolicy', path, ['Fail', 'Ignore']),
      ...matchChoiceErrors(webhook, 'matchPolicy', path, ['Equivalent', 'Exact']),
      ...webhookSideEffectErrors(webhook, path),
      ...webhookTimeoutErrors(webhook, path),
      ...matchSelectorErrors(webhook, 'namespaceSelector', path),
      ...matchSelectorErrors(webhook, 'objectSelector', path),
      ...matchChoiceErrors(webhook, 'reinvocationPolicy', path, ['IfNeeded', 'Never']),
      ...webhookClientErrors(fieldsAt(webhook, 'clientConfig'), `${path}.clientConfig`),
      ...conditionExpressionErrors(itemsField(webhook, 'matchConditions'), `${path}.matchConditions`, false),
      ...webhookReviewVersionErrors(textsField(webhook, 'admissionReviewVersions'), `${path}.admissionReviewVersions`),
      ...(name !== '' && names.indexOf(name) < index ? [duplicateFieldError(`${path}.name`, name)] : []),
    ];
  });
}

function webhookNameErrors(name: string, path: string): FieldError[] {
  if (name === '') return [requiredFieldError(path)];
  const complaints = subdomainSyntaxComplaints(name);
  if (complaints.length > 0) return [invalidFieldError(path, name, complaints.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidFieldError(path, name, 'should be a domain with at least three segments separated by dots')];
}

function webhookSideEffectErrors(webhook: Fields, path: string): FieldError[] {
  if (isFieldAbsent(webhook['sideEffects']))
    return [requiredFieldError(`${path}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`)];
  return matchChoiceErrors(webhook, 'sideEffects', path, SIDE_EFFECTS);
}

function webhookTimeoutErrors(webhook: Fields, path: string): FieldError[] {
  const seconds = numberField(webhook, 'timeoutSeconds');
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_TIMEOUT)) return [];
  const why = `the timeout value must be between 1 and ${MAX_TIMEOUT} seconds`;
  return [invalidFieldError(`${path}.timeoutSeconds`, seconds, why)];
}

/** Errors in the address of a webhook or of the converter of a definition. */
export function webhookClientErrors(config: Fields, path: string): FieldError[] {
  const { url, service } = config;
  if (isFieldAbsent(url) === !isFields(service))
    return [requiredFieldError(path, 'exactly one of url or service is required')];
  return isFields(service)
    ? webhookServiceErrors(service, `${path}.service`)
    : webhookUrlErrors(textField(config, 'url'), `${path}.url`);
}

function webhookUrlErrors(text: string, path: string): FieldError[] {
  const form = '; desired format: https://host[/path]';
  const url = webhookUrlOrErrors(text);
  if (url === null) return [invalidFieldError(path, '', `'https' is the only allowed URL scheme${form}`)];
  const errors: FieldError[] = [];
  if (url.protocol !== 'https:')
    errors.push(invalidFieldError(path, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`));
  if (url.host === '') errors.push(invalidFieldError(path, '', `host must be specified${form}`));
  if (url.username !== '')
    errors.push(invalidFieldError(path, url.username, 'user information is not permitted in the URL'));
  if (url.hash !== '')
    errors.push(invalidFieldError(path, url.hash.slice(1), 'fragments are not permitted in the URL'));
  if (url.search !== '')
    errors.push(invalidFieldError(path, url.search.slice(1), 'query parameters are not permitted in the URL'));
  return errors;
}

/** Parses a URL. `URL.parse` is newer than the oldest supported Node. */
function webhookUrlOrErrors(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function webhookServiceErrors(service: Fields, path: string): FieldError[] {
  // The real server mixes them up: a missing name is reported as a missing namespace.
  const errors: FieldError[] = [];
  if (textField(service, 'namespace') === '') errors.push(requiredFieldError(`${path}.name`));
  if (textField(service, 'name') === '') errors.push(requiredFieldError(`${path}.namespace`));
  const port = numberField(service, 'port') ?? 443;
  if (!isPortValue(port)) errors.push(invalidFieldError(`${path}.port`, port, `port is not valid: ${PORT_RANGE}`));
  return [...errors, ...webhookPathErrors(textField(service, 'path'), `${path}.path`)];
}

function webhookPathErrors(text: string, path: string): FieldError[] {
  if (text === '' || text === '/') return [];
  if (text === '//') return [invalidFieldError(path, text, 'segment[0] may not be empty')];
  const errors = text.startsWith('/') ? [] : [invalidFieldError(path, text, "must start with a '/'")];
  const segments = text.slice(1).replace(/\/$/, '').split('/');
  return [
    ...errors,
    ...segments.flatMap((segment, index) =>
      segment === ''
        ? [invalidFieldError(path, text, `segment[${index}] may not be empty`)]
        : subdomainSyntaxComplaints(segment).map((why) => invalidFieldError(path, text, `segment[${index}]: ${why}`)),
    ),
  ];
}

function webhookReviewVersionErrors(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [requiredFieldError(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const errors = versions.flatMap((version, index) =>
    versions.indexOf(version) < index ? [invalidFieldError(`${path}[${index}]`, version, 'duplicate version')] : [],
  );
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [
    ...errors,
    invalidFieldError(path, [...versions], `must include at least one of ${REVIEW_VERSIONS.join(', ')}`),
  ];
}
