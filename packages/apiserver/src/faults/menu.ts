import type { FaultHost, RotateOptions } from './host.ts';
import { oldServer, type OldServer } from './old-servers.ts';
import { RequestSeams } from './request-seams.ts';
import type { CutKind, FaultHandle, FaultMatch, FaultRule, FiredFault, StatusAnswer } from './rule.ts';
import { type ActiveRule, RuleBook } from './rule-book.ts';
import { runScenario, type ScenarioHandle, type ScenarioName, type ScenarioOptions } from './scenarios.ts';
import { type FaultRequest, type Faults, noFaults, type Verdict } from './seams.ts';

/** Many rules, undone together. */
export interface Undo {
  remove(): void;
}

export interface TooManyRequests {
  /** @default 1 */
  readonly times?: number;
  /** Undefined: the client is told nothing about when to come back. */
  readonly retryAfterSeconds?: number;
  /** A line of text instead of a Status, as servers answer that are overloaded before they know who asks. @default false */
  readonly plain?: boolean;
  readonly match?: FaultMatch;
}

export interface FailRequests {
  readonly status: number | StatusAnswer;
  /** @default 1 */
  readonly times?: number;
  /** A page as load balancers have them. @default false */
  readonly html?: boolean;
  readonly match?: FaultMatch;
}

const ALWAYS = Infinity;
const WATCHES: FaultMatch = { verb: 'watch' };

/**
 * Everything that can go wrong with a server, on request.
 *
 *     server.faults.add({ match: { verb: 'watch', resource: 'pods' }, at: { event: 3, offset: 'mid-utf8' }, do: { cut: 'rst' } });
 *     server.faults.cutWatches();
 *     server.faults.expireHistory();
 *
 * - A rule strikes requests that come, and watches that are open. While there is no rule, no request is looked at.
 * - What struck is in `fired` and, with the request it struck, in `server.requests`.
 * - Time and chance are the server's `env`: the same env and the same requests give the same faults.
 * - What a real server can never show has to be asked for with `illegal: true`.
 */
export class FaultMenu {
  readonly #host: FaultHost;
  readonly #book: RuleBook;
  readonly #rules: RequestSeams;
  #own: Faults = noFaults;
  #seams: Faults = noFaults;
  #paused: FaultHandle | undefined;
  /** What adds rules by itself as long as nobody ends it. */
  readonly #scenarios = new Set<Undo>();

  constructor(host: FaultHost) {
    this.#host = host;
    this.#book = new RuleBook(host.env, () => this.#rearrange());
    this.#rules = new RequestSeams(host.env, this.#book, host.windowStart);
  }

  /** What the server asks. */
  get seams(): Faults {
    return this.#seams;
  }

  /** What struck, oldest first. */
  get fired(): readonly FiredFault[] {
    return this.#book.history;
  }

  /** The rules at work. */
  get rules(): readonly ActiveRule[] {
    return this.#book.all();
  }

  /** Your own code at the seams, before the rules; for what no rule can say. Without an argument: none. */
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

  /** One rule after the other: each waits until the one before it has struck as often as it should. */
  sequence(rules: readonly FaultRule[]): FaultHandle {
    const [first, ...rest] = rules;
    if (first === undefined) return this.sequence([{ do: { status: 500 }, probability: 0 }]);
    let current = this.add(first);
    let count = 0;
    let isRemoved = false;
    const { id, hit } = current;
    const remove = (): void => {
      isRemoved = true;
      current.remove();
    };
    const running = { remove };
    this.#scenarios.add(running);
    const run = async (): Promise<void> => {
      for (const rule of rest) {
        await current.done;
        if (isRemoved) return;
        count += current.count;
        current = this.add(rule);
      }
      await current.done;
      this.#scenarios.delete(running);
    };
    return {
      id,
      hit,
      done: run(),
      get count() {
        return count + current.count;
      },
      remove,
    };
  }

