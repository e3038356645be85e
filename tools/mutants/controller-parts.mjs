/** Breaks of election, events and objects of the controller package. See engine.mjs. */
const NAMESAKE = ['election/namesake.test.ts'];
const ELECTOR = ['election/elector.test.ts'];
const PAUSES = ['election/elector.pauses.test.ts'];
const WRITTEN = ['election/written-versions.test.ts'];
const EVENTS = ['events/event-recorder.test.ts'];
const FINALIZER = ['objects/finalizer.test.ts'];
const OWNER = ['objects/owner-reference.test.ts'];
const APPLY = ['objects/apply-object.test.ts'];
const PRUNE = ['objects/prune.test.ts'];
const CONDITION = ['objects/condition.test.ts'];
const STATUS = ['objects/status.test.ts'];
const HOSTILE = ['objects/hostile.test.ts'];
const PLANTED = ['election/hostile.test.ts'];

export const controllerPartMutants = [
  m('CTR-43', 'any change of the Lease is a sign of life', 'election/lease-lock.ts', 'if (text !== this.#text) {', 'if (text !== null) {', ELECTOR), // prettier-ignore
  m('CTR-65', 'a record with our name is ours', 'election/lease-lock.ts', 'record.holder === this.#options.identity && this.#sent.has(record);', 'record.holder === this.#options.identity;', NAMESAKE), // prettier-ignore
  m('CTR-65', 'a record that was refused is ours', 'election/lease-lock.ts', '        this.#sent.remove(record);\n', '', NAMESAKE), // prettier-ignore
  m('CTR-65', 'the process before a restart is reported', 'election/lease-lock.ts', "isNamesake && this.#text !== ''", 'isNamesake', NAMESAKE), // prettier-ignore
  m('CTR-65', 'a replica with the name of the leader is ready', 'operator/operator-health.ts', "elected?.kind === 'standby'", "elected?.kind === 'stopped'", NAMESAKE), // prettier-ignore
  m('CTR-43', 'our own duration counts for other holders', 'election/lease-lock.ts', 'Math.min(durationMs, ', 'Math.min(this.#options.durationMs + 0 * durationMs, ', ELECTOR), // prettier-ignore
  m('CTR-43', 'a new leader is no transition', 'election/lease-lock.ts', 'before.transitions + 1', 'before.transitions', ELECTOR), // prettier-ignore
  m('CTR-45', 'an older version replaces a newer one', 'election/written-versions.ts', 'isOlder(version, before) ? before : version', 'isOlder(before, version) ? before : version', WRITTEN), // prettier-ignore
  m('CTR-45', 'a leader forgets what it got', 'election/elector.ts', 'this.written.adopt(predecessors);', '', WRITTEN),
  m('CTR-46', 'a term that was over may come back', 'election/lease-fence.ts', "this.lose('it could not be renewed in time');", '', PAUSES), // prettier-ignore
  m('CTR-46', 'the fence waits for the end of the lease', 'election/lease-fence.ts', 'this.#ageMs() < this.#options.renewDeadlineMs', 'this.#ageMs() < this.#options.leaseDurationMs', PAUSES), // prettier-ignore
  m(
    'CTR-46',
    'a hanging renewal holds the term',
    'election/elector.ts',
    ', this.#watch(fence, task.over)]',
    ']',
    PAUSES,
  ),
  m('CTR-47', 'work that does not end is waited for in vain', 'election/elector.ts', 'if (task.settled.aborted) return;', 'if (graceMs > 0) return;', PAUSES), // prettier-ignore
  m('CTR-48', 'the lease is released while the work runs', 'election/elector.ts', '(this.#stop.aborted && this.#settled.signal.aborted)', 'this.#stop.aborted', ELECTOR), // prettier-ignore
  m('CTR-48', 'an unanswered acquisition is kept', 'election/lease-lock.ts', 'this.#mayHold ||= isOurs;', '', ELECTOR),
  m('CTR-41', 'every version of the object begins a series', 'events/event-object.ts', 'namespace, name, uid, fieldPath]);', 'namespace, name, uid, fieldPath, arguments[0]?.resourceVersion]);', EVENTS), // prettier-ignore
  m('CTR-41', 'no spam filter', 'events/spam-filter.ts', 'filled >= 1', 'filled >= 0', EVENTS),
  m('CTR-41', 'the last counts are not flushed', 'events/event-recorder.ts', 'for (const series of this.#series.values()) if (!series.isWritten) this.#writer.add(series);', '', EVENTS), // prettier-ignore
  m('CTR-36', 'a successor of the same name is patched', 'objects/finalizer.ts', "[{ op: 'test', path: '/metadata/uid', value: uid }, ...wanted]", '[...wanted]', FINALIZER), // prettier-ignore
  m('CTR-36', 'a place in the list is removed untested', 'objects/finalizer.ts', "{ op: 'test', path: `${LIST}/${at}`, value: name },", '', FINALIZER), // prettier-ignore
  m('CTR-37', 'an owner in another namespace is accepted', 'objects/owner-reference.ts', 'childNamespace !== ownerNamespace', 'childNamespace === ownerNamespace + 1', OWNER), // prettier-ignore
  m('CTR-37', 'the child of another controller is taken', 'objects/owner-reference.ts', 'other.uid !== owner.metadata?.uid', 'other.uid === owner.metadata?.uid', OWNER), // prettier-ignore
  m('CTR-38', 'the transition time moves with every change', 'objects/condition.ts', 'before?.status === status ? before.lastTransitionTime : timestamp(wallNow)', 'timestamp(wallNow)', CONDITION), // prettier-ignore
  m('CTR-38', 'an equal status is written again', 'objects/write-status.ts', "if (isEqual(next, seen)) return { outcome: 'unchanged' };", '', STATUS), // prettier-ignore
  m('CTR-39', 'drift is not seen while the desired object is the same', 'objects/apply-object.ts', 'mark.owned === jsonHashOf(owned)', 'mark.owned !== ""', APPLY), // prettier-ignore
  m('CTR-39', 'objects of others are forced', 'objects/apply-object.ts', 'cached !== undefined && hasOwnerReferenceTo(cached, owner) }', 'cached !== undefined }', APPLY), // prettier-ignore
  m('CTR-40', 'a failed run prunes', 'objects/prune-owned.ts', '!succeeded || !fresh', '!fresh', PRUNE),
  m(
    'CTR-40',
    'a conflict asks for no other run',
    'objects/prune-owned.ts',
    'if (isConflict(error)) isComplete = false;',
    'if (isConflict(error)) continue;',
    PRUNE,
  ),
  m('S104', 'a child may be in another namespace', 'objects/owner-reference.ts', 'isReachable && controllerReferenceOfOwner', 'controllerReferenceOfOwner', HOSTILE), // prettier-ignore
  m('S105', 'any number of sets of keys is tried', 'objects/owned-fields.ts', 'this.#byKeys.size >= MAX_KEY_SETS', 'false', HOSTILE), // prettier-ignore
  m('S106', 'the count of transitions grows beyond what a server stores', 'election/lease-lock.ts', 'Math.min(before.transitions + 1, MAX_TRANSITIONS)', 'before.transitions + 1', PLANTED), // prettier-ignore
  m('S106', 'a record may ask for years', 'election/lease-lock.ts', 'Math.min(durationMs, Math.max(MAX_HOLDER_MS, this.#options.durationMs))', 'durationMs', PLANTED), // prettier-ignore
  m('S107', 'a note is cut to characters', 'events/event-object.ts', 'cutEventObjectText(eventObjectText(note.note), MAX_NOTE)', 'eventObjectText(note.note)', EVENTS), // prettier-ignore
  m('S107', 'half a character stays in a message', 'objects/condition.ts', 'Buffer.from(safeText(message, MAX_MESSAGE).slice(0, MAX_MESSAGE)).toString()', 'safeText(message, MAX_MESSAGE).slice(0, MAX_MESSAGE)', HOSTILE), // prettier-ignore
  m('CTR-40', 'a changed child is deleted', 'objects/prune-owned.ts', 'preconditions: { uid, resourceVersion }', 'preconditions: { uid }', PRUNE), // prettier-ignore
];

function m(rule, what, file, find, replace, tests) {
  return { home: 'controller', rule, what, file, find, replace, tests };
}
