import { type Env, guardedAnswer, type Key, KubeError, type KubeObject, splitKey } from 'kube-informer/core';
import type { WriteHost } from '../freshness/bound-client.ts';
import { newestInDeclaredCache, wholeDeclaredCaches } from '../freshness/declared-cache.ts';
import type { Overlay } from '../freshness/overlay.ts';
import type { AnsweredWrite } from '../objects/rewritten-fields.ts';
import type { ContestedField } from '../run/contest.ts';
import type { CurrentRun } from '../run/current-run.ts';
import type { RunWrite } from '../run/run-log.ts';
import { type ChangedField, changedFields } from '../sources/changed-fields.ts';
import type { ControllerRun } from './controller-run.ts';
import { type OpenCaches, openOwnCachesOf } from './open-caches.ts';
import { scopeHolds } from './scope-holds.ts';
import type { Term } from './term.ts';

export interface WriteHostOptions {
  readonly run: ControllerRun;
  readonly env: Env;
  readonly caches: OpenCaches;
  readonly term: Term;
  /** Records a write of the leader, for its successor. */
  readonly wrote: (resource: string, version: string) => void;
  readonly current: CurrentRun;
  readonly object: KubeObject;
  readonly overlay: Overlay;
  readonly signal: AbortSignal;
}

/** Hooks of a run around its writes: writes are refused when it may not write, remembered, and added to its record. */
export function makeWriteHost(options: WriteHostOptions): WriteHost {
  const { run, env, caches, term, wrote, current, object, overlay, signal } = options;
  const primary = { ...splitKey(current.key), uid: object.metadata?.uid ?? '' };
  const { scope } = run.definition.options;
  const cachedNow = (resource: string, key: Key): KubeObject | undefined =>
    newestInDeclaredCache(openOwnCachesOf(caches, resource), key);
  const holds = scope === undefined ? undefined : guardedAnswer('scope.holds', scopeHolds(scope));
  return {
    signal,
    overlay,
    requireMayWrite: (what) => {
      if (current.isOver)
        throw new KubeError('RUN_ABORTED', `${what}: the run has ended before this write: is an await missing?`);
      if (signal.aborted) throw new KubeError('RUN_ABORTED', `${what}: the run was aborted`, { cause: signal.reason });
      if (!term.held()) run.metrics.fencedWrite();
      term.check();
      if (holds?.(current.key, object) === false)
        throw new KubeError('LEASE_LOST', `${what}: ${current.key} is no longer in the scope of this process`);
    },
    writeTimeoutMs: () => term.remainingMs(),
    sending: (resource, key) => run.ledger.sending(primary, resource, key),
    writing: (verb, resource, asked) => {
      const sent = { verb, resource, at: env.wallNow(), held: term.held() };
      // Before it is sent: the event may arrive before the response.
      if (verb === 'delete' && resource === run.definition.resource && asked === current.key) current.endsObject = true;
      const whole = wholeDeclaredCaches(openOwnCachesOf(caches, resource));
      const before =
        asked === undefined ? undefined : overlay.get(resource, asked, newestInDeclaredCache(whole, asked));
      return (key, answer) => {
        const { resourceVersion: version, generation } = answer?.metadata ?? {};
        const write: RunWrite = { ...sent, key, version, answeredAt: env.wallNow() };
        current.writes.push(write);
        const isCached = openOwnCachesOf(caches, resource).length > 0;
        if (isCached) run.echoes.wrote(write, cachedNow(resource, key));
        if (version !== undefined) wrote(resource, version);
        if (resource === run.definition.resource && key === current.key) run.keys.wrote(key, generation);
        if (verb === 'delete' || answer === undefined) run.rewritten.deleted(resource, key);
        else if (isCached) noteContestInWriteHost(options, { resource, key, before, answer, primaryUid: primary.uid });
      };
    },
    requesting: (what) => (current.lastRequest = what),
    cachedUid: (resource, key) => cachedNow(resource, key)?.metadata?.uid,
  };
}

/** Checks whether others change back what the run writes: a contest, which is reported once and slows the runs down. */
function noteContestInWriteHost(
  { run, env, current }: WriteHostOptions,
  write: Omit<AnsweredWrite, 'fieldManager' | 'changed'>,
): void {
  const now = env.now();
  const { before = {}, answer } = write;
  const changed = (): readonly ChangedField[] => changedFields(before, answer);
  const rewritten = run.rewritten.wrote(now, { ...write, fieldManager: run.name, changed });
  if (rewritten === undefined) return;
  const { resource, key } = write;
  const field: ContestedField = { resource, key, ...rewritten };
  if (!run.keys.get(current.key).contest.written(now, field)) return;
  run.metrics.contest();
  env.log('warn', 'a controller and another client change the same field in turn; its runs are spaced from now on', {
    controller: run.name,
    key: current.key,
    object: `${resource} ${key}`,
    field: field.path ?? 'the object itself: it is deleted',
    manager: field.manager ?? 'unknown',
  });
}
