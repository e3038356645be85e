/**
 * One small break per claimed rule: `find` (exactly once in the file) becomes `replace`, and one of `tests` must fail.
 * Paths are below packages/kube-informer/src and packages/kube-informer/test.
 */
const R = 'informer/reflector';

export const mutants = [
  // core
  m('BKO-02', 'jitter feeds back into the delay', 'core/backoff.ts', 'return base + base * jitter * this.#env.random();', 'return (this.#current = base + base * jitter * this.#env.random());', ['core/backoff.test.ts']),
  m('BKO-03', 'the backoff never starts over', 'core/backoff.ts', 'if (factor > 0 && now - this.#lastAt > resetAfterMs) this.#current = initialMs;', '', ['core/backoff.test.ts']),
  m('ERR-01', 'a 410 without reason is not expired', 'core/status.ts', "hasReason(error, 'Gone', 410)", "hasReason(error, 'Gone')", ['core/status.test.ts']),
  m('ERR-02', 'too large is only known by its cause', 'core/status.ts', "if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;", '', ['core/status.test.ts', `${R}.list.test.ts`]),
  m('ERR-05', 'the retry window is exclusive', 'core/backoff.ts', 'this.#env.now() - this.#firstAt <= this.#maxMs', 'this.#env.now() - this.#firstAt < this.#maxMs', ['core/backoff.test.ts']),
  m('F54', 'versions are compared as text', 'core/resource-version.ts', 'if (a.length !== b.length) return a.length - b.length;', '', ['core/resource-version.test.ts']),
  m('STO-02', 'a name with a slash is accepted', 'core/key.ts', "if (name.includes('/'))", 'if (false)', ['core/key.test.ts']),
  m('MET-05', 'the version gauge takes all digits', 'core/metrics.ts', 'version.slice(-15)', 'version', ['core/metrics.test.ts', `${R}.metrics.test.ts`]),
  // store
  m('IDX-02', 'empty index values stay behind', 'store/index-table.ts', 'if (keys.size === 0) this.#keysByValue.delete(value);', '', ['store']),
  m('STO-06', 'a bookmark does not move the store', 'store/indexer.ts', 'bookmark(resourceVersion: string): void {\n    this.#resourceVersion = resourceVersion;', 'bookmark(_resourceVersion: string): void {', ['store', 'informer/process.test.ts']),
  m('EXP-03', 'an entry dies at exactly its ttl', 'store/expiration-cache.ts', 'env.now() - storedAt > ttlMs', 'env.now() - storedAt >= ttlMs', ['store/expiration-cache.test.ts']),
  // paging and lists
  m('PAG-05', 'a paged list takes the version of its last page', 'informer/pager.ts', 'resourceVersion: versionOf(first)', 'resourceVersion: versionOf(page)', ['informer/pager.test.ts', `${R}.paging.test.ts`]),
  m('PAG-07', 'an expired continue token fails the list', 'informer/pager.ts', 'if (first === undefined || !isResourceExpired(error)) throw error;', 'throw error;', ['informer/pager.test.ts', `${R}.paging.test.ts`]),
  m('REF-04', 'a relist accepts any state', 'informer/versions.ts', "if (high === '') return { resourceVersion: first };", "return { resourceVersion: '0' };", ['informer/versions.test.ts', `${R}.list.test.ts`]),
  m('REF-05', 'an expired list is not asked again', 'informer/plain-list.ts', 'if (!isUnavailable(error)) throw', 'throw', [`${R}.list.test.ts`]),
  m('REF-09', 'a Table is taken for a list', 'informer/pager.ts', 'if (isTable(page as TypeRef))', 'if (false)', ['informer/pager.test.ts', `${R}.list.test.ts`]),
  m('G2', 'an older list is believed', 'informer/plain-list.ts', "versions.isStale(result.resourceVersion) && asked.resourceVersion !== ''", 'false', [`${R}.list.test.ts`, `${R}.probe.test.ts`]),
  // watch-list
  m('WLS-05', 'any value of the annotation ends the initial list', 'informer/event-reader.ts', "[INITIAL_EVENTS_END] === 'true'", '[INITIAL_EVENTS_END] !== undefined', [`${R}.watch-list.test.ts`, `${R}.marker.test.ts`]),
  m('WLS-10', 'a failed streaming list is never replaced by a plain one', 'informer/watch-list.ts', "  return 'list';\n}", "  return 'again';\n}", [`${R}.watch-list.test.ts`]),
  m('G15', 'a marker that never comes is waited for', 'informer/watch-list.ts', 'if (now < deadline()) return undefined;', 'return undefined;', [`${R}.marker.test.ts`]),
  // watch
  m('WCH-09', 'synthetic adds move the place to resume', 'informer/watch-loop.ts', 'let ordered = sendInitialEvents === true || isPlaceInHistory(openedAt);', 'let ordered = true;', [`${R}.watch.test.ts`]),
  m('WCH-11', 'a 429 in the stream leads to a list', 'informer/watch-loop.ts', 'isTooManyRequests(error) ||\n', '', [`${R}.endings.test.ts`, `${R}.watch.test.ts`]),
  m('WCH-14', 'a very short watch is reopened at once', 'informer/watch-loop.ts', 'await context.wait(short, signal);', '', [`${R}.endings.test.ts`, `${R}.backoff.test.ts`]),
  m('G1', 'events older than what was seen are handed on', 'informer/versions.ts', 'return this.#ordered && isOlder(version, this.#high);', 'return false;', ['informer/versions.test.ts', `${R}.watch.test.ts`]),
  m('G8', 'an event without version is skipped', 'informer/event-reader.ts', 'throw undecodable(`a ${type} event has no metadata.resourceVersion`);', 'return undefined;', ['informer/event-reader.test.ts', `${R}.watch.test.ts`]),
  m('F28', 'a reopened watch is not probed', 'informer/watch-loop.ts', 'reopened ? probeReopenedWatch(context, session) : Promise.resolve()', 'Promise.resolve()', [`${R}.probe.test.ts`]),
  m('WCH-04', 'every watch asks for the same lifetime', 'informer/reflector-context.ts', 'Math.floor((min + env.random() * min) / 1_000)', 'Math.floor(min / 1_000)', [`${R}.watch.test.ts`, `${R}.options.test.ts`]),
  m('G22', 'Retry-After is not honoured', 'informer/reflector-context.ts', 'Math.max(this.#backoff.next(), retryAfterOf(error) ?? 0)', 'this.#backoff.next()', [`${R}.endings.test.ts`]),
  m('RSY-03', 'the predicate is not asked', 'informer/resync.ts', 'if (shouldResync !== undefined && !shouldResync()) continue;', '', [`${R}.resync.test.ts`]),
  // queues
  m('DFI-03', 'two deletes in a row are two', 'informer/delta-fifo.ts', "if (delta.type !== 'deleted' || last?.type !== 'deleted') return false;", 'return false;', ['informer/delta-fifo.test.ts', 'informer/delta-fifo.replace.test.ts']),
  m('DFI-11', 'a resync overtakes what is queued', 'informer/delta-fifo.ts', 'if (this.#items.has(key)) continue;', '', ['informer/delta-fifo.test.ts']),
  m('RFI-10', 'synced is visible before the last entry was applied', 'informer/queue.ts', 'running = process(deltas, !this.synced.isOpen);', 'running = (this.synced.open(), process(deltas, true));', ['informer/queue-contract.test.ts']),
  m('RFI-13', 'the queue never pushes back', 'informer/queue.ts', 'if (this.#pending() < this.#limit || this.#closed) return undefined;', 'return undefined;', ['informer/queue-contract.test.ts']),
  // process and handlers
  m('CTL-06', 'an add of something known is an add', 'informer/process.ts', 'if (cached === undefined) return { write, events: [addEvent(key, object, initial)], sync: false };', 'return { write, events: [addEvent(key, object, initial)], sync: false };', ['informer/process.test.ts']),
  m('G5', 'a relist forgets to announce what is gone', 'informer/process.ts', 'deletes.push(deleteEvent<T>(key, cached, true));', '', ['informer/process.replace.test.ts', 'informer/process.test.ts']),
  m('G18', 'unchanged states are announced', 'informer/process.ts', "if (order === 0 && sameUid && (!acrossEpochs || isEqual(cached, object))) return 'same';", '', ['informer/process.test.ts', 'informer/process.replace.test.ts']),
  m('H3', 'a delete is merged away', 'informer/handler-queue.ts', "return after.type === 'delete' ? before : 'both';", 'return after;', ['informer/handler-queue.test.ts', 'informer/handler-queue.property.test.ts']),
  m('PRO-10', 'an initial add that fails is never counted', 'informer/listener.ts', '    this.#finished(event, startedAt);\n    await env.sleep(errorPauseMs, this.#stop.signal);', '    await env.sleep(errorPauseMs, this.#stop.signal);', ['informer/listener.test.ts']),
  m('EVH-05', 'an object that stops matching is forgotten', 'informer/handlers.ts', "if (before) return handler.delete?.(", "if (false) return handler.delete?.(", ['informer/handlers.test.ts']),
  m('PRO-05', 'only handlers that are due are looked at', 'informer/processor.ts', 'member.syncing = member.period.takeDue(now);', 'member.syncing ||= member.period.takeDue(now);', ['informer/processor.test.ts']),
  // informer
  m('INF-09', 'a late handler hears nothing of what is there', 'informer/processor.ts', 'listener.pushBulk(everything, everything.size);', '', ['informer/processor.test.ts', 'informer/shared-informer.handlers.test.ts']),
  m('INF-14', 'a transform can be set while running', 'informer/shared-informer.ts', 'if (this.hasStarted) throw', 'if (false) throw', ['informer/shared-informer.transform.test.ts', 'informer/shared-informer.options.test.ts']),
  m('TRF-02', 'tombstones are transformed again', 'informer/ordered-fifo.ts', 'if (isTombstone<T>(object))', 'if (isTombstone<T>(object) && object.object === undefined)', ['informer/ordered-fifo.test.ts', 'informer/queue-contract.test.ts']),
  m('F86', 'a transform may rename', 'informer/transform.ts', 'if (resultKey !== key) {', 'if (false) {', ['informer/transform.test.ts']),
  m('G10', 'only the surface of an object is frozen', 'informer/mutation-guard.ts', 'for (const name of Object.keys(value)) todo.push((value as Record<string, unknown>)[name]);', '', ['informer/shared-informer.guard.test.ts']),
  m('FAC-01', 'every request makes a new informer', 'cluster/informer-set.ts', 'this.#entries.get(', 'new Map<string, never>().get(', ['cluster']),
  m('LIS-02', 'a namespace is ignored', 'cluster/lister.ts', 'byIndex(NAMESPACE_INDEX, namespace)', 'list()', ['cluster/lister.test.ts']),
];

function m(rule, what, file, find, replace, tests) {
  return { rule, what, file, find, replace, tests };
}
