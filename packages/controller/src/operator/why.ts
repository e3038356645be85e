import { defined, type Env, type Key, printableText } from 'kube-informer/core';
import { declaredCacheObject } from '../freshness/declared-cache.ts';
import { contestSentence } from '../run/contest.ts';
import type { Run } from '../run/run-log.ts';
import { faultOfIndexMapping } from '../sources/mapping-faults.ts';
import type { ControllerRun } from './controller-run.ts';
import { staleCaches, unreadableInOpenCache } from './open-caches.ts';
import type { OperatorState } from './operator.ts';

export type WhyKind =
  | 'parked'
  | 'starting'
  | 'standby'
  | 'not in the cache'
  | 'hung'
  | 'running'
  | 'stale'
  | 'ready'
  | 'waiting'
  | 'terminal'
  | 'filtered'
  | 'idle';

/** What a key waits for. */
export interface Why {
  readonly kind: WhyKind;
  /** The explanation, as a sentence for people. */
  readonly sentence: string;
  /** The last run that has ended. */
  readonly last?: Run;
}

/** Maximum length of a sentence. */
const MAX_SENTENCE = 4_096;

/** Explains why a key does not run now. The first reason that applies is given. */
export function whyNot(
  run: ControllerRun,
  key: Key,
  { env, state }: { readonly env: Env; readonly state: OperatorState },
): Why {
  const last = run.log.last(key);
  const { kind, sentence } = explainWhy(run, key, env, state, last);
  // Names of objects, paths and the holder of a Lease are texts from others.
  const printable = boundedWhySentence(printableText(`${key} ${sentence}${whyNotes(run, key, kind, env)}`));
  return defined({ kind, sentence: printable, last });
}

function explainWhy(
  run: ControllerRun,
  key: Key,
  env: Env,
  operator: OperatorState,
  last: Run | undefined,
): { readonly kind: WhyKind; readonly sentence: string } {
  const { state, queue, keys, gate, ledger, runs } = run;
  if (state.kind === 'parked') return { kind: 'parked', sentence: `does not run: ${state.reason}` };
  if (state.kind === 'starting') {
    const caches = run.unsynced.length === 0 ? '' : ` (${run.unsynced.join(', ')})`;
    return { kind: 'starting', sentence: `does not run yet: the caches fill${caches}` };
  }
  if (state.kind !== 'leading') {
    const { leader, problem } = operator.kind === 'standby' ? operator : {};
    const why = problem === undefined ? '' : `; the lease cannot be acquired: ${problem}`;
    return {
      kind: 'standby',
      sentence: `does not run here: ${leader === undefined ? 'no leader is known' : `${leader} leads`}${why}`,
    };
  }
  const seconds = (since: number): string => `${((env.now() - since) / 1_000).toFixed(1)} s`;
  const current = runs?.current(key);
  if (current !== undefined) {
    const request = current.lastRequest === undefined ? '' : `; its last request: ${current.lastRequest}`;
    return current.isHung
      ? {
          kind: 'hung',
          sentence: `has a run that ignores its signal and has not ended for ${seconds(current.startedAt)}${request}`,
        }
      : { kind: 'running', sentence: `has been running for ${seconds(current.startedAt)}${request}` };
  }
  const record = keys.find(key);
  const entry = queue.look(key);
  if (entry?.state === 'stale') {
    const [first] = ledger.pending(key);
    const since = gate.heldSince(key) ?? env.now();
    const what =
      first === undefined
        ? ''
        : ` ${first.resource} ${first.key}${first.version === undefined ? '' : ` at version ${first.version}`}`;
    return { kind: 'stale', sentence: `has waited ${seconds(since)} for the cache to have its own write:${what}` };
  }
  if (entry?.state === 'ready')
    return { kind: 'ready', sentence: `has been in line for ${seconds(entry.readyAt)}: ${whyPlaceInLine(run, key)}` };
  if (entry?.state === 'waiting') {
    const inSeconds = ((entry.readyAt - env.now()) / 1_000).toFixed(1);
    const error = record?.lastError === undefined ? '' : `; the last run failed: ${record.lastError}`;
    return {
      kind: 'waiting',
      sentence: `runs again in ${inSeconds} s because of ${record?.waitsFor ?? 'a delay'}${error}`,
    };
  }
  const shape = keyShapeForWhy(run, key);
  if (shape !== undefined) return { kind: 'not in the cache', sentence: `is not in the cache: ${shape}` };
  if (run.caches === undefined || declaredCacheObject(run.caches.primary, key) === undefined) {
    const unreadable = unreadableForWhy(run, key);
    const why = unreadable === undefined ? selectorsForWhy(run.definition) : `: it could not be read: ${unreadable}`;
    return { kind: 'not in the cache', sentence: `is not in the cache${why}` };
  }
  if (run.isFilling && entry === undefined && last === undefined)
    return { kind: 'ready', sentence: 'is about to be put in line: this process has just begun to lead' };
  if (record?.terminal !== undefined)
    return { kind: 'terminal', sentence: `is not retried until something changes: ${record.terminal}` };
  if (last === undefined && (record?.filtered.length ?? 0) > 0)
    return {
      kind: 'filtered',
      sentence: `did not run: its last changes were filtered out: ${record?.filtered.join('; ')}`,
    };
  if (last === undefined) return { kind: 'idle', sentence: 'has not run, and has no reason to run' };
  const ago = `${(Math.max(0, env.wallNow() - last.startedAt) / 1_000).toFixed(1)} s ago`;
  const filtered = (record?.filtered.length ?? 0) === 0 ? '' : `; filtered out since: ${record?.filtered.join('; ')}`;
  return {
    kind: 'idle',
    sentence: `ran ${ago} (${last.outcome}) because of ${last.reasons.join(', ')} with ${last.writes.length} ${last.writes.length === 1 ? 'write' : 'writes'}${filtered}`,
  };
}

