import { type Bug, change } from './bugs.ts';

/** Where no echo is answered, a list asks for the version. */
const DETOUR = 'if (source.echo !== undefined && context.server.allowsEcho) {';

/** Mistakes about how old a cache is. Each is one line of the judgement, changed to what it once was or nearly was. */
export const FRESHNESS_BUGS: readonly Bug[] = [
  // — what counts as evidence —
  bug(
    'a bookmark shows that the server is current',
    'replica-cut-off',
    'freshness/evidence.ts',
    'isBookmark ? this.#dateOf(version, now) : now',
    'now',
  ),
  bug(
    'an answer counts although the stream has not reached it',
    'replica-behind',
    'freshness/reported-versions.ts',
    'this.#reported.findLast((reported) => hasReachedVersion(version, reported.version))',
    'this.#reported.at(-1)',
  ),
  bug(
    'a short watch without events is a witness, wherever it ended',
    'replica-behind',
    'reflector/witness.ts',
    'if (!isOlder(found.reached, asked.version)) return current;',
    "if (asked.version !== '') return current;",
  ),
  bug(
    'rounds of polling count wherever they end',
    'replica-behind',
    'reflector/polling.ts',
    "if (!sendsBookmarks) return 'counts';",
    "if (periodMs > 0) return 'counts';",
  ),
  bug(
    'a witness is not asked for',
    'silent-at-once',
    'freshness/stream-doubt.ts',
    'if (streamSilentInMs(stream) <= EARLY_MS || stream.needsAnswer || stream.isBookmarkBehind)',
    'if (stream.needsAnswer)',
  ),
  bug(
    'versions with order are compared with one from a time without',
    'absurd-version',
    'reflector/versions.ts',
    "if (!this.#ordered) this.#high = '';",
    '',
  ),
  bug(
    'an echo is taken for evidence of the stream',
    'silent-at-once',
    'freshness/stream-doubt.ts',
    "if (kind === 'current') return 'proved';",
    "if (kind === 'current' || kind === 'moved') return 'proved';",
  ),
  bug(
    'silence counts from the first bookmark on',
    'silent-at-once',
    'reflector/stream-check.ts',
    'unprovenMs,\n      sinceBookmarkMs',
    'unprovenMs: bookmarkAt === undefined ? 0 : unprovenMs,\n      sinceBookmarkMs',
  ),
  bug(
    'bytes of an unfinished event are ignored',
    'relay-tail',
    'reflector/stream-check.ts',
    'if (progress?.unfinished !== true) return undefined;',
    'if (accepted >= 0) return undefined;',
  ),
  // — what follows —
  bug(
    'watches that withhold events are opened again for ever',
    'watch-held',
    'reflector/decide.ts',
    "return again ? is('poll', after) : reopen(after);",
    'return reopen(again ? streak : after);',
  ),
  bug(
    'a way of watches that never answers is taken for a server that is cut off',
    'watch-no-answer',
    'reflector/witness.ts',
    DETOUR,
    'if (env === undefined) {',
  ),
  bug(
    'a way that buffers is opened again',
    'relay-body',
    'reflector/decide.ts',
    "if (hasCode(error, 'WATCH_BUFFERED')) return is('poll');",
    "if (hasCode(error, 'WATCH_BUFFERED')) return reopen();",
  ),
  bug(
    'watches that always fail are tried for ever',
    'watch-5xx',
    'reflector/decide.ts',
    'watch.listsWork === true && now - failingSince >= MAX_FAILING_MS',
    'false',
  ),
  bug(
    'the time for which watches failed is cleared by a list beside them',
    'watch-5xx',
    'reflector/decide.ts',
    'const failingSince = streak.failingSince ?? (watch.opened === false ? now - livedMs : now);',
    'const failingSince = watch.listsWork === true ? now : (streak.failingSince ?? now);',
  ),
  bug(
    'a silent watch whose history is over is taken for a healthy one',
    'watch-held-briefly',
    'reflector/witness.ts',
    'context.server.sendsBookmarks ? forgottenWitnessError() : (found.error as KubeError)',
    'found.error',
  ),
  {
    name: 'a response that never begins is waited for',
    scenario: 'watch-no-headers',
    seeds: 40,
    changes: [
      // Without the second change it would be found out two minutes later.
      change('freshness/stream-doubt.ts', "if (isSecond && isOpened === false) return 'leave-unopened';", ''),
      change('reflector/witness.ts', DETOUR, 'if (env === undefined) {'),
    ],
  },
  bug(
    'a connection that was cut while idle is not opened at once',
    'idle-cut-rst',
    'reflector/decide.ts',
    '(heard || livedMs >= MIN_HEALTHY_MS)',
    'heard',
  ),
  bug(
    'every failure is reported',
    'watch-5xx',
    'reflector/failure-reporter.ts',
    'if (now < series.dueAt) {',
    'if (now < 0) {',
  ),
  {
    name: 'a failure is never reported',
    scenario: 'watch-tls',
    seeds: 5,
    changes: [
      change('reflector/failure-reporter.ts', 'this.#report({ error, reason, leftOut });', ''),
      change(
        'state-listeners.ts',
        'if (this.#callbacks.has(callback)) callback(now, before);',
        'void [callback, before];',
      ),
    ],
  },
  {
    name: 'a streamed list that is held back is waited for',
    scenario: 'relay-headers',
    seeds: 40,
    changes: [
      change(
        'list-watch/marker-deadline.ts',
        'const at = this.#lastAt + this.#timeoutMs;',
        'const at = this.#lastAt + 1e9 * this.#timeoutMs;',
      ),
      change(
        'reflector/watch-list.ts',
        "if (hasCode(verdict.error, 'WATCH_BUFFERED')) session.interrupt(verdict.error);",
        '',
      ),
    ],
  },
  // — answers that cannot be used —
  bug(
    'one object that cannot be decoded refuses its list',
    'undecodable-object',
    'reflector/reflector.ts',
    'if (this.#sink.keepsUnreadable !== true) throw cause;',
    'throw cause;',
  ),
  bug(
    'the new state of an object that cannot be decoded is skipped, and nothing names it',
    'undecodable-object',
    'reflector/read-watch.ts',
    "type === 'DELETED' || sink.keepsUnreadable === true ? undefined : unreadableCause(object)",
    "type === 'DELETED' ? undefined : unreadableCause(object)",
  ),
  bug(
    'one list that is older than its items takes order away for good',
    'list-older-than-items',
    'reflector/versions.ts',
    'if (this.#consistentLists >= MIN_CONSISTENT_LISTS) this.#trust();',
    '',
  ),
  bug(
    'one item whose version is a number refuses its list',
    'numeric-version',
    'list-watch/item-reader.ts',
    "return unreadableObject(known, new KubeError('LIST_INVALID', `the object cannot be used: ${what}`)) as T;",
    "throw new KubeError('LIST_INVALID', what);",
  ),
  bug(
    'an item whose version is a number is skipped, and nothing names it',
    'numeric-version',
    'list-watch/item-reader.ts',
    "return unreadableObject(known, new KubeError('LIST_INVALID', `the object cannot be used: ${what}`)) as T;",
    'return undefined;',
  ),
  bug(
    'a list that is too large is asked for again unchanged',
    'too-large-list',
    'reflector/plain-list.ts',
    'if (signal.aborted || !isTooLargeStatus(error) || !pages.shrink(pageSize)) throw error;',
    "if (error !== '') throw error;",
  ),
  bug(
    'a list that trickles is waited for',
    'trickling-list',
    '../client/request/minimum-pace.ts',
    'if (this.#bytes < MIN_BYTES_PER_WINDOW) {',
    'if (this.#bytes < 0) {',
  ),
  // — epochs —
  bug(
    'objects that come back from the dead are taken for new ones',
    'restore-raised',
    'apply/process.ts',
    'cached === undefined && !isConsistent && this.#deleted.has(key, object)',
    'false',
  ),
  // — time and backlog —
  bug(
    'the newest unapplied change counts, not the oldest',
    'block-hangs',
    'freshness/evidence.ts',
    'const oldest = this.#marks[0]?.at;',
    'const oldest = this.#marks.at(-1)?.at;',
  ),
  bug(
    'a backlog makes nothing stale',
    'block-hangs',
    'freshness/freshness.ts',
    'now - backlogSince <= MAX_BACKLOG_MS) return undefined;',
    'now >= 0) return undefined;',
  ),
  bug(
    'a suspend is not noticed',
    'suspend',
    '../core/elapsed-clock.ts',
    'if (other > step + MIN_LEAD_MS) this.#leadMs += other - step;',
    '',
  ),
  bug(
    'ages are read from the wall clock',
    'wall-clock',
    '../core/elapsed-clock.ts',
    'this.#boot = boot;',
    'this.#boot = boot;\n    this.#leadMs = wall - monotonic;',
  ),
];

function bug(name: string, scenario: string, file: string, find: string, replace: string): Bug {
  return { name, scenario, changes: [change(file, find, replace)], seeds: 40 };
}
