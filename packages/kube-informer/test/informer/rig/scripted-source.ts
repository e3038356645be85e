import { KubeError } from '../../../src/core/errors.ts';
import type { ListOptions, WatchOptions } from '../../../src/core/object/list-options.ts';
import type { KubeList, KubeObject, ObjectMeta } from '../../../src/core/object/object.ts';
import { isOlder } from '../../../src/core/object/resource-version.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../../src/core/object/watch-event.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { EventPipe } from '../../../src/testing/event-pipe.ts';
import { statusFailure } from '../../../src/testing/fake-source.ts';

// — objects and frames ———————————————————————————————————————————————————

export type Frame = WatchEvent<KubeObject>;

export function pod(name: string, version: number | string, meta: ObjectMeta = {}): KubeObject {
  return { metadata: { namespace: 'web', name, uid: `uid-${name}`, resourceVersion: String(version), ...meta } };
}

export const added = (name: string, version: number): Frame => ({ type: 'ADDED', object: pod(name, version) });
export const modified = (name: string, version: number): Frame => ({ type: 'MODIFIED', object: pod(name, version) });
export const deleted = (name: string, version: number): Frame => ({ type: 'DELETED', object: pod(name, version) });
export const bookmark = (version: number | string, annotations?: Record<string, string>): Frame => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: String(version), ...(annotations === undefined ? {} : { annotations }) } },
});
/** The bookmark that ends the initial events. */
export const marker = (version: number | string, value = 'true'): Frame =>
  bookmark(version, { [INITIAL_EVENTS_END]: value });
export const failure = (code: number, reason: string, message = reason): Frame => ({
  type: 'ERROR',
  object: { kind: 'Status', apiVersion: 'v1', code, reason, message },
});

export const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
export const broken = (): KubeError => new KubeError('TRANSPORT', 'the connection broke');
export const throttled = (retryAfterSeconds?: number): KubeError =>
  statusFailure(
    429,
    'TooManyRequests',
    'slow down',
    retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } },
  );

// — the scripted source ——————————————————————————————————————————————————

type Answer = KubeList<KubeObject> | Promise<KubeList<KubeObject>>;
/** The response to one expected call. */
export type Step =
  | { readonly verb: 'list' | 'probe'; readonly answer: (options: ListOptions, signal: AbortSignal) => Answer }
  | { readonly verb: 'watch'; readonly open: (stream: Stream) => void; readonly throws?: unknown };

export function list(
  items: readonly KubeObject[],
  version: number | string,
  more: KubeList<never>['metadata'] = {},
): Step {
  return { verb: 'list', answer: () => ({ metadata: { resourceVersion: String(version), ...more }, items }) };
}
export function listFails(error: unknown): Step {
  return { verb: 'list', answer: () => Promise.reject(error as Error) };
}
export function listAnswers(answer: (options: ListOptions, signal: AbortSignal) => Answer): Step {
  return { verb: 'list', answer };
}
/** The answer to the next one-item list: a version, or an error. Without it the source answers that nothing has moved. */
export function probe(answer: number | Error): Step {
  if (typeof answer !== 'number') return { verb: 'probe', answer: () => Promise.reject(answer) };
  return { verb: 'probe', answer: () => ({ metadata: { resourceVersion: String(answer) }, items: [] }) };
}
/** A stream that stays open after these frames. */
export function watch(...frames: Frame[]): Step {
  return { verb: 'watch', open: (stream) => stream.push(...frames) };
}
export function watchCloses(...frames: Frame[]): Step {
  return {
    verb: 'watch',
    open: (stream) => {
      stream.push(...frames);
      stream.close();
    },
  };
}
/** Fails to open, or breaks after these frames. */
export function watchFails(error: unknown, ...frames: Frame[]): Step {
  return {
    verb: 'watch',
    open: (stream) => {
      stream.push(...frames);
      stream.fail(error);
    },
  };
}
export function watchThrows(error: unknown): Step {
  return { verb: 'watch', open: () => {}, throws: error };
}

/** The server's end of a watch. It ignores its signal on purpose: no code may depend on a source that obeys it. */
export class Stream implements AsyncIterable<Frame>, AsyncIterator<Frame> {
  readonly signal: AbortSignal;
  readonly #pipe = new EventPipe<Frame>(new AbortController().signal);
  /** How often the consumer let go of it. */
  returned = 0;
  pulled = 0;
  /** Position of the watch: the version it was opened from, or the newest one it has sent. */
  version: string;

  constructor(signal: AbortSignal, version: string) {
    this.signal = signal;
    this.version = version;
  }

  push(...frames: Frame[]): void {
    for (const frame of frames) {
      const { resourceVersion } = ((frame as Partial<Frame> | null)?.object as KubeObject | undefined)?.metadata ?? {};
      if (typeof resourceVersion === 'string' && !isOlder(resourceVersion, this.version))
        this.version = resourceVersion;
      this.#pipe.push(frame);
    }
  }

  close(): void {
    this.#pipe.end();
  }

  fail(error: unknown): void {
    this.#pipe.end(error);
  }

  next(): Promise<IteratorResult<Frame>> {
    this.pulled += 1;
    return this.#pipe.next();
  }

  return(): Promise<IteratorResult<Frame>> {
    this.returned += 1;
    return this.#pipe.return();
  }

