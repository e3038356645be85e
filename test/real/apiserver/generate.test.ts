import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generate, type GetJson, readServer } from '@kube-informer/kubernetes/generate';
import { kubernetesVersion } from '@kube-informer/kubernetes/kinds';
import { builtinResources } from '../../../packages/apiserver/src/api/kinds/builtin-resources.ts';
import { servedDiscovery } from '../../../packages/apiserver/src/api/discovery/served-discovery.ts';
import { openApiV3 } from '../../../packages/apiserver/src/api/openapi/v3.ts';
import { decodeProtobuf } from '../../../packages/apiserver/src/api/protobuf/decode-protobuf.ts';
import { FACTS, generateFacts, startDefaultServer } from '../../../tools/generate/generate-facts.ts';
import {
  bytesFrom,
  GENERATED,
  generateBuiltIns,
  jsonFrom,
  startSchemaServer,
  versionOf,
} from '../../../tools/generate/schema-server.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import type { ControlPlane } from '../harness/control-plane.ts';

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: generating from a real kube-apiserver: ${missing}\n`);

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['metadata', 'spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'string', enum: ['small', 'large'], description: "nobody's */ text" },
                  port: { 'x-kubernetes-int-or-string': true },
                  parts: { type: 'array', items: { type: 'object', properties: { count: { type: 'integer', nullable: true } } } },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                  template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
                  extra: { 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', properties: { ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
}; // prettier-ignore

async function committedFiles(folder: string): Promise<Map<string, string>> {
  const dir = fileURLToPath(new URL(`../../../${folder}`, import.meta.url));
  const paths = (await readdir(dir, { recursive: true })).filter((path) => /\.(?:ts|json)$/.test(path));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(dir, path), 'utf8')] as const)),
  );
}

/** Only binaries that we build have the expected version. */
async function isOtherVersion(get: GetJson): Promise<boolean> {
  const version = await versionOf(get);
  if (process.env['KUBEBUILDER_ASSETS'] === undefined || version === kubernetesVersion) return false;
  console.warn(`\nSKIPPED: the files are of Kubernetes ${kubernetesVersion}, KUBEBUILDER_ASSETS has ${version}\n`);
  return true;
}

async function expectCommitted(folder: string, fresh: ReadonlyMap<string, string>): Promise<void> {
  const committed = await committedFiles(folder);
  expect([...committed.keys()].toSorted(), 'run `npm run generate`').toEqual([...fresh.keys()].toSorted());
  for (const [path, text] of fresh) {
    // Not toBe: a diff of two files of a quarter megabyte is too long to print.
    expect(committed.get(path) === text, `${folder}/${path} is not what \`npm run generate\` writes`).toBe(true);
  }
}

describe.skipIf(missing !== undefined)('types generated from a real kube-apiserver', () => {
  let plane: ControlPlane;
  let get: GetJson;
  beforeAll(async () => {
    plane = await startSchemaServer();
    get = jsonFrom(plane);
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  test('the committed files are what `npm run generate` writes', async ({ skip }) => {
    if (await isOtherVersion(get)) skip();
    const served = JSON.parse((await committedFiles(FACTS)).get('schemas.json') as string);
    await expectCommitted(GENERATED, await generateBuiltIns(get, served));
  });

  test('a custom resource gets its types from the same function', async () => {
    const created = await plane.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS);
    expect(created.status).toBe(201);
    const external = (module: string): string | undefined =>
      module === 'meta.k8s.io/v1' ? '@kube-informer/kubernetes/meta.k8s.io/v1' : undefined;
    const deadline = Date.now() + 120_000;
    let files = new Map<string, string>();
    while (!files.get('resources.ts')?.includes('widgets') && Date.now() < deadline) {
      await sleep(100);
      files = generate(await readServer(get, { groupVersions: ['example.com/v1'] }), { external });
    }
    expect([...files.keys()]).toEqual(['example.com/v1.ts', 'resources.ts', 'kinds.ts', 'index.ts']);
    expect(files.get('resources.ts')).toContain("readonly 'example.com/v1/widgets': example_com_v1.Widget;");
    expect(files.get('kinds.ts')).toContain("kind: 'Widget', namespaced: false, shortNames: ['wd']");
    expect(files.get('kinds.ts')).toContain("name: 'status', group: 'example.com', version: 'v1', kind: 'Widget'");
    expect(files.get('example.com/v1.ts'))
      .toBe(`import type * as meta_k8s_io_v1 from '@kube-informer/kubernetes/meta.k8s.io/v1';

export interface Widget {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: meta_k8s_io_v1.ObjectMeta;
  readonly spec: WidgetSpec;
  readonly status?: WidgetStatus;
}

export interface WidgetList {
  readonly apiVersion?: string;
  readonly items: readonly Widget[];
  readonly kind?: string;
  readonly metadata?: meta_k8s_io_v1.ListMeta;
}

export interface WidgetSpec {
  readonly extra?: unknown;
  readonly labels?: { readonly [key: string]: string };
  readonly parts?: readonly WidgetSpecPartsItem[];
  readonly port?: number | string;
  readonly size: 'large' | 'small';
  readonly template?: WidgetSpecTemplate;
}

export interface WidgetSpecPartsItem {
  readonly count?: number | null;
}

export interface WidgetSpecTemplate {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: meta_k8s_io_v1.ObjectMeta;
  readonly [key: string]: unknown;
}

export interface WidgetStatus {
  readonly ready?: boolean;
}
`);
  });
});

/** Without descriptions, which the facts do not have. */
function withoutText(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutText);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([key, value]) => key !== 'description' || typeof value !== 'string');
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutText(value)]));
}

