import { expect } from 'vitest';
import type { ErrorCode } from '../../../src/core/errors.ts';
import { splitKey } from '../../../src/core/object/key.ts';
import type { Counter, Gauge, Histogram, MetricLabels, Metrics } from '../../../src/core/metrics.ts';
import type { KubeObject, ObjectMeta } from '../../../src/core/object/object.ts';
import type { SharedInformerOptions } from '../../../src/informer/informer-options.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { type FakeClock, type FakeEnv, fakeEnv, type LogLine } from '../../../src/testing/fake-clock.ts';
import { expired, FakeSource, type FakeSourceOptions } from '../../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../../src/testing/handler-recorder.ts';

export interface Pod extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** An object with the key `key`. Versions and UIDs are the fake server's to give. */
export function pod(key: string, spec?: Record<string, unknown>, meta: ObjectMeta = {}): Pod {
  const { namespace, name } = splitKey(key);
  return {
    metadata: { name, ...(namespace === '' ? {} : { namespace }), ...meta },
    ...(spec === undefined ? {} : { spec }),
  };
}

export type RigOptions<I extends string> = SharedInformerOptions<Pod, I> &
  Omit<FakeSourceOptions, 'watchList'> & {
    /** Whether the server supports streaming lists, independent of the informer's requests. */
    readonly serverStreams?: boolean;
    readonly wrap?: (source: FakeSource<Pod>) => ListWatch<Pod>;
    readonly env?: FakeEnv;
  };

export interface Rig<I extends string = never> {
  readonly env: FakeEnv;
  readonly clock: FakeClock;
  readonly source: FakeSource<Pod>;
  readonly informer: SharedInformer<Pod, I>;
  readonly heard: HandlerRecorder<Pod>;
  /** Starts, and lets everything that needs no time happen. */
  readonly start: () => Promise<void>;
  /** Forgets the history and answers every watch with 410, so that the informer has to list again. */
  readonly relist: () => Promise<void>;
  readonly logged: (level: LogLine['level'], text: string) => LogLine[];
}

/** An informer on a fake server, with one recording handler that was there from the start. */
export function rig<I extends string = never>(options: RigOptions<I> = {}): Rig<I> {
  const { startVersion = 1, serverStreams = true, wrap = (s) => s, env = fakeEnv(), ...rest } = options;
  const source = new FakeSource<Pod>({ startVersion, watchList: serverStreams });
  const informer = new SharedInformer<Pod, I>(wrap(source), { env, name: 'pods', ...rest } as SharedInformerOptions<
    Pod,
    I
  >);
  const heard = new HandlerRecorder<Pod>();
  informer.on(heard, { name: 'heard' });
  const { clock, lines } = env;
  return {
    env,
    clock,
    source,
    informer,
    heard,
    async start() {
      informer.start();
      await clock.advance(0);
    },
    async relist() {
      source.expireHistory();
      source.cut(expired('too old resource version'));
      await clock.advance(2_000);
    },
    logged: (level, text) => lines.filter((line) => line.level === level && line.message.includes(text)),
  };
}

/** The queues with which every queue test runs. */
export const QUEUES = ['ordered', 'delta'] as const;

export function versionOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata?.resourceVersion;
}

/** Matches a KubeError with this code, for `toThrow`. */
export function coded(code: ErrorCode): unknown {
  return expect.objectContaining({ name: 'KubeError', code });
}

/** A promise and the function that settles it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Counts metrics by `name` or by `name{label="…"}`. */
export class CountingMetrics implements Metrics {
  readonly values: Map<string, number[]> = new Map();
  readonly labels: Map<string, MetricLabels> = new Map();
  readonly buckets: Map<string, readonly number[] | undefined> = new Map();

  readonly counter = (name: string, labels: MetricLabels): Counter => ({ inc: this.#into(name, labels, 1) });
  readonly gauge = (name: string, labels: MetricLabels): Gauge => ({ set: this.#into(name, labels) });
  readonly histogram = (name: string, labels: MetricLabels, buckets?: readonly number[]): Histogram => {
    this.buckets.set(name, buckets);
    return { observe: this.#into(name, labels) };
  };

  sum(name: string): number {
    return (this.values.get(name) ?? []).reduce((total, value) => total + value, 0);
  }

  last(name: string): number | undefined {
    return this.values.get(name)?.at(-1);
  }

  count(name: string): number {
    return this.values.get(name)?.length ?? 0;
  }

  #into(name: string, labels: MetricLabels, fallback = 0): (value?: number) => void {
    this.labels.set(name, labels);
    return (value = fallback) => void this.values.set(name, [...(this.values.get(name) ?? []), value]);
  }
}

/** How many listeners a signal has from now on; one that is added and taken off again counts as none. */
export function countListeners(signal: AbortSignal): () => number {
  const live = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }) {
      live.add(listener);
      add(type, listener, options);
    },
    removeEventListener(type: 'abort', listener: () => void) {
      live.delete(listener);
      remove(type, listener);
    },
  });
  // `once` removes a listener without a call; after the abort only later listeners are left.
  add('abort', () => live.clear(), { once: true });
  return () => live.size;
}
