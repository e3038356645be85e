import { type FieldError, invalidField, requiredField, unsupportedField } from '../../../core/field-error.ts';
import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/object.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isEmpty,
  itemsAt,
  nameOf,
  sameFields,
  setDefault,
  shown,
  specOf,
  textAt,
  textsAt,
} from '../common/fields.ts';
import type { KindRules } from '../common/rules.ts';
import { definitionSchemaErrors } from './schema.ts';
import { selectableFieldErrors } from './selectable-fields.ts';

const APPROVAL = 'api-approved.kubernetes.io';
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const ONE_STORAGE = 'must have exactly one version marked as storage version';

export const definitionRules: KindRules = {
  defaults(definition) {
    const spec = ensureFields(definition, 'spec');
    const names = ensureFields(spec, 'names');
    const kind = textAt(names, 'kind');
    if (kind !== '') {
      setDefault(names, 'singular', kind.toLowerCase());
      setDefault(names, 'listKind', `${kind}List`);
    }
    setDefault(ensureFields(spec, 'conversion'), 'strategy', 'None');
    const service = fieldsAt(fieldsAt(fieldsAt(fieldsAt(spec, 'conversion'), 'webhook'), 'clientConfig'), 'service');
    if (!isEmpty(service)) setDefault(service, 'port', 443);
  },
  prepareCreate: (definition) => rememberStorageVersion(definition),
  prepareUpdate: (next) => rememberStorageVersion(next),
  validate: (definition) => [...nameErrors(definition), ...specErrors(definition), ...storedErrors(definition)],
  validateUpdate: (next, old) => [...fixedErrors(next, old), ...specErrors(next), ...storedErrors(next)],
};

const storageVersions = (definition: ApiObject): string[] =>
  itemsAt(specOf(definition), 'versions')
    .filter(({ storage }) => storage === true)
    .map((version) => textAt(version, 'name'));

/** Objects may lie in the store in any version that ever was the one to store. */
function rememberStorageVersion(definition: ApiObject): void {
  const [storage] = storageVersions(definition);
  const status = ensureFields(definition, 'status');
  const stored = textsAt(status, 'storedVersions');
  if (storage !== undefined && !stored.includes(storage))
    definition['status'] = { ...status, storedVersions: [...stored, storage] };
}

function fixedErrors(next: ApiObject, old: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  const [spec, before] = [specOf(next), specOf(old)];
  const isEstablished = itemsAt(fieldsAt(old, 'status'), 'conditions').some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  const check = (field: string, value: unknown, was: unknown): void => {
    if (!sameFields(value, was)) errors.push(invalidField(field, shown(value), 'field is immutable'));
  };
  if (isEstablished) {
    check('spec.scope', spec['scope'], before['scope']);
    check('spec.names.kind', fieldsAt(spec, 'names')['kind'], fieldsAt(before, 'names')['kind']);
  }
  check('spec.group', spec['group'], before['group']);
  check('spec.names.plural', fieldsAt(spec, 'names')['plural'], fieldsAt(before, 'names')['plural']);
  return errors;
}

