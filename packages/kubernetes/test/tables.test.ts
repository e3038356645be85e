import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generate, type ServerSchemas } from '../src/generate/index.ts';
import { evaluate } from './evaluate.ts';
import { discoveryOf, documentOf, kindSchema, resource, serverOf } from './documents.ts';

/** Pods and their bindings, an old and a new autoscaler, and two groups with an Event. */
const server: ServerSchemas = {
  documents: {
    'api/v1': documentOf({
      'io.k8s.api.core.v1.Pod': kindSchema('', 'v1', 'Pod'),
      'io.k8s.api.core.v1.Binding': kindSchema('', 'v1', 'Binding'),
      'io.k8s.api.core.v1.Event': kindSchema('', 'v1', 'Event'),
      'io.k8s.api.core.v1.Claim': { type: 'string' },
      'io.k8s.api.core.v1.Tag': { type: 'string' },
    }),
    'apis/autoscaling/v1': documentOf({
      'io.k8s.api.autoscaling.v1.Scaler': kindSchema('autoscaling', 'v1', 'Scaler'),
      'io.k8s.api.autoscaling.v1.Scale': kindSchema('autoscaling', 'v1', 'Scale'),
    }),
    'apis/autoscaling/v2': documentOf({
      'io.k8s.api.autoscaling.v2.Scaler': kindSchema('autoscaling', 'v2', 'Scaler'),
    }),
    'apis/events.k8s.io/v1': documentOf({
      'io.k8s.api.events.v1.Event': kindSchema('events.k8s.io', 'v1', 'Event'),
    }),
    'apis/claims/v1': documentOf({
      'io.k8s.api.claims.v1.Claim': kindSchema('claims', 'v1', 'Claim'),
    }),
    'apis/new/v1alpha1': documentOf({
      'io.k8s.api.new.v1alpha1.Tag': { type: 'number' },
      'io.k8s.api.new.v1alpha1.Novelty': kindSchema('new', 'v1alpha1', 'Novelty'),
    }),
  },
  discovery: [
    discoveryOf('', {
      v1: [
        resource('Pod', {
          shortNames: ['po'],
          categories: ['all'],
          verbs: ['watch', 'list', 'get'],
          subresources: [
            { subresource: 'status', responseKind: { group: '', version: '', kind: 'Pod' }, verbs: ['update', 'get'] },
            { subresource: 'eviction', responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] },
            { subresource: 'log', verbs: ['get'] },
          ],
        }),
        resource('Binding', { verbs: ['create'] }),
        resource('Event'),
      ],
    }),
    discoveryOf('events.k8s.io', { v1: [resource('Event')] }),
    discoveryOf('autoscaling', { v2: [resource('Scaler')], v1: [resource('Scaler')] }),
    discoveryOf('claims', { v1: [resource('Claim', { scope: 'Cluster' })] }),
    discoveryOf('new', { v1alpha1: [resource('Novelty')] }),
    discoveryOf('undocumented', { v1: [resource('Ghost')] }),
  ],
}; // prettier-ignore

function file(name: string, options: Parameters<typeof generate>[1] = {}): string {
  return generate(server, options).get(name) as string;
}

/** What a generated table of kinds holds, run as the JavaScript it is. */
function kindsOf(text: string): { kinds: Record<string, unknown>[]; kubernetesVersion?: string } {
  const code = text
    .replaceAll(/^export interface [^}]*\}\n/gm, '')
    .replaceAll(/^(?:export )?const (\w+): [^=]*= /gm, 'found.$1 = ')
    .replaceAll(/\bverbs(\d)/g, 'found.verbs$1')
    .replaceAll('found.found.', 'found.');
  return evaluate(`const found = {}; ${code}; return found`) as ReturnType<typeof kindsOf>;
}

describe('Resources', () => {
  test('every resource that can be listed is named by apiVersion and plural, the others apart', () => {
    const [imports, resources, unlistable] = file('resources.ts').split(/export interface \w+ /);
    expect(resources).toBe(`{
  readonly 'v1/events': core_v1.Event;
  readonly 'v1/pods': core_v1.Pod;
  readonly 'autoscaling/v2/scalers': autoscaling_v2.Scaler;
  readonly 'autoscaling/v1/scalers': autoscaling_v1.Scaler;
  readonly 'claims/v1/claims': claims_v1.Claim;
  readonly 'events.k8s.io/v1/events': events_k8s_io_v1.Event;
  readonly 'new/v1alpha1/noveltys': new_v1alpha1.Novelty;
}

`);
    const lines = imports?.trim().split('\n') ?? [];
    expect(lines).toEqual(lines.toSorted());
    expect(lines).toHaveLength(6);
    expect(unlistable).toBe("{\n  readonly 'v1/bindings': core_v1.Binding;\n}\n");
  });

  test('a type that is only this kind wins over one that stands for many', () => {
    const { documents, discovery } = serverOf('example.com', 'v1', { Widget: {} });
    const gvk = { group: 'example.com', version: 'v1', kind: 'Widget' };
    const many = { type: 'object', 'x-kubernetes-group-version-kind': [gvk, { ...gvk, version: 'v2' }] };
    for (const name of ['com.example.v1.Anything', 'com.example.v1.Zero']) {
      const files = generate({ documents: { ...documents, other: documentOf({ [name]: many }) }, discovery });
      expect(files.get('resources.ts')).toContain("'example.com/v1/widgets': example_com_v1.Widget;");
    }
  });

  test('a resource without a type, or of a group-version without a document, is not in it', () => {
    const { documents, discovery } = serverOf('example.com', 'v1', { Widget: {} });
    const more = discoveryOf('example.com', { v1: [resource('Untyped')] });
    const files = generate({ documents, discovery: [...discovery, more] });
    expect(files.get('resources.ts')).toContain('example.com/v1/widgets');
    expect(files.get('resources.ts')).not.toContain('untyped');
    expect(files.get('kinds.ts')).toContain('untyped');
    expect(file('kinds.ts')).not.toContain('ghost');
  });
});

