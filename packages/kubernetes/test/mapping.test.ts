import { Imports } from '../src/generate/imports.ts';
import { describe, expect, test } from 'vitest';
import { generate, type Schema } from '../src/generate/index.ts';
import { documentOf, kindSchema, serverOf } from './documents.ts';

const REF = '#/components/schemas/';

/** The declarations of a package whose schemas are these. */
function rig(schemas: Record<string, Schema>): string {
  const documents = {
    'apis/example.com/v1': documentOf(
      Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`com.example.v1.${name}`, schema])),
    ),
  };
  return generate({ documents, discovery: [] }).get('com.example/v1.ts') ?? '';
}

/** The type that a field with this schema gets. */
function typeOf(schema: Schema): string {
  const text = rig({ Holder: { type: 'object', required: ['field'], properties: { field: schema } } });
  return /readonly field: (?<type>.*);\n/.exec(text)?.groups?.['type'] ?? text;
}

describe('values', () => {
  test.each<[string, Schema, string]>([
    ['a string', { type: 'string' }, 'string'],
    ['an integer', { type: 'integer', format: 'int64' }, 'number'],
    ['a number', { type: 'number', format: 'double' }, 'number'],
    ['a boolean', { type: 'boolean' }, 'boolean'],
    ['base64 bytes', { type: 'string', format: 'byte' }, 'string'],
    ['a time', { type: 'string', format: 'date-time' }, 'string'],
    ['nothing said', {}, 'unknown'],
    ...['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty'].map(
      (type): [string, Schema, string] => [`S91: a type called ${type}`, { type } as Schema, 'unknown'],
    ),
    ['an int-or-string that calls itself a string', { type: 'string', format: 'int-or-string' }, 'number | string'],
    ['an int-or-string of a built-in', { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }, 'number | string'],
    ['an int-or-string of a custom resource', { 'x-kubernetes-int-or-string': true }, 'number | string'],
    ['one of two', { oneOf: [{ type: 'boolean' }, { type: 'string' }] }, 'boolean | string'],
    ['any of two that are one type', { anyOf: [{ type: 'integer' }, { type: 'number' }] }, 'number'],
    ['any of something and anything', { anyOf: [{ type: 'integer' }, {}] }, 'unknown'],
    ['listed strings, sorted', { type: 'string', enum: ['b', 'a', 'b'] }, "'a' | 'b'"],
    ['listed numbers', { type: 'integer', enum: [1, 2] }, '1 | 2'],
    ['S91: a listed number that is too large for one', { type: 'number', enum: JSON.parse('[1, 1e999]') as number[] }, 'number'],
    ['listed objects, which are no type', { type: 'object', enum: [{}] }, '{ readonly [key: string]: unknown }'],
    ['an empty list', { type: 'string', enum: [] }, 'string'],
    ['null allowed', { type: 'string', nullable: true }, 'string | null'],
    ['null allowed and listed', { type: 'string', enum: ['a', null], nullable: true }, "'a' | null"],
    ['null allowed and nothing else said', { nullable: true }, 'unknown'],
  ])('%s', (_, schema, type) => {
    expect(typeOf(schema)).toBe(type);
  }); // prettier-ignore
});

test.each(['constructor', '__proto__', 'toString', 'null'])('S61: a schema of type %s is unknown', (type) => {
  expect(typeOf({ type } as Schema)).toBe('unknown');
});

