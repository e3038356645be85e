import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** A document of a manifest. */
export interface Manifest {
  /** Module, file and number of the document: says where it comes from. */
  readonly title: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
    readonly spec?: unknown;
  };
}

/** Every object in the YAML files of a folder, in the order of the files. Templates, and what is not an object with a name, are left out. */
export async function manifestsIn(folder: string, module: string): Promise<Manifest[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.ya?ml$/.test(file)).toSorted();
  const found: Manifest[] = [];
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8');
    // A template of Helm, or of a script.
    if (/\{\{|\$\{/.test(text)) continue;
    for (const [index, document] of parseAllDocuments(text, { logLevel: 'silent' }).entries()) {
      if (document.errors.length > 0) continue;
      const object = document.toJS() as Partial<Manifest['object']> | null;
      if (isManifest(object)) found.push({ title: `${module} ${file} #${index}`, object });
    }
  }
  return found;
}

function isManifest(object: Partial<Manifest['object']> | null): object is Manifest['object'] {
  const { apiVersion, kind, metadata } = object ?? {};
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata?.name === 'string';
}

export const isDefinition = ({ object }: Manifest): boolean => object.kind === 'CustomResourceDefinition';

/** The first of those with the same name, of every kind: a second definition of a kind is refused whatever it says. */
export function withoutRepetitions(manifests: readonly Manifest[]): Manifest[] {
  const seen = new Set<string>();
  return manifests.filter((manifest) => {
    const { apiVersion, kind, metadata } = manifest.object;
    const key = isDefinition(manifest) ? metadata.name : `${apiVersion} ${kind} ${JSON.stringify(manifest.object)}`;
    return !seen.has(key) && seen.add(key);
  });
}
