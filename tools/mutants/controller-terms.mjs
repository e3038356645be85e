/** Breaks of terms, fences, probes, metrics and of parts of rules that no other list breaks. See engine.mjs. */
const FENCE = ['operator/fence.test.ts'];
const TERMS = ['operator/terms.test.ts'];
const PROBES = ['operator/probes.test.ts'];
const OBJECTS = ['operator/objects.test.ts'];
const FRESHNESS = ['operator/freshness.test.ts'];
const RUN = ['operator/run.test.ts'];
const SOURCES = ['operator/sources.test.ts'];
const OUTSIDE = ['operator/outside.test.ts'];
const WHY = ['operator/why.test.ts'];
const FILL = ['run/fill.test.ts'];
const TRIES = ['operator/tries.test.ts'];
const GATE = ['freshness/gate.test.ts'];
const RBAC = ['permissions/rbac.test.ts'];
const EVENTS = ['events/event-recorder.test.ts'];
const ODD = ['operator/odd.test.ts'];
const FAULTS = ['operator/faults.test.ts'];
const CONTESTS = ['operator/contests.slow.test.ts'];
const VANISHED = ['operator/vanished.test.ts'];
const HOSTILE = ['operator/hostile-controllers.slow.test.ts'];
const VERBS = ['freshness/verbs.test.ts'];
const ELECTOR = ['election/elector.test.ts', 'election/elector.pauses.test.ts'];

