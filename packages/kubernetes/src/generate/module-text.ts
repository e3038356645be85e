import { type SchemaIndex, type SchemaEntry, kindsOfSchema } from './schema-index.ts';
import type { Schema } from './input.ts';
import type { Imports } from './imports.ts';
import { byText, claimName, pascalName, propertyName, quote, sortedEntries } from './names.ts';

const FREE_FORM = '{ readonly [key: string]: unknown }';
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
};
/** The schema allows string or number; every server writes a string. */
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const REFERENCE = '#/components/schemas/';
/** Fields that may be absent: in the items of a list, or before the object is created. */
const OPTIONAL_IN_KINDS = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Writes the types of one module.
 *
 * An object with fields becomes an interface, also a nested one (`WidgetSpec` for the field `spec` of `Widget`);
 * everything else becomes a type alias. All fields and arrays are readonly. Rules that a type cannot express (a pattern,
 * a minimum) are left out; an empty schema and an undefined reference are `unknown`.
 *
 * Room rule: one module, from schemas to text. `SchemaIndex` decides names and modules.
 */
export class ModuleText {
  readonly #module: string;
  readonly #index: SchemaIndex;
  readonly #imports: Imports;
  readonly #names: Set<string>;
  readonly #declarations = new Map<string, string>();

  constructor(module: string, entries: readonly SchemaEntry[], index: SchemaIndex, imports: Imports) {
    this.#module = module;
    this.#index = index;
    this.#imports = imports;
    this.#names = new Set(entries.map(({ name }) => name));
    for (const entry of entries) this.#declare(entry);
  }

  /** The declared names, sorted. */
  get names(): string[] {
    return [...this.#declarations.keys()].toSorted(byText);
  }

  toString(): string {
    const texts = [...this.#declarations].toSorted(([a], [b]) => byText(a, b)).map(([, text]) => text);
    return [this.#imports.toString(), ...texts].filter((text) => text !== '').join('\n');
  }

  #declare({ name, schema, schemaName }: SchemaEntry): void {
    const isKind = kindsOfSchema(schema).length > 0;
    if (schemaName === QUANTITY) this.#alias(name, 'string');
    else if (schemaHasFields(schema)) this.#interface(name, schema, isKind);
    else if (isKind && isObjectSchema(schema)) this.#interface(name, withObjectFields(schema), isKind);
    else this.#alias(name, this.#typeOf(schema, name));
  }

  #alias(name: string, type: string): void {
    this.#declarations.set(name, `export type ${name} = ${type};\n`);
  }

  #interface(name: string, schema: Schema, isKind: boolean): void {
    const required = new Set(schema.required);
    const lines = sortedEntries(schema.properties).map(([field, of]) => {
      const optional = !required.has(field) || (isKind && OPTIONAL_IN_KINDS.has(field));
      return `  readonly ${propertyName(field)}${optional ? '?' : ''}: ${this.#typeOf(of, name + pascalName(field))};\n`;
    });
    if (isOpenSchema(schema)) lines.push('  readonly [key: string]: unknown;\n');
    this.#declarations.set(name, `export interface ${name} {\n${lines.join('')}}\n`);
  }

  #typeOf(schema: Schema, hint: string): string {
    const type = this.#plainTypeOf(schema, hint);
    return schema.nullable === true && type !== 'unknown' ? `${type} | null` : type;
  }

  #plainTypeOf(schema: Schema, hint: string): string {
    if (schema.$ref !== undefined) return this.#reference(schema.$ref);
    if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string') return 'number | string';
    // Keywords next to a reference only restrict the values.
    if (schema.allOf?.some(({ $ref }) => $ref !== undefined)) return this.#combined(schema.allOf, ' & ', hint);
    const literals = literalTypeOf(schema);
    if (literals !== undefined) return literals;
    const primitive = PRIMITIVES[schema.type ?? ''];
    if (primitive !== undefined) return primitive;
    if (schema.type === 'array' || schema.items !== undefined) {
      return `readonly ${parenthesizedType(this.#typeOf(schema.items ?? {}, `${hint}Item`))}[]`;
    }
    if (isObjectSchema(schema)) return this.#objectType(schema, hint);
    if (schema.allOf !== undefined) return this.#combined(schema.allOf, ' & ', hint);
    return this.#combined(schema.oneOf ?? schema.anyOf ?? [], ' | ', hint);
  }

  #objectType(schema: Schema, hint: string): string {
    if (schemaHasFields(schema)) {
      const name = claimName(hint, this.#names);
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
    return [...types].map((type) => parenthesizedType(type)).join(operator);
  }

  #reference(ref: string): string {
    const entry = this.#index.get(ref.replace(REFERENCE, ''));
    if (entry === undefined) return 'unknown';
    return entry.module === this.#module ? entry.name : `${this.#imports.alias(entry.module)}.${entry.name}`;
  }
}

function schemaHasFields({ properties }: Schema): boolean {
  return properties !== undefined && Object.keys(properties).length > 0;
}

function isObjectSchema(schema: Schema): boolean {
  return schema.type === 'object' || schemaHasFields(schema) || typeof schema.additionalProperties === 'object';
}

/** Whether an object may have fields that the schema does not name. */
function isOpenSchema(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || Boolean(schema.additionalProperties);
}

/** Adds the fields of every object, for a kind without a schema. */
function withObjectFields(schema: Schema): Schema {
  const metadata = { $ref: `${REFERENCE}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` };
  return {
    ...schema,
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata },
    additionalProperties: true,
  };
}

function literalTypeOf(schema: Schema): string | undefined {
  // `nullable` says whether null is allowed.
  const values = schema.enum?.filter((value) => value !== null) ?? [];
  if (values.length === 0) return undefined;
  const literals = values.map((value) => {
    if (typeof value === 'string') return quote(value);
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  });
  // A list with objects or arrays cannot be a type.
  return literals.includes(undefined) ? undefined : [...new Set(literals as string[])].toSorted(byText).join(' | ');
}

/** Adds parentheses where an operator around the type would bind more tightly. */
function parenthesizedType(type: string): string {
  return type.startsWith('readonly ') || / [|&] /.test(type) ? `(${type})` : type;
}