describe('arrays, maps and objects', () => {
  test.each<[string, Schema, string]>([
    ['an array', { type: 'array', items: { type: 'string' } }, 'readonly string[]'],
    ['an array of anything', { type: 'array' }, 'readonly unknown[]'],
    ['an array of arrays', { type: 'array', items: { type: 'array', items: { type: 'string' } } }, 'readonly (readonly string[])[]'],
    ['an array of a union', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
    [
      'an array of maps or null',
      { type: 'array', items: { type: 'object', nullable: true, additionalProperties: { type: 'string' } } },
      'readonly ({ readonly [key: string]: string } | null)[]',
    ],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, '{ readonly [key: string]: string }'],
    ['a map of arrays', { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } }, '{ readonly [key: string]: readonly string[] }'],
    ['a free-form object', { type: 'object' }, '{ readonly [key: string]: unknown }'],
    ['a free-form object of a custom resource', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, '{ readonly [key: string]: unknown }'],
    ['a free-form value of a custom resource', { 'x-kubernetes-preserve-unknown-fields': true }, 'unknown'],
  ])('%s', (_, schema, type) => {
    expect(typeOf(schema)).toBe(type);
  }); // prettier-ignore

  test('an object with fields inside another gets an interface named by its place', () => {
    const inner: Schema = { type: 'object', properties: { name: { type: 'string' } } };
    const text = rig({
      Widget: {
        type: 'object',
        properties: { spec: inner, parts: { type: 'array', items: inner }, 'by-name': { type: 'object', additionalProperties: inner } },
      },
    }); // prettier-ignore
    expect(text).toBe(`export interface Widget {
  readonly 'by-name'?: { readonly [key: string]: WidgetByNameValue };
  readonly parts?: readonly WidgetPartsItem[];
  readonly spec?: WidgetSpec;
}

export interface WidgetByNameValue {
  readonly name?: string;
}

export interface WidgetPartsItem {
  readonly name?: string;
}

export interface WidgetSpec {
  readonly name?: string;
}
`);
  });

  test('the name of a nested object gives way to a schema of that name', () => {
    const nested: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { a: {} } } } };
    const text = rig({ Widget: nested, WidgetSpec: { type: 'string' } });
    expect(text).toContain('readonly spec?: WidgetSpec2;');
    expect(text).toContain('export type WidgetSpec = string;');
  });

  test('an object that keeps unknown fields can be read by any name', () => {
    const fields = { type: 'object', properties: { name: { type: 'string' } } };
    for (const open of [{ 'x-kubernetes-preserve-unknown-fields': true }, { additionalProperties: true }]) {
      expect(rig({ Open: { ...fields, ...open } })).toBe(
        'export interface Open {\n  readonly name?: string;\n  readonly [key: string]: unknown;\n}\n',
      );
    }
    expect(rig({ Closed: { ...fields, additionalProperties: false } })).not.toContain('[key');
  });

  test('a schema without fields becomes a type alias', () => {
    expect(rig({ Empty: { type: 'object', properties: {} }, Any: {} })).toBe(
      'export type Any = unknown;\n\nexport type Empty = { readonly [key: string]: unknown };\n',
    );
  });
});

describe('references', () => {
  const target: Schema = { type: 'object', properties: { a: {} } };
  const fieldOf = (schema: Schema, more: Record<string, Schema> = {}): string | undefined =>
    /readonly field\?: (?<type>.*);/.exec(
      rig({ Holder: { type: 'object', properties: { field: schema } }, Target: target, ...more }),
    )?.groups?.['type'];
  const ref = (name: string): Schema => ({ $ref: `${REF}com.example.v1.${name}` });

  test('a reference is the name of its type', () => {
    expect(fieldOf(ref('Target'))).toBe('Target');
  });

  test('an allOf with one reference is that reference, whatever stands beside it', () => {
    expect(fieldOf({ allOf: [ref('Target')] })).toBe('Target');
    expect(fieldOf({ type: 'object', allOf: [ref('Target')] })).toBe('Target');
    expect(fieldOf({ type: 'object', nullable: true, allOf: [ref('Target'), { description: 'a rule' } as Schema] })).toBe('Target | null');
  }); // prettier-ignore

  test('an allOf with two references is both', () => {
    expect(fieldOf({ allOf: [ref('Target'), ref('Other')] }, { Other: target })).toBe('Target & Other');
  });

  test('an allOf with rules only leaves the type beside it alone', () => {
    expect(fieldOf({ type: 'string', allOf: [{ enum: undefined } as unknown as Schema] })).toBe('string');
  });

  test('a reference that leads nowhere is unknown', () => {
    expect(fieldOf(ref('Missing'))).toBe('unknown');
    expect(fieldOf({ $ref: 'https://example.com/other.json' })).toBe('unknown');
  });

  test('a reference into another package goes through an import of that module', () => {
    const documents = {
      'apis/apps/v1': documentOf({
        'io.k8s.api.apps.v1.Deployment': kindSchema('apps', 'v1', 'Deployment', {
          properties: { template: { allOf: [{ $ref: `${REF}io.k8s.api.core.v1.Pod` }] } },
        }),
        'io.k8s.api.core.v1.Pod': kindSchema('', 'v1', 'Pod', {
          properties: { at: { $ref: `${REF}io.k8s.apimachinery.pkg.apis.meta.v1.Time` } },
        }),
        'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { type: 'string', format: 'date-time' },
      }),
    };
    const files = generate({ documents, discovery: [] }, { importExtension: '.ts' });
    expect(files.get('apps/v1.ts')).toBe(
      "import type * as core_v1 from '../v1.ts';\n\nexport interface Deployment {\n  readonly template?: core_v1.Pod;\n}\n",
    );
    expect(files.get('v1.ts')).toBe(
      "import type * as meta_k8s_io_v1 from './meta.k8s.io/v1.ts';\n\nexport interface Pod {\n  readonly at?: meta_k8s_io_v1.Time;\n}\n",
    );
    expect(files.get('meta.k8s.io/v1.ts')).toBe('export type Time = string;\n');
  });
});

