import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import { changedPathsInHistory } from '../history/changed-paths.ts';
import { diffLines } from '../history/diff-lines.ts';
import type { Seen } from '../history/inspector-history.ts';
import type { DiffLine, Version } from '../protocol/messages.ts';
import { visibleBrief } from '../mask/visible.ts';
import { objectYaml } from './object-yaml.ts';

/** Maximum number of characters of all differences in a response. */
const MAX_CHARACTERS = 1_000_000;
/**
 * Maximum time of work for all versions, not counting the time of other work in between. The page shares the
 * process with the program it inspects.
 */
const MAX_MS = 1_000;
/** The part of that time for differences line by line; the rest is for paths, which are much cheaper. */
const MAX_LINES_MS = 600;

const OMITTED: readonly DiffLine[] = [{ kind: 'omitted', text: 'too large to show with the newer changes' }];

/** A version prepared for comparison: masked, without its resourceVersion, which always differs. */
interface Compared {
  readonly object: KubeObject;
  /** Returns the YAML, computed when it is first read. */
  readonly yaml: () => string;
}

/**
 * The versions of an object with their differences, newest first. Compares masked objects: masked values stay
 * masked, and their changes are visible.
 *
 * Promises: each version is masked and encoded at most once; the event loop runs between two versions;
 * differences beyond the budget of characters and time are omitted, oldest first, and their paths are omitted
 * only when all the time is used.
 */
export async function objectVersions(
  seen: readonly Seen[],
  masked: (object: KubeObject) => KubeObject,
  env: Pick<Env, 'now' | 'yield'>,
): Promise<readonly Version[]> {
  const versions: Version[] = [];
  let [workedMs, resumedAt] = [0, env.now()];
  const worked = (): number => workedMs + env.now() - resumedAt;
  const pause = async (): Promise<void> => {
    workedMs = worked();
    await env.yield();
    resumedAt = env.now();
  };
  let characters = 0;
  let newer: Compared | undefined;
  for (let at = seen.length - 1; at >= 0; at -= 1) {
    const one = seen[at] as Seen;
    const previous = seen[at - 1];
    const isOver = worked() > MAX_MS;
    if (previous === undefined || one.type === 'delete' || isOver) {
      const isOldest = previous === undefined;
      versions.push(objectVersion(one, isOldest || one.type === 'delete' ? [] : OMITTED, [], isOldest));
      newer = undefined;
      continue;
    }
    const after: Compared = newer ?? comparedObjectVersion(one, masked);
    await pause();
    const before = comparedObjectVersion(previous, masked);
    const paths = changedPathsInHistory(before.object, after.object).map((path) => visibleBrief(path));
    const isInTime = characters <= MAX_CHARACTERS && worked() <= MAX_LINES_MS;
    const changes = isInTime ? diffLines(before.yaml(), after.yaml()) : OMITTED;
    // The first that is too long ends the list: those shown are the newest.
    characters += changes.reduce((sum, { text }) => sum + text.length, 0);
    versions.push(objectVersion(one, characters > MAX_CHARACTERS ? OMITTED : changes, paths));
    newer = before;
    await pause();
  }
  return versions;
}

function comparedObjectVersion({ object }: Seen, masked: (object: KubeObject) => KubeObject): Compared {
  const shown = masked(object);
  const { resourceVersion: _, ...metadata } = { ...shown.metadata };
  const compared = { ...shown, metadata };
  let yaml: string | undefined;
  return { object: compared, yaml: () => (yaml ??= objectYaml(compared)) };
}

function objectVersion(
  { at, type, object }: Seen,
  changes: readonly DiffLine[],
  paths: readonly string[],
  isOldest = false,
): Version {
  return {
    at,
    // The state before the oldest kept version is unknown.
    type: isOldest && type === 'update' ? 'before' : type,
    resourceVersion: visibleBrief(object.metadata?.resourceVersion ?? ''),
    changes,
    paths,
    added: changes.filter(({ kind }) => kind === 'added').length,
    removed: changes.filter(({ kind }) => kind === 'removed').length,
  };
}
