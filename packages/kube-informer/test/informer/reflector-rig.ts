import { getEventListeners } from 'node:events';
import { expect } from 'vitest';
import { KubeError } from '../../src/core/errors.ts';
import { keyOf } from '../../src/core/key.ts';
import type { ListOptions, WatchOptions } from '../../src/core/list-options.ts';
import type { KubeList, KubeObject, ObjectMeta } from '../../src/core/object.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../src/core/watch-event.ts';
import type { ListWatch } from '../../src/informer/list-watch.ts';
import type { ReplaceInfo, Sink } from '../../src/informer/queue.ts';
import { Reflector, type ReflectorOptions } from '../../src/informer/reflector.ts';
import { EventPipe } from '../../src/testing/event-pipe.ts';
import { type FakeEnv, fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { FakeSource, type FakeSourceOptions, statusFailure } from '../../src/testing/fake-source.ts';

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
/** What one expected call is answered with. */
export type Step =
  | { readonly verb: 'list'; readonly answer: (options: ListOptions, signal: AbortSignal) => Answer }
  | { readonly verb: 'watch'; readonly open: (stream: Stream) => void; readonly throws?: unknown };

export function list(items: readonly KubeObject[], version: number | string, more: KubeList<never>['metadata'] = {}): Step {
  return { verb: 'list', answer: () => ({ metadata: { resourceVersion: String(version), ...more }, items }) };
}
export function listFails(error: unknown): Step {
  return { verb: 'list', answer: () => Promise.reject(error as Error) };
}
export function listAnswers(answer: (options: ListOptions, signal: AbortSignal) => Answer): Step {
  return { verb: 'list', answer };
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

/** The server's end of a watch. It ignores its signal on purpose: nobody may depend on a source that listens. */
export class Stream implements AsyncIterable<Frame>, AsyncIterator<Frame> {
  readonly signal: AbortSignal;
  readonly #pipe = new EventPipe<Frame>(new AbortController().signal);
  /** How often the consumer let go of it. */
  returned = 0;
  pulled = 0;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  push(...frames: Frame[]): void {
    for (const frame of frames) this.#pipe.push(frame);
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

export type Call = { readonly verb: 'list' | 'watch' } & WatchOptions;

/** Answers the calls a test expects, in their order. A call nobody expected is recorded and never answered. */
export class ScriptedSource implements ListWatch<KubeObject> {
  readonly calls: Call[] = [];
  /** When each call came. */
  readonly times: number[] = [];
  readonly streams: Stream[] = [];
  /** Requests a real server would refuse, and calls of the wrong kind. */
  readonly complaints: string[] = [];
  readonly #steps: Step[];
  readonly #now: () => number;

  constructor(steps: readonly Step[], now: () => number) {
    this.#steps = [...steps];
    this.#now = now;
  }

  /** Steps for calls still to come. */
  expect(...steps: Step[]): void {
    this.#steps.push(...steps);
  }

  readonly list = async (options: ListOptions, signal: AbortSignal): Promise<KubeList<KubeObject>> => {
    const step = this.#take('list', options);
    return step?.verb === 'list' ? step.answer(options, signal) : new Promise(() => {});
  };

  readonly watch = (options: WatchOptions, signal: AbortSignal): AsyncIterable<Frame> => {
    const step = this.#take('watch', options);
    if (step?.verb === 'watch' && step.throws !== undefined) throw step.throws;
    const stream = new Stream(signal);
    this.streams.push(stream);
    if (step?.verb === 'watch') step.open(stream);
    return stream;
  };

  #take(verb: 'list' | 'watch', options: WatchOptions): Step | undefined {
    this.calls.push({ verb, ...options });
    this.times.push(this.#now());
    const broken = brokenRule(verb, options);
    if (broken !== undefined) this.complaints.push(`${verb}: ${broken}`);
    const step = this.#steps[0];
    if (step !== undefined && step.verb !== verb) {
      this.complaints.push(`a ${verb} came where a ${step.verb} was expected`);
      return undefined;
    }
    return this.#steps.shift();
  }
}

/** What kube-apiserver refuses. (WLS-16) */
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

// — the sink —————————————————————————————————————————————————————————————

type SinkCall = 'add' | 'update' | 'delete' | 'replace' | 'resync' | 'bookmark';

/** A sink that remembers what it was told, and the state that results from it. */
export class RecordingSink implements Sink<KubeObject> {
  /** `replace@10 [a@1 b@2]`, `add c@11`, `bookmark@12`, `resync`. */
  readonly lines: string[] = [];
  readonly state: Map<string, string> = new Map();
  /** What `updateResourceVersion` was told. */
  readonly versions: string[] = [];
  /** Thrown by the named call for as long as it is set. */
  readonly failing: Partial<Record<SinkCall, unknown>> = {};
  /** Runs inside every call, before it counts. */
  during: (call: SinkCall) => void = () => {};
  full: Promise<void> | undefined;

  add(object: KubeObject): void {
    this.#call('add', `add ${brief(object)}`);
    this.#set(object);
  }

  update(object: KubeObject): void {
    this.#call('update', `update ${brief(object)}`);
    this.#set(object);
  }

  delete(object: KubeObject): void {
    this.#call('delete', `delete ${brief(object)}`);
    this.state.delete(keyOf(object));
  }

  async replace(items: readonly KubeObject[], resourceVersion: string, info: ReplaceInfo = {}): Promise<void> {
    const epoch = info.newEpoch === true ? ' new epoch' : '';
    this.#call('replace', `replace@${resourceVersion} [${items.map(brief).join(' ')}]${epoch}`);
    this.state.clear();
    for (const item of items) this.#set(item);
  }

  resync(): void {
    this.#call('resync', 'resync');
  }

  bookmark(resourceVersion: string): void {
    this.#call('bookmark', `bookmark@${resourceVersion}`);
  }

  updateResourceVersion(resourceVersion: string): void {
    this.versions.push(resourceVersion);
  }

  room(): Promise<void> | undefined {
    return this.full;
  }

  /** The state as `a@1 b@2`. */
  get text(): string {
    return [...this.state].map(([key, version]) => `${key.replace('web/', '')}@${version}`).join(' ');
  }

  #set(object: KubeObject): void {
    this.state.set(keyOf(object), object.metadata?.resourceVersion ?? '');
  }

  #call(call: SinkCall, line: string): void {
    this.lines.push(line);
    this.during(call);
    if (this.failing[call] !== undefined) throw this.failing[call];
  }
}

function brief(object: KubeObject): string {
  return `${object.metadata?.name ?? '?'}@${object.metadata?.resourceVersion ?? '?'}`;
}

// — rigs —————————————————————————————————————————————————————————————————

export interface RigOptions extends ReflectorOptions<KubeObject> {
  readonly random?: number | (() => number);
  readonly sink?: Sink<KubeObject>;
  /** Changes the source before the reflector sees it. */
  readonly wrap?: (source: ListWatch<KubeObject>) => ListWatch<KubeObject>;
}

export interface Running {
  readonly reflector: Reflector<KubeObject>;
  readonly sink: RecordingSink;
  readonly env: FakeEnv;
  readonly clock: FakeEnv['clock'];
  /** What the error handler was told. */
  readonly errors: unknown[];
  readonly signal: AbortSignal;
  /** Starts `run` and lets it come to its first wait. */
  start(): Promise<void>;
  /** One `listAndWatch`; its outcome is `running`, `returned` or the error. */
  cycle(): Promise<{ readonly outcome: unknown }>;
  /** Stops, and makes sure that nothing is left. */
  stop(): Promise<void>;
}

export interface Rig extends Running {
  readonly source: ScriptedSource;
  readonly calls: Call[];
  readonly times: number[];
  readonly streams: Stream[];
}

/** A reflector on a script: exact requests, exact times. */
export function rig(steps: readonly Step[] = [], options: RigOptions = {}): Rig {
  const env = fakeEnv({ random: options.random ?? 0 });
  const source = new ScriptedSource(steps, () => env.now());
  const running = onEnv(options.wrap?.(source) ?? source, env, options);
  const { calls, times, streams } = source;
  return {
    ...running,
    source,
    calls,
    times,
    streams,
    async stop() {
      await running.stop();
      expect(source.complaints).toEqual([]);
      expect(streams.map((stream) => Math.min(stream.returned, 1))).toEqual(streams.map(() => 1));
      expect(streams.every((stream) => stream.signal.aborted)).toBe(true);
    },
  };
}

export interface ServerRig extends Running {
  readonly server: FakeSource;
  /** `list`, `watch`, `watch-list`, in the order they came. */
  readonly verbs: () => string[];
  /** Whether the sink holds exactly what the server holds. */
  readonly expectEqual: () => void;
}

/** A reflector on a whole fake server: what is there in the end. */
export function serverRig(options: RigOptions & { readonly server?: FakeSourceOptions } = {}): ServerRig {
  const env = fakeEnv({ random: options.random ?? 0 });
  const { server: serverOptions, ...rest } = options;
  const server = new FakeSource(serverOptions);
  const running = onEnv(options.wrap?.(server) ?? server, env, rest);
  return {
    ...running,
    server,
    verbs: () =>
      server.calls.map(({ verb, options: asked }) => ('sendInitialEvents' in asked ? 'watch-list' : verb)),
    expectEqual() {
      const expected = server.objects.map((object) => [keyOf(object), object.metadata?.resourceVersion ?? '']);
      expect(new Map(running.sink.state)).toEqual(new Map(expected as [string, string][]));
    },
    async stop() {
      await running.stop();
      expect(server.openWatches).toBe(0);
    },
  };
}

function onEnv(source: ListWatch<KubeObject>, env: FakeEnv, options: RigOptions): Running {
  const { random: _, sink: given, wrap: __, ...reflectorOptions } = options;
  const sink = new RecordingSink();
  const errors: unknown[] = [];
  const stop = new AbortController();
  const reflector = new Reflector<KubeObject>(source, given ?? sink, {
    name: 'rig',
    onWatchError: (error) => void errors.push(error),
    ...reflectorOptions,
    env,
  });
  const jobs: Promise<unknown>[] = [];
  return {
    reflector,
    sink,
    env,
    clock: env.clock,
    errors,
    signal: stop.signal,
    async start() {
      jobs.push(reflector.run(stop.signal));
      await settle();
    },
    async cycle() {
      const cycle: { outcome: unknown } = { outcome: 'running' };
      const ended = reflector.listAndWatch(stop.signal).then(
        () => (cycle.outcome = 'returned'),
        (error: unknown) => (cycle.outcome = error),
      );
      jobs.push(ended);
      await settle();
      return cycle;
    },
    async stop() {
      stop.abort(new Error('stopped by the test'));
      await Promise.all(jobs);
      await settle();
      expect(env.clock.sleeping).toBe(0);
      expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    },
  };
}

/** What a watch at `version` asks for when random numbers are 0. */
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
/** The one-item list that proves a reopened watch can see. */
export function probeAt(version: number | string): Call {
  return { ...listNotOlderThan(version), limit: 1 };
}

/** The levels and messages of the log. */
export function logged(env: FakeEnv, level?: string): string[] {
  return env.lines.filter((line) => level === undefined || line.level === level).map((line) => line.message);
}