describe('fields', () => {
  test('only required fields are required, and all are readonly and sorted', () => {
    expect(rig({ A: { type: 'object', required: ['b'], properties: { b: {}, c: {}, a: {} } } })).toBe(
      'export interface A {\n  readonly a?: unknown;\n  readonly b: unknown;\n  readonly c?: unknown;\n}\n',
    );
  });

  test('apiVersion, kind and metadata of a kind are optional even when the schema requires them', () => {
    const required = ['apiVersion', 'kind', 'metadata', 'spec'];
    const properties = { apiVersion: {}, kind: {}, metadata: {}, spec: {} };
    const kind = generate(serverOf('example.com', 'v1', { Widget: { required, properties } })).get('example.com/v1.ts');
    expect(kind).toContain('apiVersion?: unknown;\n  readonly kind?: unknown;\n  readonly metadata?: unknown;\n  readonly spec: unknown;');
    // An embedded object is written by hand, and there the schema's word counts.
    expect(rig({ Embedded: { type: 'object', required, properties } })).not.toContain('?');
  }); // prettier-ignore

  test('a kind whose author described nothing still has what every object has', () => {
    const server = serverOf('example.com', 'v1', { Blob: { properties: {} } });
    expect(generate(server).get('example.com/v1.ts')).toBe(`export interface Blob {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: unknown;
  readonly [key: string]: unknown;
}
`);
  });

  test('a quantity is a string, as every server writes it', () => {
    const documents = {
      'api/v1': documentOf({
        'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
      }),
    };
    expect(generate({ documents, discovery: [] }).get('meta.k8s.io/v1.ts')).toBe('export type Quantity = string;\n');
  });

  test('no description becomes part of a file', () => {
    const described = { description: 'SECRET TEXT */ `' } as Schema;
    const text = rig({ A: { type: 'object', properties: { b: { type: 'string', ...described } }, ...described } });
    expect(text).toBe('export interface A {\n  readonly b?: string;\n}\n');
  });
});

describe('S118: names of a server', () => {
  test('S118: no invisible character gets into a generated file, and the text it means stays', () => {
    const type = typeOf({ type: 'string', enum: ['a\u202eb', 'c\u2066\u200b\u{e0041}', "it's"] });
    expect(type).toBe(String.raw`'a\u{202e}b' | 'c\u{2066}\u{200b}\u{e0041}' | 'it\'s'`);
  });

  test('S118: a group that begins with a digit is imported under a legal name', () => {
    const imports = new Imports((module) => `./${module}.js`);
    expect([imports.alias('3scale.net/v1'), imports.alias('apps/v1')]).toEqual(['_3scale_net_v1', 'apps_v1']);
    expect(imports.toString()).toContain("import type * as _3scale_net_v1 from './3scale.net/v1.js';");
  });
});