/** Further facts about the key that keep it from running. */
function whyNotes(run: ControllerRun, key: Key, kind: WhyKind, env: Env): string {
  const { faults, indexers } = run.definition;
  const notes = Object.keys(indexers).flatMap((index) => {
    const fault = faults.find(faultOfIndexMapping(index), key);
    return fault === undefined ? [] : [`changes found by its index ${index} do not run it: ${fault.message}`];
  });
  const field = run.keys.find(key)?.contest.field(env.now());
  if (field !== undefined) notes.push(`it has rewritten ${field.times} times: ${contestSentence(field)}`);
  const unreadable = kind === 'idle' ? unreadableForWhy(run, key) : undefined;
  if (unreadable !== undefined) notes.push(`its newest state could not be read: ${unreadable}`);
  // While the cache is stale, it is unknown which objects exist, and no change runs a key.
  const isAboutCache = kind === 'not in the cache' || kind === 'idle' || kind === 'filtered';
  for (const { staleMs, reason } of isAboutCache && run.caches !== undefined
    ? staleCaches([run.caches.primary], env.wallNow())
    : [])
    notes.push(`its cache has been stale for ${(staleMs / 1_000).toFixed(0)} s: ${reason}`);
  return notes.map((note) => `; ${note}`).join('');
}

/** The reason why the cache could not store the newest state of the object. */
function unreadableForWhy({ caches }: ControllerRun, key: Key): string | undefined {
  const primary = caches?.primary;
  return primary === undefined ? undefined : unreadableInOpenCache(primary).find((one) => one.key === key)?.message;
}

/** `3rd of 120, its turn is in about 2 s`. The time is estimated from the last runs, and left out before the first. */
function whyPlaceInLine({ queue, log: { meanMs }, definition }: ControllerRun, key: Key): string {
  const place = queue.place(key) ?? 1;
  const { concurrency = 4 } = definition.options;
  const waitMs = meanMs === undefined ? undefined : (place / concurrency) * meanMs;
  const turn =
    waitMs === undefined
      ? ''
      : `, its turn is in about ${waitMs < 950 ? '1 s or less' : `${(waitMs / 1_000).toFixed(0)} s`}`;
  return `${ordinalInWhy(place)} of ${queue.size}${turn}`;
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['one', 'st'],
  ['two', 'nd'],
  ['few', 'rd'],
]);

/** An ordinal number: `1st`, `12th`, `23rd`. */
const ordinalInWhy = (place: number): string => `${place}${SUFFIXES.get(ORDINALS.select(place)) ?? 'th'}`;

function boundedWhySentence(sentence: string): string {
  return sentence.length > MAX_SENTENCE ? `${sentence.slice(0, MAX_SENTENCE)}…` : sentence;
}

/**
 * The reason why a key is malformed. A cache of one namespace also finds its objects by name, but a mere name
 * is not a key there.
 */
function keyShapeForWhy({ kind }: ControllerRun, key: Key): string | undefined {
  if (kind?.namespaced === true && !key.includes('/')) return `it is in a namespace, so its key is namespace/${key}`;
  if (kind?.namespaced === false && key.includes('/')) return `${kind.resource} have no namespace; the key is a name`;
  return undefined;
}

function selectorsForWhy({ options: { namespace, labels, fields } }: ControllerRun['definition']): string {
  const parts = [
    ...(namespace === undefined ? [] : [`namespaces ${[namespace].flat().join(', ')}`]),
    ...(labels === undefined ? [] : [`labels ${typeof labels === 'string' ? labels : JSON.stringify(labels)}`]),
    ...(fields === undefined ? [] : [`fields ${typeof fields === 'string' ? fields : JSON.stringify(fields)}`]),
  ];
  return parts.length === 0
    ? ': it does not exist'
    : `: it does not exist, or is not selected by ${parts.join(' and ')}`;
}
