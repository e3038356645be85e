import { type Catalogue, type Entry, kindsOf } from './catalogue.ts';
import type { Schema } from './input.ts';
import type { Imports } from './imports.ts';
import { byText, claim, pascal, propertyName, quote, sortedEntries } from './names.ts';

const FREE_FORM = '{ readonly [key: string]: unknown }';
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
};
/** The document says string or number; every server writes a string. */
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const REFERENCE = '#/components/schemas/';
/** On the wire these may be left out: in the items of a list, before a server has seen the object. */
const OPTIONAL_IN_KINDS = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Writes the types of one module.
 *
 * An object with fields becomes an interface, also when it stands inside another one (`WidgetSpec` for the field
 * `spec` of `Widget`); everything else becomes a type alias. All fields and arrays are readonly. A rule of a schema
 * that no type can say (a pattern, a minimum) is left out; a schema that says nothing is `unknown`, and so is one
 * that the documents refer to and do not define.
 *
 * Room rule: one module, from schemas to text. Does not decide names or places of schemas.
 */
export class ModuleText {
  readonly #module: string;
  readonly #catalogue: Catalogue;
  readonly #imports: Imports;
  readonly #names: Set<string>;
  readonly #declarations = new Map<string, string>();

  constructor(module: string, entries: readonly Entry[], catalogue: Catalogue, imports: Imports) {
    this.#module = module;
    this.#catalogue = catalogue;
    this.#imports = imports;
    this.#names = new Set(entries.map(({ name }) => name));
    for (const entry of entries) this.#declare(entry);
  }

  /** The names it declares, in order. */
  get names(): string[] {
    return [...this.#declarations.keys()].toSorted(byText);
  }

  toString(): string {
    const texts = [...this.#declarations].toSorted(([a], [b]) => byText(a, b)).map(([, text]) => text);
    return [this.#imports.toString(), ...texts].filter((text) => text !== '').join('\n');
  }

  #declare({ name, schema, schemaName }: Entry): void {
    const isKind = kindsOf(schema).length > 0;
    if (schemaName === QUANTITY) this.#alias(name, 'string');
    else if (hasFields(schema)) this.#interface(name, schema, isKind);
    else if (isKind && isObject(schema)) this.#interface(name, withObjectFields(schema), isKind);
    else this.#alias(name, this.#typeOf(schema, name));
  }

  #alias(name: string, type: string): void {
    this.#declarations.set(name, `export type ${name} = ${type};\n`);
  }

  #interface(name: string, schema: Schema, isKind: boolean): void {
    const required = new Set(schema.required);
    const lines = sortedEntries(schema.properties).map(([field, of]) => {
      const optional = !required.has(field) || (isKind && OPTIONAL_IN_KINDS.has(field));
      return `  readonly ${propertyName(field)}${optional ? '?' : ''}: ${this.#typeOf(of, name + pascal(field))};\n`;
    });
    if (isOpen(schema)) lines.push('  readonly [key: string]: unknown;\n');
    this.#declarations.set(name, `export interface ${name} {\n${lines.join('')}}\n`);
  }

  #typeOf(schema: Schema, hint: string): string {
    const type = this.#plainTypeOf(schema, hint);
    return schema.nullable === true && type !== 'unknown' ? `${type} | null` : type;
  }

  #plainTypeOf(schema: Schema, hint: string): string {
    if (schema.$ref !== undefined) return this.#reference(schema.$ref);
    if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string') return 'number | string';
    // Beside a reference other keywords only narrow what values are allowed.
    if (schema.allOf?.some(({ $ref }) => $ref !== undefined)) return this.#combined(schema.allOf, ' & ', hint);
    const literals = literalsOf(schema);
    if (literals !== undefined) return literals;
    const primitive = PRIMITIVES[schema.type ?? ''];
    if (primitive !== undefined) return primitive;
    if (schema.type === 'array' || schema.items !== undefined) {
      return `readonly ${grouped(this.#typeOf(schema.items ?? {}, `${hint}Item`))}[]`;
    }
    if (isObject(schema)) return this.#objectType(schema, hint);
    if (schema.allOf !== undefined) return this.#combined(schema.allOf, ' & ', hint);
    return this.#combined(schema.oneOf ?? schema.anyOf ?? [], ' | ', hint);
  }

  #objectType(schema: Schema, hint: string): string {
    if (hasFields(schema)) {
      const name = claim(hint, this.#names);
      this.#interface(name, schema, false);
      return name;
    }
    if (typeof schema.additionalProperties !== 'object') return FREE_FORM;
    return `{ readonly [key: string]: ${this.#typeOf(schema.additionalProperties, `${hint}Value`)} }`;
  }

  #combined(schemas: readonly Schema[], operator: ' & ' | ' | ', hint: string): string {
    const types = new Set(schemas.map((schema) => this.#typeOf(schema, hint)));
    // In an intersection "anything" adds nothing; in a union it is everything.
    if (operator === ' & ') types.delete('unknown');
    else if (types.has('unknown')) return 'unknown';
    if (types.size <= 1) return [...types][0] ?? 'unknown';
    return [...types].map((type) => grouped(type)).join(operator);
  }

  #reference(ref: string): string {
    const entry = this.#catalogue.get(ref.replace(REFERENCE, ''));
    if (entry === undefined) return 'unknown';
    return entry.module === this.#module ? entry.name : `${this.#imports.alias(entry.module)}.${entry.name}`;
  }
}

function hasFields({ properties }: Schema): boolean {
  return properties !== undefined && Object.keys(properties).length > 0;
}

function isObject(schema: Schema): boolean {
  return schema.type === 'object' || hasFields(schema) || typeof schema.additionalProperties === 'object';
}

/** Whether an object may hold more than the fields it names. */
function isOpen(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || Boolean(schema.additionalProperties);
}

/** What every served object has, for a kind whose author described nothing. */
function withObjectFields(schema: Schema): Schema {
  const metadata = { $ref: `${REFERENCE}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` };
  return {
    ...schema,
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata },
    additionalProperties: true,
  };
}

function literalsOf(schema: Schema): string | undefined {
  // Whether null is allowed is what `nullable` says.
  const values = schema.enum?.filter((value) => value !== null) ?? [];
  if (values.length === 0) return undefined;
  const literals = values.map((value) => {
    if (typeof value === 'string') return quote(value);
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  });
  // A list that holds objects or arrays is a rule about values, not a type.
  return literals.includes(undefined) ? undefined : [...new Set(literals as string[])].toSorted(byText).join(' | ');
}

/** In parentheses where an operator around the type could take it apart. */
function grouped(type: string): string {
  return type.startsWith('readonly ') || / [|&] /.test(type) ? `(${type})` : type;
}
