import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import { changedPathsInHistory } from '../history/changed-paths.ts';
import { diffLines } from '../history/diff-lines.ts';
import type { Seen } from '../history/history.ts';
import type { DiffLine, Version } from '../protocol/messages.ts';
import { visibleBrief } from '../mask/visible.ts';
import { objectYaml } from './object-yaml.ts';

/** Maximum number of characters of all differences in a response. */
const MAX_CHARACTERS = 1_000_000;
/** Maximum time for all differences. The page shares the process with the program it inspects. */
const MAX_MS = 1_000;

const OMITTED: readonly DiffLine[] = [{ kind: 'omitted', text: 'too large to show with the newer changes' }];

/** A version as it is compared: masked, without its resourceVersion, which always differs. */
interface Compared {
  readonly object: KubeObject;
  readonly yaml: string;
}

/**
 * The versions of an object with their differences, newest first. Compares masked objects: masked values stay masked, and
 * their changes are visible.
 *
 * Promises: each version is masked and written once; the event loop runs between two versions; differences beyond the
 * budget of characters and time are omitted, oldest first.
 */
export async function objectVersions(
  seen: readonly Seen[],
  masked: (object: KubeObject) => KubeObject,
  env: Pick<Env, 'now' | 'yield'>,
): Promise<readonly Version[]> {
  const versions: Version[] = [];
  const startedAt = env.now();
  let characters = 0;
  let newer: Compared | undefined;
  for (let at = seen.length - 1; at >= 0; at -= 1) {
    const one = seen[at] as Seen;
    const previous = seen[at - 1];
    const isOver = characters > MAX_CHARACTERS || env.now() - startedAt > MAX_MS;
    if (previous === undefined || one.type === 'delete' || isOver) {
      versions.push(objectVersion(one, previous !== undefined && one.type !== 'delete' ? OMITTED : [], []));
      newer = undefined;
      continue;
    }
    const after: Compared = newer ?? comparedVersion(one, masked);
    await env.yield();
    const before = comparedVersion(previous, masked);
    const changes = diffLines(before.yaml, after.yaml);
    const length = changes.reduce((sum, { text }) => sum + text.length, 0);
    const isTooLong = characters + length > MAX_CHARACTERS;
    characters += isTooLong ? 0 : length;
    const paths = changedPathsInHistory(before.object, after.object).map((path) => visibleBrief(path));
    versions.push(objectVersion(one, isTooLong ? OMITTED : changes, paths));
    newer = before;
    await env.yield();
  }
  return versions;
}

function comparedVersion({ object }: Seen, masked: (object: KubeObject) => KubeObject): Compared {
  const shown = masked(object);
  const { resourceVersion: _, ...metadata } = { ...shown.metadata };
  const compared = { ...shown, metadata };
  return { object: compared, yaml: objectYaml(compared) };
}

function objectVersion({ at, type, object }: Seen, changes: readonly DiffLine[], paths: readonly string[]): Version {
  return {
    at,
    type,
    resourceVersion: visibleBrief(object.metadata?.resourceVersion ?? ''),
    changes,
    paths,
    added: changes.filter(({ kind }) => kind === 'added').length,
    removed: changes.filter(({ kind }) => kind === 'removed').length,
  };
}
