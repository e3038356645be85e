import { describe, expect, test } from 'vitest';
import { commentText } from '../src/generate/comment-text.ts';
import { type Definition, generate, schemasOfDefinitions } from '../src/generate/index.ts';

describe('descriptions as comments', () => {
  test.each<[string, unknown, string]>([
    ['none', undefined, ''],
    ['not a text', 7, ''],
    ['blank', ' \n ', ''],
    ['one line', 'The size.', '/** The size. */\n'],
    ['two lines', 'The size.\nIn metres.', '/**\n * The size.\n * In metres.\n */\n'],
    ['S91: an end of the comment', 'a */ b', '/** a *\\/ b */\n'],
    ['S91: other line ends and invisible characters', 'a\u2028b\u0000c\u202ed', '/**\n * a\n * b c d\n */\n'],
  ])('%s', (_, description, text) => {
    expect(commentText(description)).toBe(text);
  });

  test('long ones are wrapped', () => {
    const text = commentText('word '.repeat(60), '  ');
    expect(text.split('\n').every((line) => line.length <= 114)).toBe(true);
    expect(text.match(/word/g)).toHaveLength(60);
  });
});

const definition: Definition = {
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A widget.',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', description: 'In metres.' } } },
            },
          },
        },
      },
      { name: 'v1alpha1', served: false },
    ],
  },
};

describe('types from definitions', () => {
  const files = generate(schemasOfDefinitions([definition]), {
    comments: true,
    external: (module) => (module === 'meta.k8s.io/v1' ? '@kube-informer/kubernetes/meta.k8s.io/v1' : undefined),
    augments: { module: '@kube-informer/kubernetes', has: (resource) => resource === 'v1/pods' },
  });

  test('served versions only, with comments and the metadata of every object', () => {
    expect([...files.keys()]).toEqual(['example.com/v1.ts', 'resources.ts', 'kinds.ts', 'index.ts']);
    const text = files.get('example.com/v1.ts');
    expect(text).toContain('/** A widget. */\nexport interface Widget {');
    expect(text).toContain('  /** In metres. */\n  readonly size?: number;');
    expect(text).toContain('readonly metadata?: meta_k8s_io_v1.ObjectMeta;');
  });

  test('the table of kinds has the subresources of the version', () => {
    const verbs = "const verbs1: readonly string[] = ['get', 'patch', 'update'];";
    const scale = "{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: verbs1 }";
    const status = "{ name: 'status', group: 'example.com', version: 'v1', kind: 'Widget', verbs: verbs1 }";
    expect(files.get('kinds.ts')).toContain(verbs);
    expect(files.get('kinds.ts')).toContain(`subresources: [${scale}, ${status}]`);
  });

  test('the list has a type, as from a server', () => {
    expect(files.get('example.com/v1.ts')).toMatch(/interface WidgetList \{[^}]*readonly items: readonly Widget\[\];/);
  });

  test('the shipped table gets the names it does not have', () => {
    expect(files.get('resources.ts')).toContain(
      "declare module '@kube-informer/kubernetes' {\n  interface Resources {\n    readonly 'example.com/v1/widgets': example_com_v1.Widget;\n  }\n}\n",
    );
    const known = generate(schemasOfDefinitions([definition]), { augments: { module: 'm', has: () => true } });
    expect(known.get('resources.ts')).not.toContain('declare module');
  });

  test('without comments none of the descriptions is copied', () => {
    expect(generate(schemasOfDefinitions([definition])).get('example.com/v1.ts')).not.toContain('metres');
  });

  test('a definition without names is refused', () => {
    expect(() => schemasOfDefinitions([{ spec: { group: 'example.com' } }])).toThrow('spec.names.kind');
  });
});
