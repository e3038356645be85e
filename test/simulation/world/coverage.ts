/** States of the reflector, as its open requests show them. */
export const STATES = ['listing', 'watch-listing', 'watching', 'waiting'] as const;
export type ClientState = (typeof STATES)[number];

/** Everything that can go wrong in the simulated world. */
export const FAULTS = [
  'cut-fin', // the stream ends as if it were complete
  'cut-rst', // the connection breaks
  'stall', // silence without an end
  'short-watch', // 200, and the end at once
  'refused', // no server listens, for minutes
  'throttled', // 429
  'retry-after', // 429 with Retry-After
  'server-error', // 5xx instead of an answer
  'error-event', // 5xx inside a stream
  'undecodable', // a frame that is no event
  'gone-status', // 410 instead of an answer
  'gone-event', // 410 inside a stream
  'gone-continue', // the next page has expired
  'compaction', // history is dropped
  'lag', // a replica stops following the storage
  'too-large', // a replica has not reached the asked version
  'older-list', // a broken replica answers with an older state than asked for
  'older-newest', // and even when asked for the newest
  'listed-twice', // one object twice in one list
  'blind-watch', // a watch from a version the replica has not reached
  'replay', // old events again
  'duplicate', // one event twice
  'lost-event', // one event never (only with an audit)
  'no-marker', // a streamed list without its end
  'late-marker', // changes between the initial state and its end
  'odd-marker', // a bookmark that says it is not the end
  'no-watch-list', // a server that refuses to stream lists
  'slow-answer', // seconds instead of milliseconds
  'restore', // the storage goes back to a backup
  'new-cluster', // another cluster answers under the same address (only with a clusterId)
  'freeze', // the process itself is stopped for a while
] as const;
export type FaultKind = (typeof FAULTS)[number];

const ONLY_STREAMS = 'a list is one answer, not a stream of frames';
const NO_VERSION = 'a question beside a watch asks for no version';
const NOTHING_OPEN = 'no request is open that it could happen to';
const ONLY_LISTS = 'only a plain list has pages';
const ONLY_INITIAL = 'only a streamed initial state has an end marker';

const onStreams: Partial<Record<ClientState, string>> = { listing: ONLY_STREAMS, waiting: NOTHING_OPEN };
const onRequests: Partial<Record<ClientState, string>> = { waiting: NOTHING_OPEN };
const onMarkers: Partial<Record<ClientState, string>> = {
  listing: ONLY_INITIAL,
  watching: ONLY_INITIAL,
  waiting: ONLY_INITIAL,
};

/** Cells of the table that cannot happen, and why. Every other cell must. */
const UNREACHABLE: Readonly<Record<FaultKind, Partial<Record<ClientState, string>>>> = {
  'cut-fin': onStreams,
  'cut-rst': onRequests,
  stall: { ...onStreams, listing: 'the transport ends a request that is never answered; that is cut-rst' },
  'short-watch': onStreams,
  refused: {},
  throttled: onRequests,
  'retry-after': onRequests,
  'server-error': onRequests,
  'error-event': onStreams,
  undecodable: onStreams,
  'gone-status': onRequests,
  'gone-event': onStreams,
  'gone-continue': { 'watch-listing': ONLY_LISTS, watching: ONLY_LISTS, waiting: NOTHING_OPEN },
  compaction: {},
  lag: {},
  'too-large': { ...onRequests, watching: NO_VERSION },
  'older-list': { ...onRequests, watching: NO_VERSION },
  'older-newest': onRequests,
  'listed-twice': { 'watch-listing': 'that is a duplicate', watching: 'a probe asks for one', waiting: NOTHING_OPEN },
  'blind-watch': {
    listing: 'a list at that version is too-large',
    'watch-listing': 'a streamed list at that version is too-large',
    waiting: NOTHING_OPEN,
  },
  replay: { ...onStreams, 'watch-listing': 'the initial state has no order that could be broken' },
  duplicate: onStreams,
  'lost-event': { ...onStreams, 'watch-listing': 'the audit compares what was watched' },
  'no-marker': onMarkers,
  'late-marker': onMarkers,
  'odd-marker': onMarkers,
  'no-watch-list': onMarkers,
  'slow-answer': onRequests,
  restore: {},
  'new-cluster': {},
  freeze: {},
};

/** How often each fault met each state. */
export class Coverage {
  readonly #cells = new Map<FaultKind, Map<ClientState, number>>();

  count(fault: FaultKind, state: ClientState, times = 1): void {
    let row = this.#cells.get(fault);
    if (row === undefined) this.#cells.set(fault, (row = new Map()));
    row.set(state, (row.get(state) ?? 0) + times);
  }

  get(fault: FaultKind, state: ClientState): number {
    return this.#cells.get(fault)?.get(state) ?? 0;
  }

  /** Reachable pairs that never happened. */
  missing(): string[] {
    return this.#pairs((fault, state) => this.get(fault, state) === 0 && UNREACHABLE[fault][state] === undefined);
  }

  /** Pairs declared unreachable that happened. */
  surprises(): string[] {
    return this.#pairs((fault, state) => this.get(fault, state) > 0 && UNREACHABLE[fault][state] !== undefined);
  }

  /** The table, and the reasons for empty cells. */
  toString(): string {
    const lines = [`${'fault'.padEnd(14)}${STATES.map((state) => state.padStart(15)).join('')}`];
    for (const fault of FAULTS) {
      const cell = (state: ClientState): string => {
        const count = this.get(fault, state);
        return (count === 0 && UNREACHABLE[fault][state] !== undefined ? '-' : String(count)).padStart(15);
      };
      lines.push(`${fault.padEnd(14)}${STATES.map(cell).join('')}`);
    }
    const reasons = new Map<string, string[]>();
    for (const fault of FAULTS) {
      for (const [state, reason] of Object.entries(UNREACHABLE[fault])) {
        reasons.set(reason, [...(reasons.get(reason) ?? []), `${fault}/${state}`]);
      }
    }
    lines.push('', '- cannot happen:');
    for (const [reason, pairs] of reasons) lines.push(`  ${reason}: ${pairs.join(', ')}`);
    return lines.join('\n');
  }

  #pairs(wanted: (fault: FaultKind, state: ClientState) => boolean): string[] {
    return FAULTS.flatMap((fault) =>
      STATES.filter((state) => wanted(fault, state)).map((state) => `${fault} while ${state}`),
    );
  }
}