function nameErrors(definition: ApiObject): FieldError[] {
  const { names = {}, group = '' } = specOf(definition) as { names?: Fields; group?: string };
  const name = nameOf(definition);
  if (name === `${textAt(names, 'plural')}.${group}`) return [];
  return [invalidField('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function specErrors(definition: ApiObject): FieldError[] {
  const spec = specOf(definition);
  const names = fieldsAt(spec, 'names');
  const group = textAt(spec, 'group');
  const errors: FieldError[] = [];
  if (/(^|\.)(k8s|kubernetes)\.io$/.test(group) && !definition.metadata?.annotations?.[APPROVAL])
    errors.push(
      requiredField(
        `metadata.annotations[${APPROVAL}]`,
        `protected groups must have approval annotation "${APPROVAL}", see https://github.com/kubernetes/enhancements/pull/1111`,
      ),
    );
  if (group === '') errors.push(requiredField('spec.group'));
  else if (!group.includes('.'))
    errors.push(invalidField('spec.group', group, 'should be a domain with at least one dot'));
  const scope = textAt(spec, 'scope');
  if (scope === '') errors.push(requiredField('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced')
    errors.push(unsupportedField('spec.scope', scope, ['Cluster', 'Namespaced']));
  if (spec['preserveUnknownFields'] === true)
    errors.push(
      invalidField(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    );
  errors.push(...versionsErrors(spec), ...namesErrors(names), ...conversionErrors(fieldsAt(spec, 'conversion')));
  return errors;
}

function versionsErrors(spec: Fields): FieldError[] {
  const versions = itemsAt(spec, 'versions');
  const errors: FieldError[] = [];
  const shownVersions = (): Json => (Array.isArray(spec['versions']) ? versions.map(goVersion) : null);
  // What all versions have in common is reported as if it stood outside of them.
  const isShared = (field: string): boolean => versions.every((one) => sameFields(one[field], versions[0]?.[field]));
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    errors.push(...label1035(`${path}.name`, textAt(version, 'name')));
    if (
      isEmpty(fieldsAt(version, 'schema')['openAPIV3Schema']) &&
      fieldsAt(version, 'schema')['openAPIV3Schema'] === undefined
    )
      errors.push(requiredField(`${path}.schema.openAPIV3Schema`));
  }
  if (new Set(versions.map((version) => textAt(version, 'name'))).size < versions.length)
    errors.push(invalidField('spec.versions', shownVersions(), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage === true).length !== 1)
    errors.push(invalidField('spec.versions', shownVersions(), ONE_STORAGE));
  for (const [index, version] of versions.entries())
    for (const field of ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const) {
      if (isShared(field) && index > 0) continue;
      const path = isShared(field) ? 'spec' : `spec.versions[${index}]`;
      if (field === 'selectableFields' && isShared(field) !== isShared('schema'))
        errors.push(...strayFields(version, path));
      else errors.push(...partErrors[field](version, path));
    }
  return errors;
}

/** Fields are looked for in the schema that stands beside them, and nowhere else. */
function strayFields(version: Fields, path: string): FieldError[] {
  if (itemsAt(version, 'selectableFields').length === 0) return [];
  const when = path === 'spec' ? 'validations.schema is included' : '`version.schema.openAPIV3Schema` is not included';
  return [invalidField(`${path}.selectableFields`, '', `may only be set when ${when}`)];
}

const partErrors: Record<
  'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields',
  (version: Fields, path: string) => FieldError[]
> = {
  schema(version, path) {
    const schema = fieldsAt(version, 'schema')['openAPIV3Schema'];
    if (schema === undefined) return [];
    const at = path === 'spec' ? 'spec.validation.openAPIV3Schema' : `${path}.schema.openAPIV3Schema`;
    return definitionSchemaErrors(schema as Fields, at);
  },
  subresources(version, path) {
    const subresources = fieldsAt(version, 'subresources');
    if (subresources['scale'] === undefined) return [];
    const scale = fieldsAt(subresources, 'scale');
    return [
      ['specReplicasPath', '.spec'],
      ['statusReplicasPath', '.status'],
    ].flatMap(([name = '', root = '']) => {
      const field = `${path}.subresources.scale.${name}`;
      const value = textAt(scale, name);
      if (value === '') return [requiredField(field)];
      return value.startsWith(`${root}.`) ? [] : [invalidField(field, value, `should be a json path under ${root}`)];
    });
  },
  additionalPrinterColumns: (version, path) =>
    itemsAt(version, 'additionalPrinterColumns').flatMap((column, index) =>
      columnErrors(column, `${path}.additionalPrinterColumns[${index}]`),
    ),
  selectableFields: (version, path) =>
    selectableFieldErrors(
      version,
      fieldsAt(fieldsAt(version, 'schema'), 'openAPIV3Schema'),
      `${path}.selectableFields`,
    ),
};

function columnErrors(column: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const [type, jsonPath] = [textAt(column, 'type'), textAt(column, 'jsonPath')];
  if (textAt(column, 'name') === '') errors.push(requiredField(`${path}.name`));
  if (type === '') errors.push(requiredField(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidField(`${path}.type`, type, types));
  if (jsonPath === '') errors.push(requiredField(`${path}.JSONPath`));
  else if (!jsonPath.startsWith('.'))
    errors.push(invalidField(`${path}.JSONPath`, jsonPath, 'must be a simple json path starting with .'));
  return errors;
}

function namesErrors(names: Fields): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['plural', 'singular', 'kind', 'listKind'])
    if (textAt(names, field) === '') errors.push(requiredField(`spec.names.${field}`));
  for (const field of ['plural', 'singular'])
    if (textAt(names, field) !== '') errors.push(...label1035(`spec.names.${field}`, textAt(names, field)));
  for (const [index, name] of textsAt(names, 'shortNames').entries())
    errors.push(...label1035(`spec.names.shortNames[${index}]`, name));
  for (const field of ['kind', 'listKind']) {
    const value = textAt(names, field);
    if (value !== '' && label1035('', value.toLowerCase()).length > 0)
      errors.push(
        invalidField(`spec.names.${field}`, value, `may have mixed case, but should otherwise match: ${LABEL_1035}`),
      );
  }
  const kind = textAt(names, 'kind');
  if (kind !== '' && kind === textAt(names, 'listKind'))
    errors.push(invalidField('spec.names.listKind', kind, 'kind and listKind may not be the same'));
  for (const [index, name] of textsAt(names, 'categories').entries())
    errors.push(...label1035(`spec.names.categories[${index}]`, name));
  return errors;
}

function conversionErrors(conversion: Fields): FieldError[] {
  const strategy = textAt(conversion, 'strategy');
  if (strategy === 'None') return [];
  if (strategy !== 'Webhook') return [unsupportedField('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  const webhook = fieldsAt(conversion, 'webhook');
  const errors: FieldError[] = [];
  if (isEmpty(webhook['clientConfig']))
    errors.push(requiredField('spec.conversion.webhookClientConfig', 'required when strategy is set to Webhook'));
  if (isEmpty(webhook['conversionReviewVersions']))
    errors.push(requiredField('spec.conversion.conversionReviewVersions'));
  return errors;
}

function storedErrors(definition: ApiObject): FieldError[] {
  const stored = textsAt(fieldsAt(definition, 'status'), 'storedVersions');
  if (stored.length === 0)
    return [invalidField('status.storedVersions', null, 'must have at least one stored version')];
  const names = itemsAt(specOf(definition), 'versions').map((version) => textAt(version, 'name'));
  const errors = stored.flatMap((name, index) =>
    names.includes(name)
      ? []
      : [
          invalidField(
            `status.storedVersions[${index}]`,
            name,
            `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
          ),
        ],
  );
  const last = storageVersions(definition).at(-1);
  if (storageVersions(definition).length > 1)
    errors.push(invalidField('status.storedVersions', stored, `must have the storage version ${last}`));
  return errors;
}

/** Messages show the server's own struct of a version, without what it has moved elsewhere. */
const goVersion = (version: Fields): Json => ({
  Name: textAt(version, 'name'),
  Served: version['served'] === true,
  Storage: version['storage'] === true,
  Deprecated: version['deprecated'] === true,
  DeprecationWarning: shown(version['deprecationWarning']),
  Schema: null,
  Subresources: null,
  AdditionalPrinterColumns: null,
  SelectableFields: null,
});

const label1035 = (field: string, value: string): FieldError[] =>
  /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value) ? [] : [invalidField(field, value, LABEL_1035)];
