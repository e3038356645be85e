/** Breaks of queue, runs, sources, freshness and permissions of the controller package. See engine.mjs. */
const QUEUE = ['queue/work-queue.test.ts', 'queue/work-queue.property.test.ts'];
const GATE = ['freshness/gate.test.ts'];
const RUN = ['operator/run.test.ts'];
const WORKERS = ['run/workers.test.ts'];
const SOURCES = ['operator/sources.test.ts'];
const SUCCESSION = ['operator/succession.test.ts'];
const RBAC = ['permissions/rbac.test.ts'];
const TRIES = ['operator/tries.test.ts'];
const WHY = ['operator/why.test.ts'];

export const controllerRunMutants = [
  m('CTR-10', 'an add while a key runs is lost', 'queue/work-queue.ts', "if (entry.state === 'running+again') this.#settle(entry, now);\n    else this.#entries.delete(key);", 'this.#entries.delete(key);', QUEUE), // prettier-ignore
  m('CTR-11', 'priorities are classes: a low one starves', 'queue/ready-line.ts', 'strict ? isStrictlyBeforeInReadyLine : isBeforeInReadyLine', 'isStrictlyBeforeInReadyLine', QUEUE), // prettier-ignore
  m('CTR-12', 'the later of two delays counts', 'queue/work-queue.ts', "        this.#raise(entry, priority);\n        entry.readyAt = Math.min(entry.readyAt, readyAt);\n        this.#settle(entry, now);", "        this.#raise(entry, priority);\n        entry.readyAt = Math.max(entry.readyAt, readyAt);\n        this.#settle(entry, now);", QUEUE), // prettier-ignore
  m('CTR-13', 'an earlier key does not move the timer', 'queue/waiting-line.ts', '(this.#timer !== undefined && this.#timer.at <= first.readyAt)', 'this.#timer !== undefined', QUEUE), // prettier-ignore
  m('CTR-14', 'drained does not wait for ready keys', 'queue/work-queue.ts', 'this.#ready.size === 0 && this.#running.size === 0', 'this.#running.size === 0', QUEUE), // prettier-ignore
  m('CTR-20', 'Retry-After is ignored', 'run/retry.ts', 'Math.max(jittered, retryAfterOf(error) ?? 0)', 'jittered', RUN), // prettier-ignore
  m('CTR-21', 'a new generation keeps the failures of the old one', 'operator/key-runs.ts', 'if (generation !== record.generation) record.failures = 0;', '', RUN), // prettier-ignore
  m('CTR-21', '`deleted` is repeated', 'operator/key-runs.ts', 'if (declaredCacheObject(this.#options.caches.primary, taken.key) === undefined && record.last !== undefined)\n      return this.#forget(taken.key);', '', SUCCESSION), // prettier-ignore
  m('CTR-22', 'a terminal error is retried', 'run/terminal.ts', "hasCode(error, 'TERMINAL')", "hasCode(error, 'TERMINAL') && error === null", RUN), // prettier-ignore
  m('CTR-25', 'reasons are not bounded', 'run/reasons.ts', 'MAX_REASONS = 16', 'MAX_REASONS = 1_600', RUN),
  m('CTR-26', 'a hung run keeps its worker', 'run/supervise.ts', "if (!over.signal.aborted) free({ kind: 'hung' });", '', RUN), // prettier-ignore
  m('CTR-27', 'an aborted run writes', 'operator/write-host.ts', 'if (signal.aborted) throw', 'if (signal.aborted && signal.reason === null) throw', RUN), // prettier-ignore
  m('CTR-29', 'the old state of a changed object is not looked up', 'operator/operator-handlers.ts', "event.type === 'update' ? [event.old, event.object] : [event.object]", '[event.object]', SOURCES), // prettier-ignore
  m('CTR-31', 'a key is not held for its own writes', 'operator/key-runs.ts', "if (admitted === 'held') {", "if (admitted === 'never') {", ['operator/freshness.test.ts']), // prettier-ignore
  m(
    'CTR-35',
    'memory of another uid is kept',
    'freshness/write-ledger.ts',
    'if (this.#written.get(owner)?.uid !== uid) this.#written.delete(owner);',
    '',
    GATE,
  ),
  m('CTR-45', 'a successor does not wait for its caches', 'operator/leadership.ts', 'await untilCaughtUp(predecessors, { reached, env, signal: over });', 'void untilCaughtUp(predecessors, { reached, env, signal: over });', SUCCESSION), // prettier-ignore
  m('CTR-46', 'runs never leave a turn to the event loop', 'run/workers.ts', '    await env.yield();\n', '', WORKERS),
  m('CTR-52', 'changes that were filtered before the last run are still named', 'operator/key-runs.ts', '    record.filtered = [];\n', '', WHY), // prettier-ignore
  m('CTR-26', 'a run that returns after its time is a success', 'operator/key-runs.ts', "end.kind === 'value' && supervised.timedOut", "end.kind === 'never' && supervised.timedOut", TRIES), // prettier-ignore
  m('CTR-27', 'a run that has ended writes', 'operator/write-host.ts', 'if (current.isOver)', 'if (current.isOver && signal.aborted)', TRIES), // prettier-ignore
  m('CTR-32', 'a key waits for a broken watch', 'freshness/freshness-gate.ts', 'void this.#readBehind(key, signal);', '', GATE), // prettier-ignore
  m('CTR-32', 'what a cache has reached is laid over it', 'freshness/live-objects.ts', '!this.#ledger.hasReached(resource, object)', 'object !== null', GATE), // prettier-ignore
  m('CTR-32', 'of several writes one is read', 'freshness/write-ledger.ts', '(before?.keys ?? new Set())', 'new Set()', GATE), // prettier-ignore
  m('CTR-36', 'a cleanup is repeated after it removed the last finalizer', 'freshness/bound-client.ts', 'if (isDeletedByBoundWrite(object)) {', 'if (isDeletedByBoundWrite(object) && object === null) {', TRIES), // prettier-ignore
  m('CTR-38', 'the wall clock puts a status off', 'operator/key-runs.ts', 'env.now() - writtenAt', 'env.wallNow() - writtenAt - 1.7e12', TRIES), // prettier-ignore
  m('CTR-52', 'the place is that of the arrival', 'queue/ready-line.ts', 'this.#isBefore(head, next)', 'head.order < next.order', QUEUE), // prettier-ignore
  m('CTR-55', 'the cache of another cluster hides a write', 'operator/open-caches.ts', 'isElsewhere: where !== cluster,', 'isElsewhere: false,', SUCCESSION), // prettier-ignore
  m('CTR-61', 'after a restore only what differs runs', 'operator/controller-run.ts', "    if (this.#state.kind === 'leading') void this.#addAllKeys('restored');\n", '', ['operator/restore.test.ts']), // prettier-ignore
  m('CTR-61', 'versions from before a restore are waited for', 'freshness/write-ledger.ts', '        versions.delete(id);\n        for (const key of one.keys) ask(key);\n', '', GATE), // prettier-ignore
  m('CTR-61', 'a key that is held does not notice a restore', 'freshness/freshness-gate.ts', 'for (const key of Array.from(this.#held.keys())) this.#letGo(key);', '', GATE), // prettier-ignore
  m('CTR-54', 'the lease needs a permission in all namespaces', 'permissions/needed-permissions.ts', 'namespaces: [lease.namespace]', 'namespaces: []', RBAC), // prettier-ignore
  m('CTR-02', 'two controllers of a name run on one cluster', 'front/claim-names.ts', '[cluster] : [cluster, metrics]', '[] : [metrics]', RBAC), // prettier-ignore
];

function m(rule, what, file, find, replace, tests) {
  return { home: 'controller', rule, what, file, find, replace, tests };
}
