import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import type { Work } from '../../../core/work.ts';
import { loadedRules, RULES_KEY } from '../../rules/load-rules.ts';
import { Re2, Re2SyntaxError } from '../../schema/re2/re2.ts';
import { schemaFrom } from '../../schema/schema-from.ts';
import { validateAgainstSchema } from '../../schema/validation/validate.ts';
import {
  type Fields,
  fieldsAt,
  isFields,
  itemsField,
  shownFieldValue,
  textField,
  textsField,
} from '../common/fields.ts';
import { definitionRuleFieldErrors } from './rule-fields.ts';

/** Checks that the schema of a custom resource is structural: every field has one type, given in one place. */

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const INT_OR_STRING = 'x-kubernetes-int-or-string';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const LIST_TYPE = 'x-kubernetes-list-type';
const LIST_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';

/** Parts of OpenAPI that a structural schema cannot have. */
const UNSUPPORTED = ['$ref', 'definitions', 'dependencies', 'patternProperties', 'additionalItems', 'id'];

/**
 * Errors of a schema. All versions of a definition share `work`. Throws 413 when it takes too much.
 * `isUnchanged`: the stored definition has this schema.
 */
export function definitionSchemaErrors(schema: Fields, path: string, work: Work, isUnchanged = false): FieldError[] {
  const errors = definitionSchemaNodeErrors(schema, path, 'root', work);
  const metadata = fieldsAt(fieldsAt(schema, 'properties'), 'metadata');
  if (Object.keys(fieldsAt(metadata, 'properties')).some((name) => name !== 'name' && name !== 'generateName'))
    errors.push(
      forbiddenFieldError(
        `${path}.properties[metadata]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  const type = textField(schema, 'type');
  if (type !== '' && type !== 'object')
    errors.push(invalidFieldError(`${path}.type`, type, 'must be object at the root'));
  errors.push(...definitionSchemaSecondPassErrors(schema, path));
  // Defaults and rules are only checked against a valid schema.
  if (errors.length > 0) return errors;
  const rules = loadedRules()?.definitionRuleErrors(schema as JsonObject, path, isUnchanged) ?? [];
  return [...definitionSchemaDefaultErrors(schema, path, work), ...rules];
}

type Place = 'root' | 'field' | 'item';

const PLACE_TEXT: Readonly<Record<Place, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
};

function definitionSchemaNodeErrors(schema: Fields, path: string, place: Place, work: Work): FieldError[] {
  return [
    ...definitionSchemaUnsupportedErrors(schema, path, work),
    ...definitionSchemaChildren(schema, path).flatMap(([child, at, where]) =>
      definitionSchemaNodeErrors(child, at, where, work),
    ),
    ...definitionSchemaTypeErrors(schema, path, place),
    ...definitionSchemaListErrors(schema, path),
    ...definitionSchemaLogicErrors(schema, path),
  ];
}

function definitionSchemaChildren(schema: Fields, path: string): [Fields, string, Place][] {
  const children: [unknown, string, Place][] = [
    ...Object.entries(fieldsAt(schema, 'properties')).map(([name, child]): [unknown, string, Place] => [
      child,
      `${path}.properties[${name}]`,
      'field',
    ]),
    [schema['additionalProperties'], `${path}.additionalProperties`, 'field'],
    [schema['items'], `${path}.items`, 'item'],
  ];
  return children.filter((child): child is [Fields, string, Place] => isFields(child[0]));
}

/** Errors that the server finds in a second pass over the schema. */
function definitionSchemaSecondPassErrors(schema: Fields, path: string): FieldError[] {
  const type = textField(schema, 'type');
  const errors = definitionSchemaChildren(schema, path).flatMap(([child, at]) =>
    definitionSchemaSecondPassErrors(child, at),
  );
  if (schema['uniqueItems'] === true)
    errors.push(
      forbiddenFieldError(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  if (type !== '' && !TYPES.includes(type)) errors.push(unsupportedFieldError(`${path}.type`, type, TYPES));
  return errors;
}

function definitionSchemaUnsupportedErrors(schema: Fields, path: string, work: Work): FieldError[] {
  const errors = UNSUPPORTED.filter((name) => schema[name] !== undefined).map((name) =>
    forbiddenFieldError(`${path}.${name}`, `${name} is not supported`),
  );
  if (schema['additionalProperties'] !== undefined && Object.keys(fieldsAt(schema, 'properties')).length > 0)
    errors.push(
      forbiddenFieldError(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    );
  if (Array.isArray(schema['items']))
    errors.push(forbiddenFieldError(`${path}.items`, 'items must be a schema object and not an array'));
  if (schema[PRESERVE] === false)
    errors.push(invalidFieldError(`${path}.${PRESERVE}`, false, 'must be true or undefined'));
  const pattern = textField(schema, 'pattern');
  const fault = pattern === '' ? undefined : definitionSchemaPatternFault(pattern, work);
  if (fault !== undefined) {
    const detail = `must be a valid regular expression, but isn't: error parsing regexp: ${fault}`;
    errors.push(invalidFieldError(`${path}.pattern`, pattern, detail));
  }
  errors.push(...definitionRuleFieldErrors(schema, path));
  return errors;
}

function definitionSchemaPatternFault(pattern: string, work: Work): string | undefined {
  try {
    new Re2(pattern, work).test('', work);
    return undefined;
  } catch (error) {
    if (error instanceof Re2SyntaxError) return error.message;
    throw error;
  }
}

function definitionSchemaTypeErrors(schema: Fields, path: string, place: Place): FieldError[] {
  const type = textField(schema, 'type');
  const errors: FieldError[] = [];
  if (schema['$ref'] !== undefined) return errors;
  if (type === '' && schema[INT_OR_STRING] !== true && schema[PRESERVE] !== true)
    errors.push(requiredFieldError(`${path}.type`, PLACE_TEXT[place]));
  if (type === 'array' && schema['items'] === undefined)
    errors.push(requiredFieldError(`${path}.items`, 'must be specified'));
  if (
    schema[EMBEDDED] === true &&
    schema[PRESERVE] !== true &&
    Object.keys(fieldsAt(schema, 'properties')).length === 0
  )
    errors.push(
      requiredFieldError(`${path}.properties`, `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`),
    );
  return errors;
}

function definitionSchemaListErrors(schema: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const mapType = textField(schema, MAP_TYPE);
  if (mapType !== '' && !['atomic', 'granular'].includes(mapType))
    errors.push(unsupportedFieldError(`${path}.${MAP_TYPE}`, mapType, ['atomic', 'granular']));
  const listType = textField(schema, LIST_TYPE);
  if (listType === '') return errors;
  const type = textField(schema, 'type');
  if (type !== 'array')
    return [...errors, invalidFieldError(`${path}.type`, type, `must be array if ${LIST_TYPE} is specified`)];
  const items = fieldsAt(schema, 'items');
  if (!['atomic', 'set', 'map'].includes(listType))
    errors.push(unsupportedFieldError(`${path}.${LIST_TYPE}`, listType, ['atomic', 'set', 'map']));
  if (listType === 'set' && textField(items, 'type') === 'object' && textField(items, MAP_TYPE) !== 'atomic')
    errors.push(
      invalidFieldError(
        `${path}.items.${MAP_TYPE}`,
        shownFieldValue(items[MAP_TYPE]),
        `must be atomic as item of a list with ${LIST_TYPE}=set`,
      ),
    );
  if (listType === 'map') errors.push(...definitionSchemaMapListErrors(schema, items, path));
  return errors;
}

function definitionSchemaMapListErrors(schema: Fields, items: Fields, path: string): FieldError[] {
  const keys = textsField(schema, LIST_KEYS);
  const errors: FieldError[] = [];
  if (keys.length === 0)
    errors.push(requiredFieldError(`${path}.${LIST_KEYS}`, `must not be empty if ${LIST_TYPE} is map`));
  if (textField(items, 'type') !== 'object')
    errors.push(
      invalidFieldError(
        `${path}.items.type`,
        textField(items, 'type'),
        `must be object if parent array's ${LIST_TYPE} is map`,
      ),
    );
  const required = textsField(items, 'required');
  for (const key of keys) {
    const property = fieldsAt(items, 'properties')[key];
    if (!isFields(property))
      errors.push(invalidFieldError(`${path}.${LIST_KEYS}`, keys, 'entries must all be names of item properties'));
    else if (!required.includes(key) && property['default'] === undefined)
      errors.push(
        requiredFieldError(
          `${path}.items.properties[${key}].default`,
          `this property is in ${LIST_KEYS}, so it must have a default or be a required property`,
        ),
      );
  }
  return errors;
}

/**
 * Errors of schemas inside `anyOf` and the like, which only check values: types and fields must be declared
 * outside.
 */
function definitionSchemaLogicErrors(schema: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((name) =>
    itemsField(schema, name).map((branch, index): [Fields, string] => [branch, `${path}.${name}[${index}]`]),
  );
  const { not } = schema;
  if (isFields(not)) branches.push([not, `${path}.not`]);
  for (const [branch, at] of branches) {
    errors.push(...definitionSchemaBranchErrors(branch, at, schema[INT_OR_STRING] === true));
    for (const name of Object.keys(fieldsAt(branch, 'properties')))
      if (fieldsAt(schema, 'properties')[name] === undefined && !isFields(schema['additionalProperties']))
        errors.push(
          requiredFieldError(`${path}.properties[${name}]`, `because it is defined in ${at}.properties[${name}]`),
        );
  }
  return errors;
}

const STRUCTURAL = ['type', 'default', 'nullable', 'title', 'description', 'additionalProperties', RULES_KEY];

function definitionSchemaBranchErrors(branch: Fields, path: string, allowsType: boolean): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of STRUCTURAL)
    if (branch[name] !== undefined && !(name === 'type' && allowsType))
      errors.push(forbiddenFieldError(`${path}.${name}`, 'must be empty to be structural'));
  for (const [name, child] of Object.entries(fieldsAt(branch, 'properties')))
    if (isFields(child)) errors.push(...definitionSchemaBranchErrors(child, `${path}.properties[${name}]`, false));
  return errors;
}

function definitionSchemaDefaultErrors(schema: Fields, path: string, work: Work): FieldError[] {
  const inside = definitionSchemaChildren(schema, path).flatMap(([child, at]) =>
    definitionSchemaDefaultErrors(child, at, work),
  );
  return [...inside, ...definitionSchemaOwnDefaultErrors(schema, path, work)];
}

function definitionSchemaOwnDefaultErrors(schema: Fields, path: string, work: Work): FieldError[] {
  const value = schema['default'];
  if (value === undefined || value === null) return [];
  const { default: _default, ...rest } = schema;
  const wrapped = schemaFrom({ type: 'object', properties: { '': rest } } as JsonObject);
  return validateAgainstSchema({ '': value } as ApiObject, wrapped, undefined, work).map(({ reason, message }) => ({
    reason,
    field: `${path}.default`,
    message,
  }));
}
