import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generate, type GetJson, readServer } from '@kube-informer/kubernetes/generate';
import { kubernetesVersion } from '@kube-informer/kubernetes/kinds';
import { GENERATED, generateBuiltIns, jsonFrom, startSchemaServer, versionOf } from '../../tools/schema-server.ts';
import { whatIsMissing } from './harness/binaries.ts';
import type { ControlPlane } from './harness/control-plane.ts';

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

async function committedFiles(): Promise<Map<string, string>> {
  const dir = fileURLToPath(new URL(`../../${GENERATED}`, import.meta.url));
  const paths = (await readdir(dir, { recursive: true })).filter((path) => path.endsWith('.ts'));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(dir, path), 'utf8')] as const)),
  );
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
    const version = await versionOf(get);
    // Binaries from elsewhere may be of any version; those we build ourselves may not.
    if (process.env['KUBEBUILDER_ASSETS'] !== undefined && version !== kubernetesVersion) {
      console.warn(`\nSKIPPED: the files are of Kubernetes ${kubernetesVersion}, KUBEBUILDER_ASSETS has ${version}\n`);
      skip();
    }
    const [fresh, committed] = [await generateBuiltIns(get), await committedFiles()];
    expect([...committed.keys()].toSorted(), 'run `npm run generate`').toEqual([...fresh.keys()].toSorted());
    for (const [path, text] of fresh) expect(committed.get(path), `${path}: run \`npm run generate\``).toBe(text);
  });

  test('a custom resource gets its types from the same function', async () => {
    const created = await plane.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS);
    expect(created.status).toBe(201);
    const external = (module: string): string | undefined =>
      module === 'meta.k8s.io/v1' ? '@kube-informer/kubernetes/meta.k8s.io/v1' : undefined;
    const deadline = Date.now() + 30_000;
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