describe('kinds', () => {
  test('a row says everything discovery said, with nothing left to inherit', () => {
    const pods = kindsOf(file('kinds.ts')).kinds.find(({ resource: name }) => name === 'pods');
    expect(pods).toEqual({
      group: '', version: 'v1', resource: 'pods', singular: 'pod', kind: 'Pod', namespaced: true,
      shortNames: ['po'], categories: ['all'], verbs: ['get', 'list', 'watch'],
      subresources: [
        { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
        { name: 'log', group: '', version: 'v1', kind: '', verbs: ['get'] },
        { name: 'status', group: '', version: 'v1', kind: 'Pod', verbs: ['get', 'update'] },
      ],
    }); // prettier-ignore
  });

  test('groups are sorted with core first, versions stay in the order of the server', () => {
    const { kinds } = kindsOf(file('kinds.ts'));
    expect(kinds.map((kind) => [kind['group'], kind['version'], kind['resource']].join('/'))).toEqual([
      '/v1/bindings',
      '/v1/events',
      '/v1/pods',
      'autoscaling/v2/scalers',
      'autoscaling/v1/scalers',
      'claims/v1/claims',
      'events.k8s.io/v1/events',
      'new/v1alpha1/noveltys',
    ]);
    expect(kinds.map(({ namespaced }) => namespaced).filter((namespaced) => namespaced === false)).toHaveLength(1);
  });

  test('equal lists of verbs are one list', () => {
    expect(file('kinds.ts').match(/'list'/g)).toHaveLength(2);
  });

  test('the version of Kubernetes is in it when it is known', () => {
    expect(kindsOf(file('kinds.ts', { kubernetesVersion: '1.36' })).kubernetesVersion).toBe('1.36');
    expect(file('kinds.ts')).not.toContain('kubernetesVersion');
  });
});

describe('index', () => {
  const homeOf = (name: string): string | undefined =>
    new RegExp(`export type \\{[^}]*\\b${name}\\b[^}]*\\} from '(?<home>[^']*)'`).exec(file('index.ts'))?.groups?.[
      'home'
    ];

  test('a name in one place is exported, with the tables', () => {
    expect(homeOf('Pod')).toBe('./v1.js');
    expect(homeOf('Novelty')).toBe('./new/v1alpha1.js');
    expect(homeOf('Resources')).toBe('./resources.js');
    expect(homeOf('UnlistableResources')).toBe('./resources.js');
  });

  test('in a group the version that the server prefers has the name', () => {
    expect(homeOf('Scaler')).toBe('./autoscaling/v2.js');
    expect(homeOf('Scale')).toBe('./autoscaling/v1.js');
  });

  test('a stable type wins over one that is not, a kind over a part', () => {
    expect(homeOf('Tag')).toBe('./v1.js');
    expect(homeOf('Claim')).toBe('./claims/v1.js');
  });

  test('a name that means two things is left to its modules', () => {
    expect(homeOf('Event')).toBeUndefined();
  });

  test('the nested types of a custom resource are exported too', () => {
    const spec = { type: 'object', properties: { size: { type: 'string' } } };
    const files = generate(serverOf('example.com', 'v1', { Widget: { properties: { spec } } }));
    expect(files.get('index.ts')).toContain('export type { Widget, WidgetSpec }');
  });
});

describe('files', () => {
  test('the same answers give the same bytes, in whatever order they come', () => {
    const shuffled = <T>(items: readonly T[]): fc.Arbitrary<T[]> =>
      fc.shuffledSubarray([...items], { minLength: items.length });
    const entries = Object.entries(server.documents);
    const expected = [...generate(server)];
    fc.assert(
      fc.property(shuffled(entries), shuffled(server.discovery), fc.boolean(), (documents, discovery, reverse) => {
        const turned = documents.map(([name, { components }]) => {
          const schemas = Object.entries(components?.schemas ?? {});
          return [name, documentOf(Object.fromEntries(reverse ? schemas.toReversed() : schemas))] as const;
        });
        expect([...generate({ documents: Object.fromEntries(turned), discovery })]).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  test('of two documents that describe a schema differently, the first by name is taken', () => {
    const [a, b] = [
      documentOf({ 'x.v1.A': { type: 'string' } }),
      documentOf({ 'x.v1.A': { type: 'number' } }),
    ] as const;
    for (const documents of [
      { 'apis/a/v1': a, 'apis/b/v1': b },
      { 'apis/b/v1': b, 'apis/a/v1': a },
    ]) {
      expect(generate({ documents, discovery: [] }).get('x/v1.ts')).toBe('export type A = string;\n');
    }
  });

  test('a header stays a comment', () => {
    for (const text of generate(server, { header: 'made by hand\nalert(1)\u2028alert(2)' }).values()) {
      expect(text.startsWith('// made by hand\n// alert(1)\n// alert(2)\n\n')).toBe(true);
    }
  });

  test.each(['.js', '.ts', ''] as const)('relative imports end with %j', (importExtension) => {
    expect(file('resources.ts', { importExtension })).toContain(`from './autoscaling/v2${importExtension}';`);
  });
});