  [Symbol.asyncIterator](): AsyncIterator<Frame> {
    return this;
  }
}

/** Calls in the order they are expected, or a function that answers every call. */
export type Script = readonly Step[] | ((verb: 'list' | 'watch') => Step);

export type Call = { readonly verb: 'list' | 'watch' } & WatchOptions;

/** Answers the calls a test expects, in their order. An unexpected call is recorded and never answered. */
export class ScriptedSource implements ListWatch<KubeObject> {
  readonly calls: Call[] = [];
  /** When each call came. */
  readonly times: number[] = [];
  /** When the server was asked for its current version, or for any cached state, and no step was scripted for it. */
  readonly questions: number[] = [];
  /** Whether lists work although watches do not. */
  answersFromCache = false;
  readonly streams: Stream[] = [];
  /** Requests a real server would refuse, and calls of the wrong kind. */
  readonly complaints: string[] = [];
  readonly #steps: Step[];
  readonly #always: ((verb: 'list' | 'watch') => Step) | undefined;
  readonly #now: () => number;

  constructor(script: Script, now: () => number) {
    this.#steps = typeof script === 'function' ? [] : [...script];
    this.#always = typeof script === 'function' ? script : undefined;
    this.#now = now;
  }

  get isProbeNext(): boolean {
    return this.#steps[0]?.verb === 'probe';
  }

  readonly list = async (options: ListOptions, signal: AbortSignal): Promise<KubeList<KubeObject>> => {
    if (options.limit === 1 && (options.resourceVersion === '0' || !this.isProbeNext))
      return this.#answerQuestion(options);
    const step = this.#take('list', options);
    return step === undefined || step.verb === 'watch' ? new Promise(() => {}) : step.answer(options, signal);
  };

  readonly watch = (options: WatchOptions, signal: AbortSignal): AsyncIterable<Frame> => {
    const step = this.#take('watch', options);
    if (step?.verb === 'watch' && step.throws !== undefined) throw step.throws;
    const stream = new Stream(signal, options.resourceVersion ?? '');
    this.streams.push(stream);
    if (step?.verb === 'watch') step.open(stream);
    return stream;
  };

  /** The server's current version is where the last watch has come to; a cached state is answered by a server that is there. */
  #answerQuestion(options: ListOptions): KubeList<KubeObject> {
    this.questions.push(this.#now());
    if (options.resourceVersion === '0' && !this.answersFromCache) throw new Error('the server is away');
    return { metadata: { resourceVersion: this.streams.at(-1)?.version ?? '' }, items: [] };
  }

  #take(verb: 'list' | 'watch', options: WatchOptions): Step | undefined {
    this.calls.push({ verb, ...options });
    this.times.push(this.#now());
    const broken = brokenRule(verb, options);
    if (broken !== undefined) this.complaints.push(`${verb}: ${broken}`);
    if (this.#always !== undefined) return this.#always(verb);
    const step = this.#steps[0];
    const expected = step?.verb;
    if (expected === 'probe' && options.limit === 1) return this.#steps.shift();
    if (step !== undefined && expected !== verb) {
      this.complaints.push(`a ${verb} came where a ${expected} was expected`);
      return undefined;
    }
    return this.#steps.shift();
  }
}

/** The rule of kube-apiserver that a request breaks; undefined if none. (WLS-16) */
export function brokenRule(verb: 'list' | 'watch', options: WatchOptions): string | undefined {
  const { resourceVersion = '', resourceVersionMatch: match, sendInitialEvents, limit, continue: token } = options;
  if (verb === 'list') {
    if (sendInitialEvents !== undefined) return 'sendInitialEvents is forbidden for list';
    if (match !== undefined && resourceVersion === '') return 'resourceVersionMatch needs a resourceVersion';
    if (match === 'Exact' && resourceVersion === '0') return 'Exact is forbidden for "0"';
    if (token !== undefined && (match !== undefined || resourceVersion !== '')) return 'continue allows no version';
    return limit === 0 ? 'limit 0 says nothing' : undefined;
  }
  if (limit !== undefined || token !== undefined) return 'a watch has no pages';
  if (sendInitialEvents === undefined && match !== undefined) return 'resourceVersionMatch needs sendInitialEvents';
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') return 'sendInitialEvents needs NotOlderThan';
  if (sendInitialEvents === true && options.allowWatchBookmarks !== true) return 'no marker without bookmarks';
  return undefined;
}

// — the calls a test expects —————————————————————————————————————————————

/** The request of a watch at `version` when random numbers are 0. */
export function watchAt(version: number | string): Call {
  return { verb: 'watch', resourceVersion: String(version), timeoutSeconds: 300, allowWatchBookmarks: true };
}
export const newestList: Call = { verb: 'list', limit: 500 };
export function listNotOlderThan(version: number | string): Call {
  return { verb: 'list', resourceVersion: String(version), resourceVersionMatch: 'NotOlderThan' };
}
export function watchListAt(version?: number | string): Call {
  return {
    verb: 'watch',
    ...(version === undefined ? {} : { resourceVersion: String(version) }),
    resourceVersionMatch: 'NotOlderThan',
    sendInitialEvents: true,
    allowWatchBookmarks: true,
    timeoutSeconds: 300,
  };
}
/** The one-item list that asks for the server's current version. */
export const probeCall: Call = { verb: 'list', limit: 1 };
