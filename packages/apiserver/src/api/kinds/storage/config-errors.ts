import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { ensureFields, fieldsAt, sameFields, setDefaultField, textField, textMapField } from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';
import { dataKeyValueErrors } from '../common/value-errors.ts';
import { tlsSecretWarnings } from './tls-warnings.ts';

/** Rules of config maps and secrets. */

const MAX_BYTES = 1024 * 1024;
const FROZEN = 'field is immutable when `immutable` is set';
const REDACTED = '<secret contents redacted>';

export const configMapRules: KindRules = {
  validate: (object) => configMapErrors(object),
  validateUpdate: (next, old) => [...frozenConfigErrors(next, old, ['data', 'binaryData']), ...configMapErrors(next)],
};

export const secretRules: KindRules = {
  warnings: (secret, old) =>
    old !== undefined && sameFields(secret['data'], old['data']) ? [] : tlsSecretWarnings(secret),
  defaults(secret) {
    setDefaultField(secret, 'type', 'Opaque');
    const plain = textMapField(secret, 'stringData');
    delete secret['stringData'];
    if (Object.keys(plain).length > 0) {
      const data = ensureFields(secret, 'data');
      for (const [key, value] of Object.entries(plain)) data[key] = Buffer.from(value).toString('base64');
    }
  },
  validate: (secret) => configSecretErrors(secret),
  validateUpdate: (next, old) => [
    ...(next['type'] === old['type'] ? [] : [invalidFieldError('type', textField(next, 'type'), 'field is immutable')]),
    ...frozenConfigErrors(next, old, ['data']),
    ...configSecretErrors(next),
  ],
};

function frozenConfigErrors(next: ApiObject, old: ApiObject, names: readonly string[]): FieldError[] {
  if (old['immutable'] !== true) return [];
  const errors = next['immutable'] === true ? [] : [forbiddenFieldError('immutable', FROZEN)];
  return [
    ...errors,
    ...names.filter((name) => !sameFields(next[name], old[name])).map((name) => forbiddenFieldError(name, FROZEN)),
  ];
}

function configMapErrors(object: ApiObject): FieldError[] {
  const [data, binary] = [textMapField(object, 'data'), textMapField(object, 'binaryData')];
  const errors: FieldError[] = [];
  for (const key of Object.keys(data).toSorted()) {
    errors.push(...configDataKeyErrors('data', key));
    if (Object.hasOwn(binary, key))
      errors.push(invalidFieldError(`data[${key}]`, key, 'duplicate of key present in binaryData'));
  }
  for (const key of Object.keys(binary).toSorted()) errors.push(...configDataKeyErrors('binaryData', key));
  const size = configDataBytes(Object.values(data)) + configDataDecodedBytes(Object.values(binary));
  if (size > MAX_BYTES) errors.push(configDataSizeErrors('[]'));
  return errors;
}

const REQUIRED_KEYS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>(
  Object.entries({
    'kubernetes.io/tls': ['tls.crt', 'tls.key'],
    'kubernetes.io/dockercfg': ['.dockercfg'],
    'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
    'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  }),
);

function configSecretErrors(secret: ApiObject): FieldError[] {
  const data = textMapField(secret, 'data');
  const type = textField(secret, 'type');
  const errors = Object.keys(data)
    .toSorted()
    .flatMap((key) => configDataKeyErrors('data', key));
  if (configDataDecodedBytes(Object.values(data)) > MAX_BYTES) errors.push(configDataSizeErrors('data'));
  for (const key of REQUIRED_KEYS.get(type) ?? []) {
    if (data[key] === undefined) errors.push(requiredFieldError(`data[${key}]`));
    else if (type.startsWith('kubernetes.io/docker')) errors.push(...configSecretJsonErrors(`data[${key}]`, data[key]));
  }
  if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined)
    errors.push(requiredFieldError('data[username]'), requiredFieldError('data[password]'));
  const account = 'kubernetes.io/service-account.name';
  const annotations = fieldsAt((secret.metadata ?? {}) as Record<string, unknown>, 'annotations');
  if (type === 'kubernetes.io/service-account-token' && textField(annotations, account) === '')
    errors.push(requiredFieldError(`metadata.annotations[${account}]`));
  return errors;
}

const configDataKeyErrors = (field: string, key: string): FieldError[] => dataKeyValueErrors(`${field}[${key}]`, key);

/** Errors of JSON in a secret. The message never repeats the content. */
function configSecretJsonErrors(field: string, encoded: string): FieldError[] {
  const text = Buffer.from(encoded, 'base64').toString();
  try {
    JSON.parse(text);
    return [];
  } catch {
    const first = text.trimStart().charAt(0);
    const why =
      first === '' ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
    return [invalidFieldError(field, REDACTED, why)];
  }
}

const configDataSizeErrors = (field: string): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${MAX_BYTES} bytes`,
});

const configDataBytes = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
const configDataDecodedBytes = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), 0);
