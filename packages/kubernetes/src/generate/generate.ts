import { SchemaCatalog } from './schema-catalog.ts';
import { Imports, type Locate } from './imports.ts';
import { inputApiVersion, type ServerSchemas } from './input.ts';
import { generatedKindsOfServer, generatedKindsText } from './generated-kinds.ts';
import { ModuleText } from './module-text.ts';
import { indexText } from './index-text.ts';
import { resourcesText } from './resources-text.ts';

export interface GenerateOptions {
  /** A comment for the top of every file, without the slashes. @default none */
  readonly header?: string;
  /** The extension of relative imports. @default '.js' */
  readonly importExtension?: '.js' | '.ts' | '';
  /**
   * The specifier of a module that exists already; it is imported and not written. The types of a custom resource, for
   * example, can import `meta.k8s.io/v1` from `@kube-informer/kubernetes/meta.k8s.io/v1`.
   * @default every module is written
   */
  readonly external?: (module: string) => string | undefined;
  /** Copies the descriptions of types and fields, as doc comments. @default false */
  readonly comments?: boolean;
  /**
   * A module whose `Resources` get the resources of these schemas, so that
   * `cluster.informer('example.com/v1/widgets')` is typed: `@kube-informer/kubernetes`. `has` returns whether
   * it already has a name.
   * @default none
   */
  readonly augments?: { readonly module: string; readonly has: (resource: string) => boolean };
  /** The version written into `kinds.ts` as `kubernetesVersion`. @default left out */
  readonly kubernetesVersion?: string;
}

/**
 * Generates types and tables of the resources of a server, as TypeScript files by path.
 *
 * - `v1.ts`, `apps/v1.ts`, …: one file per group-version, named by its apiVersion; `meta.k8s.io/v1.ts` has
 * the
 *   shared types.
 * - `resources.ts`: `Resources['apps/v1/deployments']` is the type of a Deployment.
 * - `kinds.ts`: the same resources as data, with verbs, short names, categories and subresources. The only
 * file with
 *   code that runs.
 * - `index.ts`: the types whose names are unambiguous, and the resources.
 *
 * Built-in and custom resources are treated alike. Group-versions without a document are left out. The same
 * input gives the same bytes, in whatever order the server sends it. No text of a server can become code:
 * names are checked, strings quoted, descriptions copied with `comments` only and as text that cannot end its
 * comment.
 *
 * Room rule: a pure function. `readServer` reads a server; the caller writes the files.
 */
export function generate(schemas: ServerSchemas, options: GenerateOptions = {}): Map<string, string> {
  const {
    header,
    importExtension = '.js',
    external = () => undefined,
    kubernetesVersion,
    comments = false,
    augments,
  } = options;
  const catalog = new SchemaCatalog(schemas.documents);
  const locateFrom =
    (path: string): Locate =>
    (module) =>
      external(module) ?? `${'../'.repeat(path.split('/').length - 1) || './'}${module}${importExtension}`;
  const documented = new Set(Object.keys(schemas.documents).map((name) => name.replace(/^apis?\//, '')));
  const kinds = generatedKindsOfServer(schemas.discovery).filter((kind) => documented.has(inputApiVersion(kind)));
  const typed = kinds.flatMap((kind) => {
    const entry = catalog.kind(kind);
    return entry === undefined ? [] : [{ kind, entry }];
  });

  const files = new Map<string, string>();
  const names = new Map<string, string[]>();
  for (const [module, entries] of catalog.modules()) {
    if (external(module) !== undefined) continue;
    const imports = new Imports(locateFrom(module));
    const text = new ModuleText(module, entries, catalog, imports, comments);
    names.set(module, text.names);
    files.set(`${module}.ts`, text.toString());
  }
  files.set('resources.ts', resourcesText(typed, locateFrom('resources'), augments));
  files.set('kinds.ts', generatedKindsText(kinds, kubernetesVersion));
  files.set('index.ts', indexText(names, typed, locateFrom('index')));
  if (header === undefined) return files;
  const comment = header
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => `// ${line}\n`)
    .join('');
  return new Map([...files].map(([path, text]) => [path, `${comment}\n${text}`]));
}
