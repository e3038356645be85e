import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generatedPropertyName, quoteGeneratedName, typeGeneratedName } from '../src/generate/generated-names.ts';
import { generate, type Schema } from '../src/generate/index.ts';
import { evaluate } from './evaluate.ts';
import { documentOf, kindSchema, serverOf } from './documents.ts';

function filesOf(schemas: Record<string, Schema>): Map<string, string> {
  const files = generate({ documents: { 'apis/a.example/v1': documentOf(schemas) }, discovery: [] });
  for (const table of ['index.ts', 'kinds.ts', 'resources.ts']) files.delete(table);
  return files;
}

/** Every code unit, half characters too. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

describe('modules', () => {
  test('a package goes to the group-version its kinds name, whatever the package is called', () => {
    const files = filesOf({
      'io.k8s.api.rbac.v1.Role': kindSchema('rbac.authorization.k8s.io', 'v1', 'Role'),
      'io.k8s.api.rbac.v1.PolicyRule': { type: 'string' },
    });
    expect([...files.keys()]).toEqual(['rbac.authorization.k8s.io/v1.ts']);
    expect(files.get('rbac.authorization.k8s.io/v1.ts')).toContain('export type PolicyRule');
  });

  test('a schema that stands for many group-versions does not decide where its package goes', () => {
    const many = ['v1', 'v2'].map((version) => ({ group: 'a.aaa', version, kind: 'Options' }));
    const files = filesOf({
      'example.a.v1.Options': { type: 'object', 'x-kubernetes-group-version-kind': many },
      'example.a.v1.Widget': kindSchema('a.example', 'v1', 'Widget'),
    });
    expect([...files.keys()]).toEqual(['a.example/v1.ts']);
  });

  test('where the kinds of a package disagree, most of them decide', () => {
    const files = filesOf({
      'x.A': kindSchema('a.example', 'v1', 'A'),
      'x.B': kindSchema('b.example', 'v1', 'B'),
      'x.C': kindSchema('b.example', 'v1', 'C'),
    });
    expect([...files.keys()]).toEqual(['b.example/v1.ts']);
  });

  test('a package without kinds is a module of its own', () => {
    const files = filesOf({ 'org.shared.v2.A': {}, 'org.shared.B': {}, Plain: {} });
    expect([...files.keys()]).toEqual(['org.shared/types.ts', 'org.shared/v2.ts', 'types.ts']);
  });

  test('everything of apimachinery is in meta.k8s.io/v1, also what claims to be core', () => {
    const files = filesOf({
      'io.k8s.apimachinery.pkg.apis.meta.v1.Status': kindSchema('', 'v1', 'Status'),
      'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {},
    });
    expect([...files.keys()]).toEqual(['meta.k8s.io/v1.ts']);
  });

  test('two schemas of one name in one module are distinguished by a number', () => {
    const files = filesOf({ 'io.k8s.apimachinery.a.X': { type: 'string' }, 'io.k8s.apimachinery.b.X': { type: 'number' } });
    expect(files.get('meta.k8s.io/v1.ts')).toBe('export type X = string;\n\nexport type X2 = number;\n');
  }); // prettier-ignore

  test.each(['../../etc', '..', 'a/../b', '/abs', 'a b', "a';", 'a\\b', '', '.hidden'])(
    'a group called %j cannot choose where a file is written',
    (group) => {
      const schema = { ...kindSchema(group, group === '' ? '../x' : 'v1', 'Widget') };
      expect(() => filesOf({ 'x.v1.Widget': schema })).toThrow('cannot be used as a file name');
    },
  );

  test('a module that exists elsewhere is imported from there and neither written nor exported again', () => {
    const $ref = '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
    const server = serverOf('example.com', 'v1', { Widget: { properties: { metadata: { $ref } } } });
    const meta = documentOf({ 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object' } });
    const files = generate(
      { ...server, documents: { ...server.documents, other: meta } },
      { external: (module) => (module === 'meta.k8s.io/v1' ? 'types-of-mine/meta' : undefined) },
    );
    expect([...files.keys()]).toEqual(['example.com/v1.ts', 'resources.ts', 'kinds.ts', 'index.ts']);
    expect(files.get('example.com/v1.ts')).toContain("import type * as meta_k8s_io_v1 from 'types-of-mine/meta';");
    expect(files.get('index.ts')).not.toContain('ObjectMeta');
  });
});

describe('names', () => {
  test.each([
    ['Pod', 'Pod'],
    ['my-kind', 'myKind'],
    ['string', 'string_'],
    ['class', 'class_'],
    ['9lives', 'T9lives'],
    ['', 'T'],
    ['A{};', 'A'],
  ])('a kind called %j gets the type %s', (kind, name) => {
    expect(typeGeneratedName(kind)).toBe(name);
  });

  test('a kind called like a type that other code uses does not disturb it', () => {
    const map: Schema = { properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } } };
    const text = generate(serverOf('example.com', 'v1', { Record: map, Readonly: {}, string: {} })).get('example.com/v1.ts');
    expect(text).toContain('readonly labels?: { readonly [key: string]: string };');
    expect(text).toContain('export interface string_ {');
  }); // prettier-ignore

  test('whatever a server calls a kind, its type has a name that compiles', () => {
    fc.assert(
      fc.property(anyText, (kind) => {
        expect(evaluate(`return (class ${typeGeneratedName(kind)} {}).name`)).toBe(typeGeneratedName(kind));
      }),
    );
  });

  test('whatever a field or a listed value is called, the file says exactly that', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(evaluate(`return ${quoteGeneratedName(text)}`)).toBe(text);
        expect(Object.keys(evaluate(`return ({ [${quoteGeneratedName(text)}]: 1 })`) as object)).toEqual([text]);
        if (generatedPropertyName(text) !== text) expect(generatedPropertyName(text)).toBe(quoteGeneratedName(text));
      }),
    );
    expect(quoteGeneratedName('say "no"')).toBe(`'say "no"'`);
    expect([
      generatedPropertyName('$ref'),
      generatedPropertyName('x-y'),
      generatedPropertyName("a'b"),
      generatedPropertyName('a\nb'),
    ]).toEqual(['$ref', "'x-y'", String.raw`'a\'b'`, String.raw`'a\nb'`]);
  });
});
