import type { RunOptions } from '../run/run.ts';
import type { Setup } from '../world/setup.ts';

/** One possible mistake, as a change to the engine's source. */
export interface Bug {
  readonly name: string;
  readonly changes: readonly Change[];
  /** Maximum seeds to find it. @default 100 */
  readonly seeds?: number;
  /** The setup in which it shows, if that is rare. */
  readonly habitat?: Partial<Setup>;
  /** The faults that bring it out, if they are rare. */
  readonly faults?: RunOptions['faults'];
  /** The scenario in which it shows. */
  readonly scenario?: string;
}

export interface Change {
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** Accepts every response to a list. */
const CREDULOUS = change(
  'reflector/plain-list.ts',
  "if (versions.isStale(result.resourceVersion) && asked.resourceVersion !== '') {",
  'if (false) {',
);

/** Breaks monotonicity itself: the first bug that a simulation must find. */
export const CANARY: Bug = {
  name: 'older states are applied',
  changes: [
    change('reflector/versions.ts', 'return this.#ordered && isOlder(version, this.#high);', 'return false;'),
    change('apply/compare-states.ts', "return 'older';", "return 'changed';"),
  ],
  seeds: 40,
};

/** The zoo: mistakes that this project or a similar one has made, or nearly made. */
export const BUGS: readonly Bug[] = [
  // — the place in history —
  {
    ...bug('the place to resume moves before the event is stored', 'reflector/read-watch.ts', [
      'giveWatchToSink(context, event);',
      'versions.advance(event.resourceVersion); giveWatchToSink(context, event);',
    ]),
    // Only an event that cannot be stored shows it.
    faults: { undecodable: 0.6 },
  },
  bug('a broken watch resumes where the list ended', 'reflector/versions.ts', [
    'this.#last = version;\n    this.#high = version;',
    'this.#high = version;',
  ]),
  bug('events older than what was seen are handed on', 'reflector/read-watch.ts', [
    'if (ordered && versions.isStale(event.resourceVersion)) {',
    'if (false) {',
  ]),
  {
    name: 'a relist takes any cached state',
    changes: [
      change(
        'reflector/versions.ts',
        "? { resourceVersion: high, resourceVersionMatch: 'NotOlderThan' }",
        "? { resourceVersion: '0' }",
      ),
      CREDULOUS,
    ],
    habitat: { watchList: false },
  },
  {
    name: 'an older list brings objects back to life',
    changes: [
      CREDULOUS,
      change(
        'reflector/reflector.ts',
        '(await context.isForeign(signal)) || versions.isStale(resourceVersion)',
        '(await context.isForeign(signal))',
      ),
    ],
  },
  bug(
    'pages of two moments are mixed',
    'list-watch/pager.ts',
    ['items: [...whole.items]', 'items: [...items, ...whole.items]'],
    {
      pageSize: 3,
      watchList: false,
      writeEveryMs: 1_000,
    },
  ),
  // — the streamed list —
  bug('what a broken streaming list brought is kept for the next one', 'reflector/watch-list.ts', [
    'const collected = new Map<Key, T>();',
    'const collected: Map<Key, T> = ((context as unknown as { kept?: Map<Key, T> }).kept ??= new Map<Key, T>());',
  ]),
  bug('any value of the marker annotation ends the initial state', 'list-watch/event-reader.ts', [
    "=== 'true';",
    '!== undefined;',
  ]),
  {
    ...bug(
      'the check of a streamed list waits for a version that will never come',
      'verify/consistency.ts',
      ['if (isTooLargeResourceVersion(error))', 'if (false)'],
      { watchList: true, verifyWatchList: true },
      400,
    ),
    faults: { restore: 1, 'gone-event': 0.5, 'slow-answer': 0.5 },
  },
  // — the cache —
  bug('objects missing from a list are not announced deleted', 'apply/process.ts', [
    'deletes.push(events.delete(key, cached, true));',
    '',
  ]),
  bug('unchanged objects of a relist are announced again', 'apply/compare-states.ts', [
    "return 'same';",
    "return 'changed';",
  ]),
  bug('a delete leaves its key in the indexes', '../store/indexer.ts', [
    'for (const table of tables.values()) table.delete(key);',
    '',
  ]),
  bug('the grouping queue invents no deletes', 'queue/delta-fifo.ts', [
    'if (!listed.has(key) && !this.#items.has(key)) missing(key, knownObject(known, key));',
    '',
  ]),
  bug(
    'the delete of a poisoned key is not for the grouping queue',
    'apply/feed.ts',
    ['indexer.has(key) || process.poisoned.has(key)', 'indexer.has(key)'],
    { queue: 'delta', bad: 0.2 },
  ),
  // — epochs —
  bug('an opened watch is not checked', 'freshness/stream-doubt.ts', [
    "if (stream.isUnconfirmed && openForMs + EARLY_MS >= OPENING_MS) return 'opening';",
    '',
  ]),
  bug(
    'short watches about which nothing is known go on for ever',
    'reflector/decide.ts',
    ["return unseen >= MAX_BARREN ? is('relist', NO_STREAK) : reopen(after);", 'return reopen(after);'],
    { watchLifeMs: 2_000 },
  ),
  bug('a new epoch must still be newer', 'apply/compare-states.ts', [
    'order < 0 && !acrossEpochs && comparable',
    'order < 0 && comparable',
  ]),
  bug(
    'a poisoned key keeps its old epoch',
    'apply/process.ts',
    ['newEpoch || this.#poisoned.isOutlived(key)', 'newEpoch'],
    {
      bad: 0.3,
    },
  ),
  // — waiting —
  bug('backoff is a millisecond', 'reflector/waits.ts', [
    'this.sleepUntil(this.#env.now() + ms, signal)',
    'this.sleepUntil(this.#env.now() + 1, signal)',
  ]),
  bug('a short watch is reopened at once', 'reflector/decide.ts', [
    'if (!heard && livedMs < SHORT_WATCH_MS) return barren();',
    "if (!heard && livedMs < SHORT_WATCH_MS) return { next: { do: 'reopen', pauseMs: 0 }, streak };",
  ]),
  bug('Retry-After is not read', 'reflector/waits.ts', ['.next(), retryAfterOf(error) ?? 0)', '.next(), 0)']),
  // — handlers —
  bug('merging drops a delete', 'handlers/merged-event.ts', [
    "if (after.type === 'delete') return after;",
    "if (after.type === 'delete') return 'neither';",
  ]),
  bug('merging announces the delete of something never added', 'handlers/merged-event.ts', [
    "if (after.type === 'delete') return 'neither';",
    "if (after.type === 'delete') return after;",
  ]),
  bug('merging gives a state in between as the old one', 'handlers/merged-event.ts', [
    '? this.#first.old :',
    '? this.#first.object :',
  ]),
  bug('after a failure one event is lost', 'handlers/processor-listener.ts', [
    'await env.sleep(errorPauseMs, this.#stop.signal);',
    'this.#queue.shift(); await env.sleep(errorPauseMs, this.#stop.signal);',
  ]),
  bug('a handler that fell behind gets nothing again', 'handlers/processor-listener.ts', [
    'const everything = this.#snapshot();\n    this.pushBulk(everything, everything.size);',
    '',
  ]),
  bug('a late handler is not told what is there', 'handlers/processor.ts', [
    'listener.pushBulk(everything, everything.size);',
    '',
  ]),
  bug('a handler that blocks is waited for without end', 'handlers/processor-listener.ts', [
    'this.#queue.held <= this.#options.limit / 2',
    'this.#queue.held < 0',
  ]),
  bug('a slow handler is never merged for', 'handlers/handler-queue.ts', [
    'if (this.#ring.length > this.#limit) this.#startMerging();',
    '',
  ]),
  bug('an event that comes just when the queue is empty wakes no reader', 'handlers/processor-listener.ts', [
    'this.#running = false;',
    'await undefined; this.#running = false;',
  ]),
  // — stopping —
  bug('a wait cannot be ended', 'reflector/waits.ts', [
    'await this.#env.sleep(Math.max(0, leftMs()), signal);',
    'await this.#env.sleep(Math.max(0, leftMs()));',
  ]),
  {
    name: 'a closed watch stays open at the server',
    changes: [
      change('reflector/watch-session.ts', 'this.#abort.abort();', ''),
      change('reflector/watch-session.ts', 'this.#source.close()', 'undefined'),
    ],
  },
];

/** A change of a file of `informer/`, or with `../` of another room. */
export function change(file: string, find: string, replace: string): Change {
  return { file: file.startsWith('../') ? file.slice(3) : `informer/${file}`, find, replace };
}

function bug(
  name: string,
  file: string,
  [find, replace]: [string, string],
  habitat: Partial<Setup> = {},
  seeds = 100,
): Bug {
  return { name, changes: [change(file, find, replace)], habitat, seeds };
}
