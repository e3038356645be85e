import { commentText } from './comment-text.ts';
import { type SchemaCatalog, type SchemaEntry, catalogKindsOfSchema } from './schema-catalog.ts';
import type { Schema } from './input.ts';
import type { Imports } from './imports.ts';
import {
  uniqueGeneratedName,
  pascalCaseGeneratedName,
  generatedPropertyName,
  quoteGeneratedName,
} from './generated-names.ts';
import { compareForSorting, entriesForSorting } from './sorting.ts';

const FREE_FORM = '{ readonly [key: string]: unknown }';
/** Types of primitive values. A Map, because a schema may call its type `constructor`. */
const PRIMITIVES: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'boolean'],
]);
/** Documented as string or number, although every server sends a string. */
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const REFERENCE = '#/components/schemas/';
/** Fields that may be missing: in the items of a list, or before the object was created. */
const OPTIONAL_IN_KINDS = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Writes the types of one module.
 *
 * An object with fields becomes an interface, also inside another one (`WidgetSpec` for the field `spec` of
 * `Widget`); everything else becomes a type alias. All fields and arrays are readonly. Rules that a type cannot
 * express (a pattern, a minimum) are left out; a schema without a type is `unknown`, and so is one that the documents
 * reference and do not define.
 *
 * Room rule: one module, from schemas to text. Does not decide names or modules of schemas.
 */
export class ModuleText {
  readonly #module: string;
  readonly #catalog: SchemaCatalog;
  readonly #imports: Imports;
  readonly #names: Set<string>;
  readonly #declarations = new Map<string, string>();
  readonly #comment: typeof commentText;

  /** With `comments`, descriptions become doc comments. */
  constructor(
    module: string,
    entries: readonly SchemaEntry[],
    catalog: SchemaCatalog,
    imports: Imports,
    comments: boolean,
  ) {
    this.#comment = comments ? commentText : () => '';
    this.#module = module;
    this.#catalog = catalog;
    this.#imports = imports;
    this.#names = new Set(entries.map(({ name }) => name));
    for (const entry of entries) this.#declare(entry);
  }