export const controllerTermMutants = [
  m('CTR-46', 'a second attempt is not fenced', 'freshness/bound-client.ts', '      check();\n', '', FENCE),
  m('CTR-46', 'a call may ask for more time than the lease has', 'freshness/bound-client.ts', 'Math.min(wanted, writeTimeoutMs() ?? Number.POSITIVE_INFINITY)', '(options.timeoutMs ?? writeTimeoutMs() ?? Number.POSITIVE_INFINITY)', FENCE), // prettier-ignore
  m('CTR-27', 'a signal of the call replaces that of the run', 'freshness/bound-client.ts', 'AbortSignal.any([own, signal])', 'signal', FENCE), // prettier-ignore
  m('CTR-46', 'a renewal counts from its answer', 'election/elector.ts', 'if (attempt.held) fence.renewed(sentAt);', 'if (attempt.held) fence.renewed(this.#clock.read());', ELECTOR), // prettier-ignore
  m(
    'CTR-46',
    'the fence of an ended term is held',
    'election/elector.ts',
    "fence.lose('its term has ended');",
    '',
    ELECTOR,
  ),
  m('CTR-47', 'a lost lease does not abort the work', 'election/elector.ts', "fence.lost.addEventListener('abort', () => signal.abort(fence.lost.reason), { once: true });", '', ELECTOR), // prettier-ignore
  m('CTR-49', 'a controller without election waits for the lease', 'operator/operator.ts', 'one.definition.options.election !== false', 'one.definition !== undefined', TERMS), // prettier-ignore
  m('CTR-49', 'the lease is in the cluster of the objects', 'operator/leadership.ts', '(election.cluster ?? cluster)', 'cluster', TERMS), // prettier-ignore
  m('CTR-05', 'ready keys run although there is no drain', 'operator/controller-run.ts', 'drop: !drain || term.lost.aborted', 'drop: false', TERMS), // prettier-ignore
  m('CTR-05', 'drain is ignored', 'operator/controller-run.ts', 'drop: !drain || term.lost.aborted', 'drop: true', TERMS), // prettier-ignore
  m('CTR-05', 'a run that goes on is not reported', 'operator/controller-run.ts', 'if (workers.running > 0)', 'if (workers.running < 0)', OBJECTS), // prettier-ignore
  m('CTR-12', 'a requeue loses the priority of its key', 'operator/key-runs.ts', 'priority = taken.priority } = result', 'priority = 0 } = result', TERMS), // prettier-ignore
  m('CTR-44', 'the first run waits for a slice of keys', 'operator/controller-run.ts', 'if (at % KEYS_PER_TURN === 0) await', 'if (at % KEYS_PER_TURN === KEYS_PER_TURN - 1) await', FILL), // prettier-ignore
  m('CTR-44', 'the keys of a start are as urgent as changes', 'operator/controller-run.ts', 'reason, { priority: LOW_PRIORITY });', 'reason, {});', TERMS), // prettier-ignore
  m('CTR-51', 'any number of hung runs is healthy', 'operator/operator-health.ts', 'hung.length > concurrency', 'hung.length > 1_000', PROBES), // prettier-ignore
  m('CTR-51', 'an old lease is healthy', 'operator/operator-health.ts', 'readMsAgo > MAX_LEASE_AGE_MS', 'readMsAgo < 0', PROBES), // prettier-ignore
  m('CTR-51', 'an overdue elector is healthy', 'operator/operator-health.ts', 'readMsAgo > MAX_RENEWAL_AGE_MS', 'readMsAgo < 0', PROBES), // prettier-ignore
  m('CTR-51', 'keys that wait for idle workers are healthy', 'operator/operator-health.ts', 'run.activeWorkers < concurrency', 'run.activeWorkers < 0', PROBES), // prettier-ignore
  m('CTR-03', 'a slow cache is not named', 'operator/operator-health.ts', "run.isSlowToStart ? ', for more than 120 s' : ''", "''", PROBES), // prettier-ignore
  m('CTR-03', 'a parked resource is looked for once', 'operator/open-caches.ts', '      await env.sleep(PARKED_MS, signal);\n', '      await env.sleep(PARKED_MS * 1e6, signal);\n', SOURCES), // prettier-ignore
  m('CTR-04', 'workers begin before the initial set', 'operator/controller-run.ts', 'await Promise.all(this.#registrations.map((one) => one.synced({ signal })));', 'await this.#registrations[0]?.synced({ signal });', OUTSIDE), // prettier-ignore
  m(
    'CTR-50',
    'counters appear with their first event',
    'operator/controller-metrics.ts',
    '      made.inc(0);\n',
    '',
    PROBES,
  ),
  m('CTR-36', 'a blocked deletion is not reported', 'operator/run-steps.ts', "if (task === 'cleanup') runStepToReportDeletion(options, failure.error);", '', OBJECTS), // prettier-ignore
  m('CTR-36', 'a failed cleanup frees the object', 'operator/run-steps.ts', '    throw failure.error;\n  }\n  if', "    if (task === 'reconcile') throw failure.error;\n  }\n  if", OBJECTS), // prettier-ignore
  m('CTR-36', 'the object is reconciled before it has its finalizer', 'operator/run-steps.ts', "return added.outcome === 'done' ? { kind: 'reconcile', object: added.object } : { kind: 'nothing' };", "return { kind: 'reconcile', object: current };", OBJECTS), // prettier-ignore
  m('CTR-38', 'the status of a failed run is lost', 'operator/run-steps.ts', '  try {\n    await flushed();', '  try {\n    if (failure === undefined) await flushed();', OBJECTS), // prettier-ignore
  m('CTR-23', 'a hot loop is not spaced', 'run/hot-loop.ts', 'this.#spacingMs = MIN_SPACING_MS;', '', RUN),
  m('CTR-23', 'a hot loop is never released', 'run/hot-loop.ts', 'now - this.#lastAt >= this.#spacingMs + QUIET_MS', 'now < 0', RUN), // prettier-ignore
  m('CTR-23', 'the spacing does not grow', 'run/hot-loop.ts', 'Math.min(this.#spacingMs * 2, MAX_SPACING_MS)', 'this.#spacingMs', RUN), // prettier-ignore
  m('CTR-24', 'each event puts a settling key off', 'queue/work-queue.ts', 'if (readyAt >= entry.readyAt && priority <= entry.priority) return;\n        this.#waiting.remove(entry);\n        this.#raise(entry, priority);\n        entry.readyAt = Math.min(entry.readyAt, readyAt);', 'this.#waiting.remove(entry);\n        entry.readyAt = readyAt;', RUN), // prettier-ignore
  m('CTR-24', 'atLeastEveryMs runs once', 'operator/key-runs.ts', "if (atLeastEveryMs !== undefined) run.enqueue(taken.key, 'resync', { afterMs: periodMs, priority: taken.priority });", '', RUN), // prettier-ignore
  m('CTR-28', 'a change of the status runs', 'sources/relevant-change.ts', "if (on === 'any' || b.generation === undefined) return true;", 'return true;', SOURCES), // prettier-ignore
  m('CTR-28', 'a new finalizer does not run', 'sources/relevant-change.ts', '    !isSameChangedField(a.finalizers, b.finalizers) ||\n', '', SOURCES), // prettier-ignore
  m('CTR-29', 'the version of an owner decides', 'sources/owner-keys.ts', "groupOfOwnerKey(reference.apiVersion) !== owner.group", "reference.apiVersion !== `${owner.group}/v1`", SOURCES), // prettier-ignore
  m('CTR-30', 'a lower version replaces a higher one', 'freshness/write-ledger.ts', 'if (isOlder(version, before?.version)) return;', '', GATE), // prettier-ignore
  m('CTR-33', 'a run does not see its own writes', 'freshness/bound-client.ts', '      overlay.put(this.name, object);\n', '', FRESHNESS), // prettier-ignore
  m('CTR-34', 'a dry run counts as a write', 'freshness/bound-client.ts', 'if (options.dryRun === true) return send(call);', '', FRESHNESS), // prettier-ignore
  m('CTR-34', 'an undecided write is waited for', 'freshness/write-ledger.ts', 'if (cache.hasFields && this.#now() - at >= MAX_UNDECIDED_MS) return true;', '', GATE), // prettier-ignore
  m('CTR-35', 'a write without an answer is not asked for', 'freshness/write-ledger.ts', 'if (caches.length > 0 && key !== undefined) written.unanswered.set(id, { resource, key });', '', GATE), // prettier-ignore
  m('CTR-41', 'the first repetition is not written', 'events/event-recorder.ts', 'running.count === 2 && ', 'running.count === 0 && ', EVENTS), // prettier-ignore
  m('CTR-41', 'the filter is the same for all objects', 'events/spam-filter.ts', 'const { tokens, at } = this.#buckets.get(object) ??', "const { tokens, at } = this.#buckets.get(object) ?? [...this.#buckets.values()].at(-1) ??", EVENTS), // prettier-ignore
  m('CTR-53', 'any number of keys is kept', 'run/run-log.ts', 'if (this.#runs.size <= MAX_KEYS) break;', 'break;', OUTSIDE), // prettier-ignore
  m('CTR-54', 'an operator may not write events', 'permissions/needed-permissions.ts', "    needs.add(here, 'events.k8s.io/v1/events', ['create', 'patch']);\n", '', RBAC), // prettier-ignore
  m('CTR-54', 'children cannot be deleted', 'permissions/needed-permissions.ts', "['create', 'delete', 'get', 'list', 'patch', 'watch']", "['create', 'get', 'list', 'patch', 'watch']", RBAC), // prettier-ignore
  m('CTR-55', 'tracers are told nothing', 'operator/key-runs.ts', '    publishToRunChannel(() => ({ controller: run.name, ...record }));\n', '', OUTSIDE), // prettier-ignore
  m('CTR-58', 'keys outside the scope run', 'operator/controller-run.ts', "this.#state.kind !== 'leading' || !this.#isInScope(key)", "this.#state.kind !== 'leading'", OUTSIDE), // prettier-ignore
  m('CTR-26', 'a hung run unlocks its key', 'run/workers.ts', 'const ended = run.ended.then(() => {', 'const ended = run.freed.then(() => {', RUN), // prettier-ignore
  m('CTR-22', 'health does not show terminal keys', 'operator/operator-health.ts', 'run.keys.terminal().slice(0, MAX_NAMED)', 'run.keys.terminal().slice(0, 0)', RUN), // prettier-ignore
  m('CTR-52', 'a parked controller looks idle', 'operator/why.ts', "if (state.kind === 'parked')", "if (state.kind === 'stopped')", WHY), // prettier-ignore
  m('CTR-25', 'a bad key of a watch drops all keys of its event', 'operator/operator-handlers.ts', 'return valid;', 'return invalid.length > 0 ? [] : valid;', TRIES), // prettier-ignore
  m('CTR-03', 'a cache that cannot be opened is waited for', 'operator/operator.ts', '      ...prepared.map(({ ready }) => ready),\n', '', ODD), // prettier-ignore
  m('CTR-05', 'the lease is released while a run goes on', 'election/elector.ts', 'if (!isLeftBehind) await this.#release();', 'await this.#release();', ODD), // prettier-ignore
  m('CTR-47', 'a run that goes on competes for the lease again', 'election/elector.ts', '    if (task.isLeftBehind) task.rethrow();\n    if (task.settled.aborted) return;', '    if (task.settled.aborted || graceMs > 0) return;', ODD), // prettier-ignore
  m('CTR-38', 'the text False is true', 'objects/condition.ts', "typeof status === 'boolean' || status === 'Unknown'", "status !== null", ODD), // prettier-ignore
  m('CTR-23', 'a loop over the own spec is not found', 'operator/key-table.ts', '    record.hot.wrote(generation);\n', '', ODD), // prettier-ignore
  m('CTR-21', 'a run that changes its own spec never backs off', 'operator/key-table.ts', '    record.generation = generation;\n', '', ODD), // prettier-ignore
  m('CTR-51', 'an operator of a closed cluster is live', 'operator/operator-health.ts', 'definition.cluster.isClosed && !isEnded', 'isEnded && !isEnded', ODD), // prettier-ignore
  m('CTR-36', 'an abandoned finalizer is not named', 'operator/run-steps.ts', 'metadata.finalizers?.includes(finalizer) === true && !isRetired', 'isRetired', ODD), // prettier-ignore
  m('CTR-20', 'a thrown value is read without care', 'run/run-error.ts', 'return message; // a thrown value', 'throw new Error(message); // a thrown value', ODD), // prettier-ignore
  m('CTR-61', 'a run goes on with an object that a restore took away', 'operator/controller-run.ts', 'this.#runs?.restored();', 'void 0;', ['operator/restore.test.ts']), // prettier-ignore
  m('CTR-62', 'an index that fails is no fault', 'sources/mapping-faults.ts', '          faults.failed(mapping, key, error);\n', '', FAULTS), // prettier-ignore
  m('CTR-62', 'an index that fails refuses the object', 'sources/mapping-faults.ts', '          faults.failed(mapping, key, error);\n          return [];', '          faults.failed(mapping, key, error);\n          throw error;', FAULTS), // prettier-ignore
  m('CTR-62', 'a fault of an index never ends', 'sources/mapping-faults.ts', '          faults.ended(mapping, key);\n', '', FAULTS), // prettier-ignore
  m('CTR-62', 'a fault outlives its object', 'operator/operator-handlers.ts', 'definition.faults.ended(faultOfIndexMapping(index), key);', 'void index;', FAULTS), // prettier-ignore
  m('CTR-62', 'a watch that is healed stays a fault', 'operator/operator-handlers.ts', 'if (invalid.length === 0) faults.ended(mapping, of);\n    else {', 'if (invalid.length > 0) {', FAULTS), // prettier-ignore
  m('CTR-62', 'a standby keeps the faults of its term', 'operator/controller-run.ts', 'this.definition.faults.forget((mapping) => !isFaultOfIndexMapping(mapping));', 'void isFaultOfIndexMapping;', FAULTS), // prettier-ignore
  m('CTR-63', 'a new generation ends a fight', 'operator/key-table.ts', 'contestMs > 0 && contestMs >= hotMs', 'contestMs > 0 && hotMs > 0', CONTESTS), // prettier-ignore
  m('CTR-63', 'every value that is written again is contested', 'objects/rewritten-fields.ts', 'known === undefined || known.hash === found', 'known === undefined', CONTESTS), // prettier-ignore
  m('CTR-63', 'a fight with changing values is not found', 'objects/rewritten-fields.ts', ' || turns >= MAX_TURNS', '', CONTESTS), // prettier-ignore
  m('CTR-63', 'a fight that is slowed is fast again', 'objects/rewritten-fields.ts', ' || (known.isContested && isSameFight);', ';', CONTESTS), // prettier-ignore
  m('CTR-63', 'what a predecessor of the name wrote counts', 'objects/rewritten-fields.ts', 'known !== undefined && known.primaryUid === primaryUid', 'known !== undefined', CONTESTS), // prettier-ignore
  m('CTR-63', 'the spacing of a fight does not grow', 'run/contest.ts', 'Math.min(this.#spacingMs * 2, MAX_SPACING_MS)', 'MIN_SPACING_MS', CONTESTS), // prettier-ignore
  m('CTR-63', 'a fight is never forgotten', 'run/contest.ts', 'now - this.#lastAt > CONTEST_MEMORY_MS ? undefined', 'now < 0 ? undefined', CONTESTS), // prettier-ignore
  m('CTR-64', 'a run goes on although its object is gone', 'operator/key-runs.ts', 'run === undefined || run.uid !== uid || run.endsObject', 'true', VANISHED), // prettier-ignore
  m('CTR-64', 'a run that deletes its own object is aborted', 'operator/write-host.ts', 'current.endsObject = true;', 'void current;', VANISHED), // prettier-ignore
  m('CTR-64', 'a cleanup is aborted when its object goes', 'operator/key-runs.ts', 'endsObject: object?.metadata?.deletionTimestamp !== undefined,', 'endsObject: false,', VANISHED), // prettier-ignore
  m('CTR-64', 'an object that leaves the selection ends its run', 'operator/controller-run.ts', 'if (labels === undefined && fields === undefined) this.#runs', 'if (labels !== fields || labels === fields) this.#runs', VANISHED), // prettier-ignore
  m('CTR-64', 'a run whose object is gone is retried', 'operator/key-runs.ts', 'current.isVanished || (abort.aborted', '(abort.aborted', VANISHED), // prettier-ignore
  m('CTR-44', 'a standby keeps the records of its term', 'operator/controller-run.ts', 'this.keys.clear();', '', VANISHED), // prettier-ignore
  m('CTR-43', 'a deleted Lease is free', 'election/lease-lock.ts', 'if (this.#record !== undefined && this.#isHeldByOther(this.#record))', 'if (this.#record !== this.#record)', ELECTOR), // prettier-ignore
  m('CTR-37', 'an object may own itself', 'objects/owner-reference.ts', 'existing.metadata.uid === owner.metadata?.uid', 'existing.metadata.uid === undefined', HOSTILE), // prettier-ignore
  m('CTR-23', 'children that come and go are not named', 'operator/operator-handlers.ts', '[`${resource}: objects that are created and deleted`]', '[]', HOSTILE), // prettier-ignore
  m('CTR-03', 'a cache that may not be read is not explained', 'operator/open-caches.ts', '[errorMessageOf(state.problem.error)]', '[]', HOSTILE), // prettier-ignore
  m('CTR-51', 'a cache may be stale for ever', 'operator/operator-health.ts', 'if (staleMs > MAX_STALE_MS)', 'if (staleMs > Number.POSITIVE_INFINITY)', HOSTILE), // prettier-ignore
  m('CTR-52', 'why does not say that the cache is stale', 'operator/why.ts', "kind === 'not in the cache' || kind === 'idle' || kind === 'filtered'", 'false', HOSTILE), // prettier-ignore
  m('CTR-38', 'conditions of any type are taken', 'operator/run-status.ts', 'Array.isArray(conditions),', 'true,', HOSTILE), // prettier-ignore
  m('CTR-41', 'writers of events look like a leak', 'events/event-writer.ts', 'setMaxListeners(0, this.#end.signal);', 'void setMaxListeners;', HOSTILE), // prettier-ignore
  m('CTR-25', 'a run may change its reasons', 'operator/key-runs.ts', 'Object.freeze(record.reasons.list())', 'record.reasons.list()', HOSTILE), // prettier-ignore
  m('CTR-21', 'a success forgets no failures', 'operator/key-runs.ts', '    record.failures = 0;\n    record.lastError = undefined;', '    record.lastError = undefined;', RUN), // prettier-ignore
  m('CTR-58', 'a key that left the scope is written for', 'operator/write-host.ts', 'if (holds?.(current.key, object) === false)', 'if (holds === null)', OUTSIDE), // prettier-ignore
  m('CTR-41', 'a stop does not wait for events', 'operator/controller-run.ts', 'await this.#events.close();', 'void this.#events.close();', OUTSIDE), // prettier-ignore
  m('CTR-40', 'a run without proof prunes', 'operator/run-steps.ts', 'fresh: run.fresh,', 'fresh: true,', OBJECTS), // prettier-ignore
  m('CTR-28', 'with `spec` a change of owners does not run', 'sources/relevant-change.ts', ' ||\n    !isSameChangedField(a.ownerReferences, b.ownerReferences)', '', SOURCES), // prettier-ignore
  m('CTR-30', 'a replace is not remembered', 'freshness/bound-client.ts', "return this.#write('replace', keyOfBoundWrite(object), options,", "return this.#write('replace', keyOfBoundWrite(object), { ...options, dryRun: true } as never,", VERBS), // prettier-ignore
];

function m(rule, what, file, find, replace, tests) {
  return { home: 'controller', rule, what, file, find, replace, tests };
}
