import type { ClusterInformer, KubeObject } from 'kube-informer';
import { compareVersions } from 'kube-informer/core';
import type {
  Differences,
  Handler,
  HandlerOptions,
  InformerEvent,
  InformerHealth,
  InformerState,
} from 'kube-informer/informer';
import { HandlerRecorder } from 'kube-informer/testing';
import { canonical, differences } from '../../differential/canonical.ts';
import type { ControlPlane } from './control-plane.ts';
import { until } from './until.ts';

/** An informer of either kind: of one cache, or of a cluster with a cache for each namespace. */
interface Observable {
  on(handler: Handler<KubeObject>, options?: HandlerOptions): unknown;
  list(): readonly KubeObject[];
  readonly state: InformerState;
  health(): InformerHealth | readonly InformerHealth[];
  verify(): Promise<Differences | readonly Differences[]>;
}

export interface ObservedOptions {
  /** The same collections as the server names them, selectors included, one for each namespace of the informer. */
  readonly paths: readonly string[];
  readonly metadataOnly?: boolean;
}

/**
 * An informer and several handlers of it, which joined at different times.
 *
 * `agrees` ends every test: the cache, `verify`, a quorum list made without our client, and the events of every handler agree
 * byte for byte, and no handler got an illegal event or an older version.
 */
export class Observed<I extends Observable = ClusterInformer<KubeObject, string>> {
  readonly informer: I;
  readonly recorders: HandlerRecorder[] = [];
  readonly #plane: ControlPlane;
  readonly #options: ObservedOptions;

  constructor(plane: ControlPlane, informer: I, options: ObservedOptions) {
    this.#plane = plane;
    this.informer = informer;
    this.#options = options;
    this.join();
  }

  /** The handler that was there from the start. */
  get first(): HandlerRecorder {
    return this.recorders[0] as HandlerRecorder;
  }

  /** Adds a handler. */
  join(): HandlerRecorder {
    const recorder = new HandlerRecorder();
    this.recorders.push(recorder);
    this.informer.on(recorder, { limit: Number.POSITIVE_INFINITY });
    return recorder;
  }

  async agrees(withinMs = 60_000): Promise<void> {
    const { paths, metadataOnly = false } = this.#options;
    const what = `${paths.join(', ')}${metadataOnly ? ' (metadata only)' : ''}`;
    let found: string[] = [];
    await until(
      `${what} agrees with a quorum list`,
      async () => {
        const server = await this.#quorumList();
        found = server === undefined ? ['no list'] : differences(this.#cache(), server, ['the cache', 'the server']);
        return found.length === 0 && this.informer.state.kind === 'synced' && this.#pending() === 0;
      },
      { withinMs, everyMs: 100, inTheWay: () => this.#describe(found) },
    );
    const wrong = [...this.#untrue(), ...(await this.#unverified())];
    if (wrong.length > 0) throw new Error(`${what}:\n${wrong.slice(0, 10).join('\n')}`);
  }

  /** Wrong or illegal events of handlers. */
  #untrue(): string[] {
    const cache = this.#cache();
    const epochs = Math.max(...this.#healths().map((health) => health.epochs));
    return this.recorders.flatMap(({ view, violations, overflows, events }, at) => {
      const name = `handler ${at}`;
      const odd = [...violations, ...stepsBack(events, epochs), ...(overflows > 0 ? ['overflow'] : [])];
      return [
        ...differences(this.#comparable([...view.values()]), cache, [name, 'the cache']),
        ...odd.map((text) => `${name}: ${text}`),
      ];
    });
  }

  async #unverified(): Promise<string[]> {
    const verified = [await this.informer.verify()].flat();
    const inconsistent = verified
      .filter(({ consistent }) => !consistent)
      .map((one) => `verify: ${JSON.stringify(one)}`);
    const poisoned = this.#healths().flatMap((health) => health.poisoned);
    return [...inconsistent, ...poisoned.map(({ key, error }) => `${key} is poisoned: ${error}`)];
  }

  #cache(): Map<string, string> {
    return this.#comparable(this.informer.list());
  }

  /** Removes kind and apiVersion: the items of a list do not have them, those of a watch do. */
  #comparable(objects: readonly KubeObject[]): Map<string, string> {
    const { metadataOnly = false } = this.#options;
    const shown = objects.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) =>
      metadataOnly ? { metadata: rest.metadata } : rest,
    );
    return canonical(JSON.parse(JSON.stringify(shown), withoutNullTimes) as KubeObject[], false);
  }

  /** The newest state, from etcd; undefined while no server responds. */
  async #quorumList(): Promise<Map<string, string> | undefined> {
    const items: KubeObject[] = [];
    for (const path of this.#options.paths) {
      const { status, text } = await this.#plane.ask('GET', path).catch(() => ({ status: 0, text: '' }));
      if (status !== 200) return undefined;
      items.push(...(JSON.parse(text) as { items: KubeObject[] }).items);
    }
    return this.#comparable(items);
  }

  #healths(): readonly InformerHealth[] {
    return [this.informer.health()].flat();
  }

  #pending(): number {
    return this.#healths()
      .flatMap(({ handlers }) => handlers)
      .reduce((total, { pending }) => total + pending, 0);
  }

  #describe(found: readonly string[]): string {
    const state = this.informer.state;
    const why = 'error' in state ? String(state.error) : '';
    return `${state.kind} ${why}, ${this.#pending()} pending\n${found.slice(0, 5).join('\n')}`;
  }
}

/** Older servers (1.26 does) write a time that is not set as null in JSON, and not at all in protobuf. */
function withoutNullTimes(name: string, value: unknown): unknown {
  return name === 'creationTimestamp' && value === null ? undefined : value;
}

/** Events with an older state than before. Each object may go back as often as the storage did. */
function stepsBack(events: readonly InformerEvent<KubeObject>[], epochs: number): string[] {
  const received = new Map<string, { version: string | undefined; isGone: boolean; back: number }>();
  return events.flatMap(({ type, key, object }) => {
    const version = object.metadata?.resourceVersion;
    const before = received.get(key);
    const order = compareVersions(version, before?.version) ?? 1;
    // An object that was deleted at a version does not exist at that version.
    const isBack = order < 0 || (order === 0 && before?.isGone === true);
    const back = (before?.back ?? 0) + (isBack ? 1 : 0);
    received.set(key, { version, isGone: type === 'delete', back });
    return isBack && back > epochs ? [`${key} went back from ${before?.version} to ${version}`] : [];
  });
}
