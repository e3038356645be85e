import { readFile } from 'node:fs/promises';
import { KubeError } from 'kube-informer/core';
import { loadRules, RULES_KEY } from '../api/rules/load-rules.ts';
import { isShapeCheckObject } from '../core/shape-check.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { StatusError } from '../core/status-error.ts';
import { manifestFiles } from './manifest-files.ts';

/** An object of a manifest, and its position for error messages. */
interface Manifest {
  readonly object: ApiObject;
  readonly at: string;
}

/** Kinds that are installed first, because others need them. */
const FIRST_KINDS = ['CustomResourceDefinition', 'Namespace'];

/**
 * Writes the objects of files, folders and patterns: definitions first, then namespaces, then the rest in the order of
 * the files. Each goes through the rules of its kind. Throws INVALID_OPTION with the file and the server's reason at the
 * first object that is refused.
 */
export async function installManifests(
  paths: readonly string[],
  write: (object: ApiObject) => ApiObject,
): Promise<readonly ApiObject[]> {
  const manifests: Manifest[] = [];
  for (const path of paths)
    for (const file of await manifestFiles(path)) manifests.push(...(await readManifests(file)));
  const step = ({ object }: Manifest): number => {
    const at = FIRST_KINDS.indexOf(object.kind ?? '');
    return at === -1 ? FIRST_KINDS.length : at;
  };
  return manifests.toSorted((a, b) => step(a) - step(b)).map((manifest) => writeManifest(manifest, write));
}

function writeManifest({ object, at }: Manifest, write: (object: ApiObject) => ApiObject): ApiObject {
  try {
    return write(object);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const what = `${object.apiVersion} ${object.kind} ${object.metadata?.name ?? ''}`;
    throw new KubeError('INVALID_OPTION', `${at}: ${what.trimEnd()}: ${error.message}`, { cause: error });
  }
}

/** The objects of one file; a List is split into its items. */
async function readManifests(file: string): Promise<Manifest[]> {
  const { parseAllDocuments } = await import('yaml');
  const manifests: Manifest[] = [];
  const text = await readFile(file, 'utf8');
  // Writes of the same process do not wait for the interpreter of rules.
  if (text.includes(RULES_KEY)) await loadRules();
  for (const document of parseAllDocuments(text)) {
    const [fault] = document.errors;
    if (fault !== undefined) throw new KubeError('INVALID_OPTION', `${file}: ${fault.message}`, { cause: fault });
    manifests.push(...manifestObjects(document.toJS(), file));
  }
  return manifests;
}

function manifestObjects(value: unknown, at: string): readonly Manifest[] {
  if (value === null || value === undefined) return [];
  const { apiVersion, kind, items } = isShapeCheckObject(value) ? value : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new KubeError('INVALID_OPTION', `${at}: expected objects with apiVersion and kind`);
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap((item) => manifestObjects(item, at));
  return [{ object: value as ApiObject, at }];
}
