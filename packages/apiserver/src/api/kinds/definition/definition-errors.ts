import {
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { Work } from '../../../core/work.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldEmpty,
  itemsField,
  nameField,
  sameFields,
  setDefaultField,
  shownFieldValue,
  specFields,
  textField,
  textsField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';
import { definitionSchemaErrors } from './definition-schema.ts';
import { selectableFieldErrors } from './selectable-field-errors.ts';

const APPROVAL = 'api-approved.kubernetes.io';
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const ONE_STORAGE = 'must have exactly one version marked as storage version';

export const definitionRules: KindRules = {
  defaults(definition) {
    const spec = ensureFields(definition, 'spec');
    const names = ensureFields(spec, 'names');
    const kind = textField(names, 'kind');
    if (kind !== '') {
      setDefaultField(names, 'singular', kind.toLowerCase());
      setDefaultField(names, 'listKind', `${kind}List`);
    }
    setDefaultField(ensureFields(spec, 'conversion'), 'strategy', 'None');
    const service = fieldsAt(fieldsAt(fieldsAt(fieldsAt(spec, 'conversion'), 'webhook'), 'clientConfig'), 'service');
    if (!isFieldEmpty(service)) setDefaultField(service, 'port', 443);
  },
  prepareCreate: (definition) => rememberDefinitionStorageVersion(definition),
  prepareUpdate: (next) => rememberDefinitionStorageVersion(next),
  validate: (definition) => [
    ...definitionNameErrors(definition),
    ...definitionSpecErrors(definition),
    ...definitionStoredVersionErrors(definition),
  ],
  validateUpdate: (next, old) => [
    ...fixedDefinitionErrors(next, old),
    ...definitionSpecErrors(next, old),
    ...definitionStoredVersionErrors(next),
  ],
};

const definitionStorageVersions = (definition: ApiObject): string[] =>
  itemsField(specFields(definition), 'versions')
    .filter(({ storage }) => storage === true)
    .map((version) => textField(version, 'name'));

/** Adds the storage version to those in which objects may be stored. */
function rememberDefinitionStorageVersion(definition: ApiObject): void {
  const [storage] = definitionStorageVersions(definition);
  const status = ensureFields(definition, 'status');
  const stored = textsField(status, 'storedVersions');
  if (storage !== undefined && !stored.includes(storage))
    definition['status'] = { ...status, storedVersions: [...stored, storage] };
}

function fixedDefinitionErrors(next: ApiObject, old: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  const [spec, before] = [specFields(next), specFields(old)];
  const isEstablished = itemsField(fieldsAt(old, 'status'), 'conditions').some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  const check = (field: string, value: unknown, was: unknown): void => {
    if (!sameFields(value, was)) errors.push(invalidFieldError(field, shownFieldValue(value), 'field is immutable'));
  };
  if (isEstablished) {
    check('spec.scope', spec['scope'], before['scope']);
    check('spec.names.kind', fieldsAt(spec, 'names')['kind'], fieldsAt(before, 'names')['kind']);
  }
  check('spec.group', spec['group'], before['group']);
  check('spec.names.plural', fieldsAt(spec, 'names')['plural'], fieldsAt(before, 'names')['plural']);
  return errors;
}

function definitionNameErrors(definition: ApiObject): FieldError[] {
  const { names = {}, group = '' } = specFields(definition) as { names?: Fields; group?: string };
  const name = nameField(definition);
  if (name === `${textField(names, 'plural')}.${group}`) return [];
  return [invalidFieldError('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function definitionSpecErrors(definition: ApiObject, old?: ApiObject): FieldError[] {
  const spec = specFields(definition);
  const names = fieldsAt(spec, 'names');
  const group = textField(spec, 'group');
  const errors: FieldError[] = [];
  if (/(^|\.)(k8s|kubernetes)\.io$/.test(group) && !definition.metadata?.annotations?.[APPROVAL])
    errors.push(
      requiredFieldError(
        `metadata.annotations[${APPROVAL}]`,
        `protected groups must have approval annotation "${APPROVAL}", see https://github.com/kubernetes/enhancements/pull/1111`,
      ),
    );
  if (group === '') errors.push(requiredFieldError('spec.group'));
  else if (!group.includes('.'))
    errors.push(invalidFieldError('spec.group', group, 'should be a domain with at least one dot'));
  const scope = textField(spec, 'scope');
  if (scope === '') errors.push(requiredFieldError('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced')
    errors.push(unsupportedFieldError('spec.scope', scope, ['Cluster', 'Namespaced']));
  if (spec['preserveUnknownFields'] === true)
    errors.push(
      invalidFieldError(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    );
  errors.push(
    ...definitionVersionsErrors(spec, old === undefined ? [] : itemsField(specFields(old), 'versions')),
    ...definitionNamesErrors(names),
    ...definitionConversionErrors(fieldsAt(spec, 'conversion')),
  );
  return errors;
}

function definitionVersionsErrors(spec: Fields, old: readonly Fields[]): FieldError[] {
  const versions = itemsField(spec, 'versions');
  const errors: FieldError[] = [];
  const work = new Work('the definition');
  const shownVersions = (): Json => (Array.isArray(spec['versions']) ? versions.map(definitionVersionStruct) : null);
  // Fields that all versions share are reported as if they were outside of them.
  const isShared = (field: string): boolean => versions.every((one) => sameFields(one[field], versions[0]?.[field]));
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    errors.push(...definitionLabel1035Errors(`${path}.name`, textField(version, 'name')));
    if (
      isFieldEmpty(fieldsAt(version, 'schema')['openAPIV3Schema']) &&
      fieldsAt(version, 'schema')['openAPIV3Schema'] === undefined
    )
      errors.push(requiredFieldError(`${path}.schema.openAPIV3Schema`));
  }
  // The name of the first is also that of a field which only the server's own struct has.
  const [first] = versions;
  if (first !== undefined) errors.push(...definitionLabel1035Errors('spec.version', textField(first, 'name')));
  if (new Set(versions.map((version) => textField(version, 'name'))).size < versions.length)
    errors.push(invalidFieldError('spec.versions', shownVersions(), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage === true).length !== 1)
    errors.push(invalidFieldError('spec.versions', shownVersions(), ONE_STORAGE));
  for (const [index, version] of versions.entries())
    for (const field of ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const) {
      if (isShared(field) && index > 0) continue;
      const path = isShared(field) ? 'spec' : `spec.versions[${index}]`;
      if (field === 'selectableFields' && isShared(field) !== isShared('schema'))
        errors.push(...definitionErrorsOfStrayFields(version, path));
      else errors.push(...partErrors[field](version, path, work, old));
    }
  return errors;
}

/** Errors of fields that are only valid beside the schema of their version. */
function definitionErrorsOfStrayFields(version: Fields, path: string): FieldError[] {
  if (itemsField(version, 'selectableFields').length === 0) return [];
  const when = path === 'spec' ? 'validations.schema is included' : '`version.schema.openAPIV3Schema` is not included';
  return [invalidFieldError(`${path}.selectableFields`, '', `may only be set when ${when}`)];
}

const partErrors: Record<
  'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields',
  (version: Fields, path: string, work: Work, old: readonly Fields[]) => FieldError[]
> = {
  schema(version, path, work, old) {
    const schema = fieldsAt(version, 'schema')['openAPIV3Schema'];
    if (schema === undefined) return [];
    const at = path === 'spec' ? 'spec.validation.openAPIV3Schema' : `${path}.schema.openAPIV3Schema`;
    const isUnchanged = old.some(
      ({ name, schema: stored }) => name === version['name'] && sameFields(stored, version['schema']),
    );
    return definitionSchemaErrors(schema as Fields, at, work, isUnchanged);
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
      const value = textField(scale, name);
      if (value === '') return [requiredFieldError(field)];
      return value.startsWith(`${root}.`)
        ? []
        : [invalidFieldError(field, value, `should be a json path under ${root}`)];
    });
  },
  additionalPrinterColumns: (version, path) =>
    itemsField(version, 'additionalPrinterColumns').flatMap((column, index) =>
      definitionColumnErrors(column, `${path}.additionalPrinterColumns[${index}]`),
    ),
  selectableFields: (version, path) =>
    selectableFieldErrors(
      version,
      fieldsAt(fieldsAt(version, 'schema'), 'openAPIV3Schema'),
      `${path}.selectableFields`,
    ),
};

function definitionColumnErrors(column: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const [type, jsonPath] = [textField(column, 'type'), textField(column, 'jsonPath')];
  if (textField(column, 'name') === '') errors.push(requiredFieldError(`${path}.name`));
  if (type === '') errors.push(requiredFieldError(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidFieldError(`${path}.type`, type, types));
  if (jsonPath === '') errors.push(requiredFieldError(`${path}.JSONPath`));
  else if (!jsonPath.startsWith('.'))
    errors.push(invalidFieldError(`${path}.JSONPath`, jsonPath, 'must be a simple json path starting with .'));
  return errors;
}

function definitionNamesErrors(names: Fields): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['plural', 'singular', 'kind', 'listKind'])
    if (textField(names, field) === '') errors.push(requiredFieldError(`spec.names.${field}`));
  for (const field of ['plural', 'singular'])
    if (textField(names, field) !== '')
      errors.push(...definitionLabel1035Errors(`spec.names.${field}`, textField(names, field)));
  for (const [index, name] of textsField(names, 'shortNames').entries())
    errors.push(...definitionLabel1035Errors(`spec.names.shortNames[${index}]`, name));
  for (const field of ['kind', 'listKind']) {
    const value = textField(names, field);
    if (value !== '' && definitionLabel1035Errors('', value.toLowerCase()).length > 0)
      errors.push(
        invalidFieldError(
          `spec.names.${field}`,
          value,
          `may have mixed case, but should otherwise match: ${LABEL_1035}`,
        ),
      );
  }
  const kind = textField(names, 'kind');
  if (kind !== '' && kind === textField(names, 'listKind'))
    errors.push(invalidFieldError('spec.names.listKind', kind, 'kind and listKind may not be the same'));
  for (const [index, name] of textsField(names, 'categories').entries())
    errors.push(...definitionLabel1035Errors(`spec.names.categories[${index}]`, name));
  return errors;
}

function definitionConversionErrors(conversion: Fields): FieldError[] {
  const strategy = textField(conversion, 'strategy');
  if (strategy === 'None') return [];
  if (strategy !== 'Webhook') return [unsupportedFieldError('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  const webhook = fieldsAt(conversion, 'webhook');
  const errors: FieldError[] = [];
  if (isFieldEmpty(webhook['clientConfig']))
    errors.push(requiredFieldError('spec.conversion.webhookClientConfig', 'required when strategy is set to Webhook'));
  if (isFieldEmpty(webhook['conversionReviewVersions']))
    errors.push(requiredFieldError('spec.conversion.conversionReviewVersions'));
  return errors;
}

function definitionStoredVersionErrors(definition: ApiObject): FieldError[] {
  const stored = textsField(fieldsAt(definition, 'status'), 'storedVersions');
  if (stored.length === 0)
    return [invalidFieldError('status.storedVersions', null, 'must have at least one stored version')];
  const names = itemsField(specFields(definition), 'versions').map((version) => textField(version, 'name'));
  const errors = stored.flatMap((name, index) =>
    names.includes(name)
      ? []
      : [
          invalidFieldError(
            `status.storedVersions[${index}]`,
            name,
            `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
          ),
        ],
  );
  const last = definitionStorageVersions(definition).at(-1);
  if (definitionStorageVersions(definition).length > 1)
    errors.push(invalidFieldError('status.storedVersions', stored, `must have the storage version ${last}`));
  return errors;
}

/** The server's own struct of a version, as messages show it, without the fields that it has moved elsewhere. */
const definitionVersionStruct = (version: Fields): Json => ({
  Name: textField(version, 'name'),
  Served: version['served'] === true,
  Storage: version['storage'] === true,
  Deprecated: version['deprecated'] === true,
  DeprecationWarning: shownFieldValue(version['deprecationWarning']),
  Schema: null,
  Subresources: null,
  AdditionalPrinterColumns: null,
  SelectableFields: null,
});

const definitionLabel1035Errors = (field: string, value: string): FieldError[] =>
  /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value) ? [] : [invalidFieldError(field, value, LABEL_1035)];
