import { defined } from 'kube-informer/core';
import {
  anyObjectCheck,
  type Check,
  flagCheck,
  listShapeCheck,
  notNegativeCheck,
  numberCheck,
  positiveCheck,
  shapeCheck,
  checkShape,
  shapeCheckThat,
} from '../core/shape-check.ts';
import type { Door } from '../http/listener/listen.ts';
import { type FaultRequest, type Faults, noFaults, type Verdict } from '../http/seams.ts';
import { RequestSeams } from './actions/request-seams.ts';
import { type FaultHost, ROTATE, type RotateOptions } from './fault-host.ts';
import { oldServerRules, type OldServer } from './old-servers.ts';
import { checkRule } from './rules/check-fault-rule.ts';
import { type ActiveRule, RuleBook } from './rules/rule-book.ts';
import type { CutKind, FaultHandle, FaultMatch, FaultRule, FiredFault, StatusAnswer } from './rules/rule.ts';
import { runScenario, type ScenarioHandle, type ScenarioName, type ScenarioOptions } from './scenarios.ts';

/** A set of rules that are removed together. */
export interface Undo {
  remove(): void;
}

export interface TooManyRequests {
  /** @default 1 */
  readonly times?: number;
  /** Retry-After header of the response. Undefined for none. */
  readonly retryAfterSeconds?: number;
  /** A line of text instead of a Status, as from a server that is overloaded before it has authenticated the request. @default false */
  readonly plain?: boolean;
  readonly match?: FaultMatch;
}

export interface FailRequests {
  readonly status: number | StatusAnswer;
  /** @default 1 */
  readonly times?: number;
  /** A page like those of load balancers. @default false */
  readonly html?: boolean;
  readonly match?: FaultMatch;
}

/** Accepts options that become part of a rule, which checks them. */
const anything = shapeCheckThat('anything', () => true);
const TOO_MANY_REQUESTS = shapeCheck({
  times: anything,
  retryAfterSeconds: anything,
  plain: flagCheck,
  match: anyObjectCheck,
} satisfies Record<keyof TooManyRequests, Check>);
const FAIL_REQUESTS = shapeCheck(
  { status: anything, times: anything, html: flagCheck, match: anyObjectCheck } satisfies Record<
    keyof FailRequests,
    Check
  >,
  ['status'],
);

const ALWAYS = Infinity;
const WATCHES: FaultMatch = { verb: 'watch' };

/**
 * Everything that can go wrong with a server, on request.
 *
 *     server.faults.add({ match: { verb: 'watch', resource: 'pods' }, at: { event: 3, offset: 'mid-utf8' }, do: { cut: 'rst' } });
 *     server.faults.cutWatches();
 *     server.faults.expireHistory();
 *
 * - A rule applies to new requests and to open watches. Without rules, requests are not checked.
 * - Each applied fault is in `fired` and, with its request, in `server.requests`.
 * - Time and chance are the server's `env`: the same env and the same requests give the same faults.
 * - A fault that no real server produces needs `illegal: true`.
 */
export class FaultMenu {
  readonly #host: FaultHost;
  readonly #book: RuleBook;
  readonly #rules: RequestSeams;
  #own: Faults = noFaults;
  #seams: Faults = noFaults;
  readonly #paused = new Set<FaultHandle>();
  /** Changes of the listener that have not been undone; the last one counts. */
  #listenerStates: readonly { readonly listenerState: Door }[] = [];
  #hasExpiredCertificate = false;
  /** Running scenarios, which may still add rules. */
  readonly #scenarios = new Set<Undo>();
  readonly #sequences = new Set<FaultHandle & { readonly current: FaultHandle }>();

  constructor(host: FaultHost) {
    this.#host = host;
    this.#book = new RuleBook(host.env, () => this.#rearrange());
    this.#rules = new RequestSeams(host.env, this.#book, host.windowStart);
  }

  /** The seams that the server calls. */
  get seams(): Faults {
    return this.#seams;
  }

  /** Faults that fired, oldest first. */
  get fired(): readonly FiredFault[] {
    return this.#book.history;
  }

  /** The active rules. */
  get rules(): readonly ActiveRule[] {
    return this.#book.all();
  }

  /**
   * Runs your own code at the seams, before the rules; for faults that no rule can express. Without an
   * argument, removes it.
   */
  use(seams: Faults = noFaults): void {
    this.#own = seams;
    this.#rearrange();
  }

