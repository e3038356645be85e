import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { KubeError } from 'kube-informer/core';

const MANIFEST = /\.(?:ya?ml|json)$/i;
const HAS_WILDCARD = /[*?]/;

/** Files for kustomize, which the server ignores. */
const KUSTOMIZATION = /(?:^|[\\/])kustomization(?:\.ya?ml)?$/i;

/**
 * The manifest files of a path, sorted by name. A path is a file, a folder (its own files, not those in
 * folders below it, as for kubectl), or a pattern with `*`, `?` and `**`. Throws INVALID_OPTION if there is
 * none.
 */
export async function manifestFiles(path: string): Promise<readonly string[]> {
  const found = HAS_WILDCARD.test(path) ? await manifestFilesOfPattern(path) : await manifestFilesOfPath(path);
  const files = found.filter((file) => !KUSTOMIZATION.test(file));
  if (files.length === 0)
    throw new KubeError('INVALID_OPTION', `manifests: no .yaml, .yml or .json file at ${JSON.stringify(path)}`);
  return files;
}

async function manifestFilesOfPath(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new KubeError('INVALID_OPTION', `manifests: cannot read ${JSON.stringify(path)}`, { cause });
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.filter((entry) => !entry.isDirectory() && MANIFEST.test(entry.name)).map(({ name }) => name);
  return names.toSorted().map((name) => join(path, name));
}

/** Walks the tree segment by segment: only folders that can match are read. */
async function manifestFilesOfPattern(pattern: string): Promise<readonly string[]> {
  const segments = pattern.split(sep === '\\' ? /[\\/]/ : '/').filter((segment) => segment !== '' && segment !== '.');
  const found = new Set<string>();
  const visit = async (folder: string, at: number): Promise<void> => {
    const segment = segments[at];
    if (segment === undefined) return;
    const isLast = at === segments.length - 1;
    if (segment === '**') await visit(folder, at + 1);
    else if (!HAS_WILDCARD.test(segment) && !isLast) return visit(join(folder, segment), at + 1);
    const entries = await readdir(folder === '' ? '.' : folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (segment === '**') {
        if (entry.isDirectory()) await visit(path, at);
        else if (isLast && MANIFEST.test(entry.name)) found.add(path);
      } else if (isManifestFileSegment(segment, entry.name)) {
        if (isLast && !entry.isDirectory() && MANIFEST.test(entry.name)) found.add(path);
        else if (!isLast && entry.isDirectory()) await visit(path, at + 1);
      }
    }
  };
  await visit(pattern.startsWith('/') ? '/' : '', 0);
  return [...found];
}

/** Whether a name matches a segment. Hidden entries match only patterns that begin with a dot. */
function isManifestFileSegment(segment: string, name: string): boolean {
  if (name.startsWith('.') && !segment.startsWith('.')) return false;
  return isManifestFileWildcard(segment, name);
}

/**
 * Matches a pattern in linear steps for each `*`, without a regular expression: after a mismatch, the last
 * `*` takes one more character.
 */
function isManifestFileWildcard(pattern: string, text: string): boolean {
  let at = 0;
  let from = 0;
  let star: number | undefined;
  let taken = 0;
  while (from < text.length) {
    if (pattern[at] === '*') {
      star = at;
      taken = from;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[from])) {
      at += 1;
      from += 1;
    } else if (star === undefined) return false;
    else {
      taken += 1;
      from = taken;
      at = star + 1;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