describe.skipIf(missing !== undefined)('facts generated from a real kube-apiserver', () => {
  let plane: ControlPlane;
  let get: GetJson;
  const resources = builtinResources();
  const apiVersions = [
    ...new Set(resources.map(({ group, version }) => (group === '' ? version : `${group}/${version}`))),
  ];
  beforeAll(async () => {
    plane = await startDefaultServer();
    get = jsonFrom(plane);
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  test('the committed facts are what `npm run generate` writes', async ({ skip }) => {
    if (await isOtherVersion(get)) skip();
    await expectCommitted(FACTS, await generateFacts(get));
  });

  test('discovery made of the facts is the server’s own, byte for byte', async ({ skip }) => {
    if (await isOtherVersion(get)) skip();
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const made = servedDiscovery(resources, { address: new URL(plane.url).host });
    const asked = async (path: string, accept?: string): Promise<string> => JSON.stringify(await get(path, accept));
    expect(JSON.stringify(made.apiVersions())).toBe(await asked('/api'));
    expect(JSON.stringify(made.groupList())).toBe(await asked('/apis'));
    expect(JSON.stringify(made.aggregated('api'))).toBe(await asked('/api', aggregated));
    expect(JSON.stringify(made.aggregated('apis'))).toBe(await asked('/apis', aggregated));
    for (const apiVersion of apiVersions) {
      const [version = '', group = ''] = apiVersion.split('/').toReversed();
      const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
      expect(JSON.stringify(made.resourceList(group, version)), path).toBe(await asked(path));
    }
  });

  test('OpenAPI documents made of the facts have the server’s schemas and operations', async ({ skip }) => {
    if (await isOtherVersion(get)) skip();
    const documents = openApiV3(resources);
    for (const apiVersion of apiVersions) {
      const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
      const ours = withoutText(documents.document(path)) as OpenApiDocument;
      const theirs = withoutText(await get(`/openapi/v3/${path}`)) as OpenApiDocument;
      for (const [name, item] of Object.entries(ours.paths)) expect(item, name).toEqual(theirs.paths[name]);
      for (const [name, schema] of Object.entries(ours.components.schemas)) {
        expect(schema, name).toEqual(theirs.components.schemas[name]);
      }
      // Left out on purpose: the old watch paths, the lists of resources, and connections such as exec.
      const left = Object.keys(theirs.paths).filter((name) => !(name in ours.paths));
      expect(
        left.filter((name) => !/\/watch\/|\/$|\/(?:attach|exec|log|portforward|proxy)(?:\/|$)/.test(name)),
      ).toEqual([]);
    }
  });

  test('every object of a new cluster reads the same from protobuf and from JSON', async ({ skip }) => {
    if (await isOtherVersion(get)) skip();
    let compared = 0;
    for (const { group, version, resource, namespaced, verbs } of resources) {
      if (!verbs.includes('list') || !verbs.includes('get')) continue;
      const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const { items } = (await get(`${base}/${resource}`)) as {
        items: { metadata: { name: string; namespace?: string } }[];
      };
      for (const { metadata } of items) {
        const path = `${base}${namespaced ? `/namespaces/${metadata.namespace}` : ''}/${resource}/${metadata.name}`;
        const bytes = await bytesFrom(plane, path, 'application/vnd.kubernetes.protobuf');
        expect(JSON.stringify(decodeProtobuf(bytes)), path).toBe(JSON.stringify(await get(path)));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(100);
  });
});