  /** Everything is well again, as far as rules go. What is lost stays lost. */
  clear(): void {
    for (const scenario of this.#scenarios) scenario.remove();
    this.#scenarios.clear();
    for (const rule of this.#book.all()) rule.remove();
    this.#paused = undefined;
    this.use();
  }

  /** Cuts the watches that are open; returns how many. */
  cutWatches(match: FaultMatch = {}, how: CutKind = 'rst'): number {
    return this.#now(match, { cut: how });
  }

  /** Open watches hear nothing more, and their connections stay: a peer that is dead. Returns how many. */
  silence(match: FaultMatch = {}, { deaf = false }: { readonly deaf?: boolean } = {}): number {
    return this.#now(match, { silence: deaf ? 'deaf' : true });
  }

  /** Forgets the past: watches and lists of older versions are answered with 410. */
  expireHistory(revision?: number): void {
    this.#host.store.compact(revision);
  }

  /** No event reaches any watch until `resumeEvents`. */
  pauseEvents(match: FaultMatch = {}): void {
    this.#paused ??= this.add({ match: { ...match, ...WATCHES }, do: { hold: true }, times: ALWAYS });
  }

  /** What was held back is delivered, in order. */
  resumeEvents(): void {
    this.#paused?.remove();
    this.#paused = undefined;
  }

  tooManyRequests({ times = 1, retryAfterSeconds, plain = false, match = {} }: TooManyRequests = {}): FaultHandle {
    const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return this.add({ match, times, do: { status: { code: 429, form: plain ? 'plain' : 'status', ...retry } } });
  }

  failRequests({ status, times = 1, html = false, match = {} }: FailRequests): FaultHandle {
    const spec = typeof status === 'number' ? { code: status } : status;
    return this.add({ match, times, do: { status: html ? { ...spec, form: 'html' } : spec } });
  }

  /** The next updates of something find that somebody else was faster. */
  conflicts({ times = 1, match = {} }: { readonly times?: number; readonly match?: FaultMatch } = {}): FaultHandle {
    return this.add({ match: { verb: ['update', 'patch'], ...match }, times, do: { status: 409 } });
  }

  slowLists(ms: number, jitterMs = 0): FaultHandle {
    return this.add({ match: { verb: 'list' }, times: ALWAYS, do: { delay: { ms, jitterMs } } });
  }

  /** Refuses streaming lists, as servers before 1.34 do unless told otherwise. */
  withoutWatchList(): Undo {
    return this.emulate('1.33');
  }

  /** Watches get no bookmarks, except the one that ends the initial events. */
  withoutBookmarks(): FaultHandle {
    return this.add({ match: WATCHES, times: ALWAYS, do: { drop: 'bookmarks' } });
  }

  /** Streaming lists never say that they are complete. */
  withoutEndBookmark(): FaultHandle {
    return this.add({ match: WATCHES, times: ALWAYS, do: { drop: 'end-bookmark' } });
  }

  /** Behaves like another server, as far as clients of informers can tell. */
  emulate(server: OldServer): Undo {
    const handles = oldServer(server).map((rule) => this.add(rule));
    return { remove: () => handles.forEach((handle) => handle.remove()) };
  }

  /** The caches of a server that has just started: 429 for reads, for a while. */
  initializing(forMs: number, match: FaultMatch = {}): FaultHandle {
    const status = { code: 429, message: 'storage is (re)initializing', retryAfterSeconds: 1 };
    return this.add({ match: { verb: ['list', 'watch'], ...match }, times: ALWAYS, forMs, do: { status } });
  }

  /** Nobody listens: new connections are refused. */
  refuseConnections(): Promise<Undo> {
    return this.#door('refused');
  }

  /** New connections are taken, and then nothing happens: no handshake, no answer. */
  stallConnections(): Promise<Undo> {
    return this.#door('stalled');
  }

  /** Tells every client of HTTP/2 to come back with another connection. */
  sayGoodbye(): void {
    this.#host.sayGoodbye();
  }

  /** The administrator's token is refused from now on; the next one is returned, and `server.token`. Watches go on. */
  expireToken({ cutWatches = false }: { readonly cutWatches?: boolean } = {}): string {
    const token = this.#host.expireToken();
    if (cutWatches) this.cutWatches();
    return token;
  }

  /** New handshakes get another certificate; connections that are open stay. */
  rotateCertificates(options: RotateOptions = {}): void {
    this.#host.rotateCertificates(options);
  }

  /** Moves the time that objects and headers show, and nothing else. 0: as it was. */
  clockSkew(ms: number): void {
    this.#host.skew(ms);
  }

  /** A bad day, ready made. */
  scenario(name: ScenarioName, options: ScenarioOptions = {}): ScenarioHandle {
    const handle = runScenario(this, this.#host, name, options);
    this.#scenarios.add(handle);
    void handle.done.then(() => this.#scenarios.delete(handle));
    return handle;
  }

  /** On the watches that are open at this moment, and on no other. */
  #now(match: FaultMatch, action: FaultRule['do']): number {
    const handle = this.add({ match: { ...match, ...WATCHES }, times: ALWAYS, do: action });
    const { count } = handle;
    handle.remove();
    return count;
  }

  async #door(door: 'refused' | 'stalled'): Promise<Undo> {
    await this.#host.setDoor(door);
    return { remove: () => void this.#host.setDoor('open') };
  }

  #rearrange(): void {
    this.#seams =
      this.#book.size === 0 ? this.#own : this.#own === noFaults ? this.#rules : both(this.#own, this.#rules);
    this.#host.seamsChanged(this.#seams);
  }
}

/** One after the other at every seam. */
function both(first: Faults, second: Faults): Faults {
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