  /** The names it declares, sorted. */
  get names(): string[] {
    return [...this.#declarations.keys()].toSorted(compareForSorting);
  }

  toString(): string {
    const texts = [...this.#declarations].toSorted(([a], [b]) => compareForSorting(a, b)).map(([, text]) => text);
    return [this.#imports.toString(), ...texts].filter((text) => text !== '').join('\n');
  }

  #declare({ name, schema, schemaName }: SchemaEntry): void {
    const isKind = catalogKindsOfSchema(schema).length > 0;
    if (schemaName === QUANTITY) this.#alias(name, 'string', schema);
    else if (hasModuleFields(schema)) this.#interface(name, schema, isKind);
    else if (isKind && isModuleObjectSchema(schema)) this.#interface(name, withModuleObjectFields(schema), isKind);
    else this.#alias(name, this.#typeOf(schema, name), schema);
  }

  #alias(name: string, type: string, { description }: Schema): void {
    this.#declarations.set(name, `${this.#comment(description)}export type ${name} = ${type};\n`);
  }

  #interface(name: string, schema: Schema, isKind: boolean): void {
    const required = new Set(schema.required);
    const lines = entriesForSorting(schema.properties).map(([field, of]) => {
      const optional = !required.has(field) || (isKind && OPTIONAL_IN_KINDS.has(field));
      const comment = this.#comment(of.description, '  ');
      return `${comment}  readonly ${generatedPropertyName(field)}${optional ? '?' : ''}: ${this.#typeOf(of, name + pascalCaseGeneratedName(field))};\n`;
    });
    if (isModuleOpenSchema(schema)) lines.push('  readonly [key: string]: unknown;\n');
    this.#declarations.set(
      name,
      `${this.#comment(schema.description)}export interface ${name} {\n${lines.join('')}}\n`,
    );
  }

  #typeOf(schema: Schema, hint: string): string {
    const type = this.#plainTypeOf(schema, hint);
    return schema.nullable === true && type !== 'unknown' ? `${type} | null` : type;
  }

  #plainTypeOf(schema: Schema, hint: string): string {
    if (schema.$ref !== undefined) return this.#reference(schema.$ref);
    if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string') return 'number | string';
    // Next to a reference other keywords only restrict the values.
    if (schema.allOf?.some(({ $ref }) => $ref !== undefined)) return this.#combined(schema.allOf, ' & ', hint);
    const literals = moduleLiteralType(schema);
    if (literals !== undefined) return literals;
    const primitive = PRIMITIVES.get(schema.type ?? '');
    if (primitive !== undefined) return primitive;
    if (schema.type === 'array' || schema.items !== undefined) {
      return `readonly ${parenthesizeModuleType(this.#typeOf(schema.items ?? {}, `${hint}Item`))}[]`;
    }
    if (isModuleObjectSchema(schema)) return this.#objectType(schema, hint);
    if (schema.allOf !== undefined) return this.#combined(schema.allOf, ' & ', hint);
    return this.#combined(schema.oneOf ?? schema.anyOf ?? [], ' | ', hint);
  }

  #objectType(schema: Schema, hint: string): string {
    if (hasModuleFields(schema)) {
      const name = uniqueGeneratedName(hint, this.#names);
      this.#interface(name, schema, false);
      return name;
    }
    if (typeof schema.additionalProperties !== 'object') return FREE_FORM;
    return `{ readonly [key: string]: ${this.#typeOf(schema.additionalProperties, `${hint}Value`)} }`;
  }

  #combined(schemas: readonly Schema[], operator: ' & ' | ' | ', hint: string): string {
    const types = new Set(schemas.map((schema) => this.#typeOf(schema, hint)));
    // `unknown` adds nothing to an intersection and absorbs a union.
    if (operator === ' & ') types.delete('unknown');
    else if (types.has('unknown')) return 'unknown';
    if (types.size <= 1) return [...types][0] ?? 'unknown';
    return [...types].map((type) => parenthesizeModuleType(type)).join(operator);
  }

  #reference(ref: string): string {
    const entry = this.#catalog.get(ref.replace(REFERENCE, ''));
    if (entry === undefined) return 'unknown';
    return entry.module === this.#module ? entry.name : `${this.#imports.alias(entry.module)}.${entry.name}`;
  }
}

function hasModuleFields({ properties }: Schema): boolean {
  return properties !== undefined && Object.keys(properties).length > 0;
}

function isModuleObjectSchema(schema: Schema): boolean {
  return schema.type === 'object' || hasModuleFields(schema) || typeof schema.additionalProperties === 'object';
}

/** Whether an object may have other fields than those described. */
function isModuleOpenSchema(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || Boolean(schema.additionalProperties);
}

/** Adds the fields of every object, for a kind without a described field. */
function withModuleObjectFields(schema: Schema): Schema {
  const metadata = { $ref: `${REFERENCE}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` };
  return {
    ...schema,
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata },
    additionalProperties: true,
  };
}

function moduleLiteralType(schema: Schema): string | undefined {
  // `nullable` decides whether null is allowed.
  const values = schema.enum?.filter((value) => value !== null) ?? [];
  if (values.length === 0) return undefined;
  const literals = values.map((value) => {
    if (typeof value === 'string') return quoteGeneratedName(value);
    if (typeof value === 'boolean') return String(value);
    // 1e999 is Infinity, which is a name and not a number.
    return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
  });
  // An enum with objects or arrays restricts values and is not a type.
  return literals.includes(undefined)
    ? undefined
    : [...new Set(literals as string[])].toSorted(compareForSorting).join(' | ');
}

/** Adds parentheses if an operator next to the type could change its meaning. */
function parenthesizeModuleType(type: string): string {
  return type.startsWith('readonly ') || / [|&] /.test(type) ? `(${type})` : type;
}