  add(rule: FaultRule, random?: () => number): FaultHandle {
    const active = this.#book.add(rule, random);
    for (const { watcher, request } of this.#host.watches.open())
      this.#rules.attach(active, request, (through) => watcher.divert(through));
    return active;
  }

  /** One rule after the other: each waits until the one before it has applied `times` times. */
  sequence(rules: readonly FaultRule[]): FaultHandle {
    checkShape(listShapeCheck(anyObjectCheck, { min: 1 }), rules, 'rules', 'sequence');
    // All are checked now, because later no caller would get the error.
    const [first, ...rest] = rules.map(checkRule) as [FaultRule, ...FaultRule[]];
    let current = this.add(first);
    let count = 0;
    let isRemoved = false;
    const { id, hit } = current;
    const run = async (): Promise<void> => {
      for (const rule of rest) {
        await current.done;
        if (isRemoved) break;
        count += current.count;
        current = this.add(rule);
      }
      await current.done;
      this.#sequences.delete(sequence);
    };
    const sequence = {
      id,
      hit,
      done: Promise.resolve(),
      get current() {
        return current;
      },
      get count() {
        return count + current.count;
      },
      remove: (): void => {
        isRemoved = true;
        current.remove();
      },
    };
    this.#sequences.add(sequence);
    sequence.done = run();
    return sequence;
  }

  /** The rule of an id that can still apply, or the sequence that contains it. */
  find(id: number): FaultHandle | undefined {
    for (const sequence of this.#sequences) if (sequence.id === id || sequence.current.id === id) return sequence;
    return this.#book.get(id);
  }

  /**
   * Removes all rules, accepts connections, resets the clock, replaces an expired certificate. Expired tokens, history
   * and CAs are not restored.
   */
  clear(): void {
    for (const scenario of [...this.#scenarios, ...this.#sequences]) scenario.remove();
    this.#scenarios.clear();
    this.#sequences.clear();
    for (const rule of this.#book.all()) rule.remove();
    this.#paused.clear();
    this.#listenerStates = [];
    this.#restoreListenerState();
    if (this.#hasExpiredCertificate) this.rotateCertificates();
    this.#host.skew(0);
    this.use();
  }

  /** Cuts the open watches; returns their number. */
  cutWatches(match: FaultMatch = {}, how: CutKind = 'rst'): number {
    return this.#now(match, { cut: how });
  }

  /** Sends nothing more to open watches and keeps their connections open, like a dead peer. Returns their number. */
  silence(match: FaultMatch = {}, options: { readonly deaf?: boolean } = {}): number {
    checkShape(shapeCheck({ deaf: flagCheck }), options, '', 'silence');
    const { deaf = false } = options;
    return this.#now(match, { silence: deaf ? 'deaf' : true });
  }

  /** Drops the history: watches and lists of older versions get 410. */
  expireHistory(revision?: number): void {
    this.#host.store.compact(revision);
  }

  /** Holds back the events of matching watches until `resumeEvents`. Further calls add to earlier ones. */
  pauseEvents(match: FaultMatch = {}): void {
    this.#paused.add(this.add({ match: { ...match, ...WATCHES }, do: { hold: true }, times: ALWAYS }));
  }

  /** Delivers the events that were held back, in order, on all watches. */
  resumeEvents(): void {
    for (const paused of this.#paused) paused.remove();
    this.#paused.clear();
  }

  tooManyRequests(options: TooManyRequests = {}): FaultHandle {
    checkShape(TOO_MANY_REQUESTS, options, '', 'tooManyRequests');
    const { times = 1, retryAfterSeconds, plain = false, match = {} } = options;
    const retry = defined({ retryAfterSeconds });
    return this.add({ match, times, do: { status: { code: 429, form: plain ? 'plain' : 'status', ...retry } } });
  }

  failRequests(options: FailRequests): FaultHandle {
    checkShape(FAIL_REQUESTS, options, '', 'failRequests');
    const { status, times = 1, html = false, match = {} } = options;
    const spec = typeof status === 'number' ? { code: status } : status;
    return this.add({ match, times, do: { status: html ? { ...spec, form: 'html' } : spec } });
  }

  /** Makes the next updates of a resource fail with a 409 conflict. */
  conflicts(options: { readonly times?: number; readonly match?: FaultMatch } = {}): FaultHandle {
    checkShape(shapeCheck({ times: anything, match: anyObjectCheck }), options, '', 'conflicts');
    const { times = 1, match = {} } = options;
    return this.add({ match: { verb: ['update', 'patch'], ...match }, times, do: { status: 409 } });
  }

  slowLists(ms: number, jitterMs = 0): FaultHandle {
    checkShape(notNegativeCheck, ms, 'ms', 'slowLists');
    return this.add({ match: { verb: 'list' }, times: ALWAYS, do: { delay: { ms, jitterMs } } });
  }

  /** Refuses streaming lists, as servers before 1.34 do by default. */
  withoutWatchList(): Undo {
    return this.emulate('1.33');
  }

  /** Stops sending bookmarks to watches, except the one that ends the initial events. */
  withoutBookmarks(): FaultHandle {
    return this.add({ match: WATCHES, times: ALWAYS, do: { drop: 'bookmarks' } });
  }

  /** Stops sending the bookmark that ends a streaming list. */
  withoutEndBookmark(): FaultHandle {
    return this.add({ match: WATCHES, times: ALWAYS, do: { drop: 'end-bookmark' } });
  }

  /** Behaves like another server, as far as informers can tell. */
  emulate(server: OldServer): Undo {
    const handles = oldServerRules(server).map((rule) => this.add(rule));
    return { remove: () => handles.forEach((handle) => handle.remove()) };
  }

  /** Responds to reads with 429 for a while, like a server that has just started and fills its caches. */
  initializing(forMs: number, match: FaultMatch = {}): FaultHandle {
    checkShape(positiveCheck, forMs, 'forMs', 'initializing');
    const status = { code: 429, message: 'storage is (re)initializing', retryAfterSeconds: 1 };
    return this.add({ match: { verb: ['list', 'watch'], ...match }, times: ALWAYS, forMs, do: { status } });
  }

  /** Closes the port: new connections are refused. */
  refuseConnections(): Promise<Undo> {
    return this.#setListenerState('refused');
  }

  /** Accepts new connections without any handshake or response. */
  stallConnections(): Promise<Undo> {
    return this.#setListenerState('stalled');
  }

  /** Tells every HTTP/2 client to open another connection (GOAWAY). */
  sayGoodbye(): void {
    this.#host.sayGoodbye();
  }

  /**
   * Refuses the administrator's token from now on. Returns the new one, which is also `server.token`. Watches
   * continue.
   */
  expireToken(options: { readonly cutWatches?: boolean } = {}): string {
    checkShape(shapeCheck({ cutWatches: flagCheck }), options, '', 'expireToken');
    const { cutWatches = false } = options;
    const token = this.#host.expireToken();
    if (cutWatches) this.cutWatches();
    return token;
  }

  /** Uses another certificate for new handshakes; open connections stay. */
  rotateCertificates(options: RotateOptions = {}): void {
    checkShape(ROTATE, options, '', 'rotateCertificates');
    this.#hasExpiredCertificate = options.expired === true;
    this.#host.rotateCertificates(options);
  }

  /** Moves the time that objects and headers show, and nothing else. 0 resets it. */
  clockSkew(ms: number): void {
    checkShape(numberCheck, ms, 'ms', 'clockSkew');
    this.#host.skew(ms);
  }

  /** Starts a ready-made set of faults. */
  scenario(name: ScenarioName, options: ScenarioOptions = {}): ScenarioHandle {
    const handle = runScenario(this, this.#host, name, options);
    this.#scenarios.add(handle);
    // `done` rejects on a failure; it is logged too, because not every caller awaits `done`.
    const failed = (error: unknown): void => this.#host.env.log('error', 'a scenario failed', { name, error });
    void handle.done.catch(failed).then(() => this.#scenarios.delete(handle));
    return handle;
  }

  /** Applies an action only to the watches that are open now. */
  #now(match: FaultMatch, action: FaultRule['do']): number {
    const handle = this.add({ match: { ...match, ...WATCHES }, times: ALWAYS, do: action });
    const { count } = handle;
    handle.remove();
    return count;
  }

  async #setListenerState(listenerState: 'refused' | 'stalled'): Promise<Undo> {
    const own = { listenerState };
    this.#listenerStates = [...this.#listenerStates, own];
    await this.#host.setDoor(listenerState);
    return {
      remove: () => {
        if (!this.#listenerStates.includes(own)) return;
        this.#listenerStates = this.#listenerStates.filter((one) => one !== own);
        this.#restoreListenerState();
      },
    };
  }

  /** Sets the listener to the last change that was not undone. */
  #restoreListenerState(): void {
    const listenerState = this.#listenerStates.at(-1)?.listenerState ?? 'open';
    const failed = (error: unknown): void =>
      this.#host.env.log('error', 'cannot change how the listener accepts connections', { listenerState, error });
    this.#host.setDoor(listenerState).catch(failed);
  }

  #rearrange(): void {
    this.#seams =
      this.#book.size === 0 ? this.#own : this.#own === noFaults ? this.#rules : chainMenuSeams(this.#own, this.#rules);
    this.#host.seamsChanged(this.#seams);
  }
}

/** Chains two sets of seams: the first acts before the second. */
function chainMenuSeams(first: Faults, second: Faults): Faults {
  const chain =
    (one: ((request: FaultRequest, status: number) => Promise<Verdict>) | undefined, two: typeof one) =>
    async (request: FaultRequest, status = 0): Promise<Verdict> =>
      (await one?.(request, status)) === 'answered' ? 'answered' : ((await two?.(request, status)) ?? 'continue');
  return {
    beforeRouting: chain(first.beforeRouting, second.beforeRouting),
    beforeHead: chain(first.beforeHead, second.beforeHead),
    watchSink: (request, sink) => {
      const through = first.watchSink?.(request, sink) ?? sink;
      return second.watchSink?.(request, through) ?? through;
    },
    transaction: (write) => {
      first.transaction?.(write);
      second.transaction?.(write);
    },
  };
}
