import { getEventListeners } from 'node:events';
import { expect } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import type { ReplaceInfo, Sink } from '../../../src/informer/queue/queue.ts';
import { Reflector } from '../../../src/informer/reflector/reflector.ts';
import type { ReflectorOptions } from '../../../src/informer/reflector/reflector-options.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { FakeSource, type FakeSourceOptions } from '../../../src/testing/fake-source.ts';
import { type Call, type Script, ScriptedSource, type Stream } from './scripted-source.ts';

export * from './scripted-source.ts';

// — the sink —————————————————————————————————————————————————————————————

type SinkCall = 'add' | 'update' | 'delete' | 'replace' | 'resync' | 'bookmark';

/** A sink that records its calls and the resulting state. */
export class RecordingSink implements Sink<KubeObject> {
  /** `replace@10 [a@1 b@2]`, `add c@11`, `bookmark@12`, `resync`. */
  readonly lines: string[] = [];
  readonly state: Map<string, string> = new Map();
  /** Versions passed to `updateResourceVersion`. */
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
  /** Errors passed to the error handler. */
  readonly errors: unknown[];
  readonly signal: AbortSignal;
  /** Starts `run` and lets it come to its first wait. */
  readonly start: () => Promise<void>;
  /** One `listAndWatch`; its outcome is `running`, `returned` or the error. */
  readonly cycle: () => Promise<{ readonly outcome: unknown }>;
  /** Stops, and makes sure that nothing is left. */
  readonly stop: () => Promise<void>;
}

export interface Rig extends Running {
  readonly source: ScriptedSource;
  readonly calls: Call[];
  readonly times: number[];
  readonly streams: Stream[];
}

/** A reflector on a script: exact requests, exact times. */
export function rig(script: Script = [], options: RigOptions = {}): Rig {
  const env = fakeEnv({ random: options.random ?? 0 });
  const source = new ScriptedSource(script, () => env.now());
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
    verbs: () => server.calls.map(({ verb, options: asked }) => ('sendInitialEvents' in asked ? 'watch-list' : verb)),
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

/** The levels and messages of the log. */
export function logged(env: FakeEnv, level?: string): string[] {
  return env.lines.filter((line) => level === undefined || line.level === level).map((line) => line.message);
}
