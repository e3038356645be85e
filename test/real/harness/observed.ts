import type { ClusterInformer, KubeObject } from 'kube-informer';
import type { WatchOptions } from 'kube-informer/core';
import { Recorder } from 'kube-informer/testing';
import { expect } from 'vitest';
import { canonical, differences } from '../../differential/canonical.ts';
import type { ControlPlane } from './control-plane.ts';
import { until } from './until.ts';

/** What an informer asked of the server. */
export type Asked = WatchOptions & { readonly verb: string };

/**
 * The collection was asked for from the start. Not: one item, which is the question whether the server is behind us; the
 * next pages; and what `verify` compares with.
 */
export function isWhole({ verb, limit, sendInitialEvents, continue: token, resourceVersionMatch }: Asked): boolean {
  if (verb === 'watch') return sendInitialEvents === true;
  return limit !== 1 && token === undefined && resourceVersionMatch !== 'Exact';
}

export interface ObservedOptions {
  /** The same collections as the server names them, one for each namespace of the informer. */
  readonly paths: readonly string[];
  readonly metadataOnly?: boolean;
}

/**
 * An informer of a cluster and several handlers of it, which joined at different times.
 *
 * `agrees` is the end of every scenario: the cache, `verify`, a quorum list that was asked for without our client, and what
 * every handler was told all say the same, byte for byte.
 */
export class Observed {
  readonly informer: ClusterInformer<KubeObject, string>;
  readonly recorders: Recorder[] = [];
  readonly #plane: ControlPlane;
  readonly #options: ObservedOptions;

  constructor(plane: ControlPlane, informer: ClusterInformer<KubeObject, string>, options: ObservedOptions) {
    this.#plane = plane;
    this.informer = informer;
    this.#options = options;
    this.join();
  }

  /** One more handler, from now on. */
  join(): Recorder {
    const recorder = new Recorder();
    this.recorders.push(recorder);
    this.informer.on(recorder, { limit: Number.POSITIVE_INFINITY });
    return recorder;
  }

  async agrees(withinMs = 60_000): Promise<void> {
    const what = `${this.informer.resource} ${this.#options.metadataOnly === true ? '(metadata only) ' : ''}`;
    let found: string[] = [];
    await until(
      `${what}agrees with a quorum list`,
      async () => {
        const server = await this.#quorumList();
        found = server === undefined ? ['no list'] : differences(this.#cache(), server, ['the cache', 'the server']);
        return found.length === 0 && this.informer.state.kind === 'synced' && this.#pending() === 0;
      },
      { withinMs, everyMs: 100, inTheWay: () => this.#describe(found) },
    );
    for (const [at, { view, violations, overflows }] of this.recorders.entries()) {
      const told = this.#comparable([...view.values()]);
      expect(differences(told, this.#cache(), [`handler ${at}`, 'the cache']), what).toEqual([]);
      expect(violations, what).toEqual([]);
      expect(overflows, what).toBe(0);
    }
    for (const verified of await this.informer.verify()) expect(verified, what).toMatchObject({ consistent: true });
    for (const { poisoned } of this.informer.health()) expect(poisoned, what).toEqual([]);
  }

  #cache(): Map<string, string> {
    return this.#comparable(this.informer.list());
  }

  /** The items of a list do not say what they are, those of a watch do. */
  #comparable(objects: readonly KubeObject[]): Map<string, string> {
    const { metadataOnly = false } = this.#options;
    const shown = objects.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) =>
      metadataOnly ? { metadata: rest.metadata } : rest,
    );
    return canonical(shown, false);
  }

  /** The newest state there is, which only etcd knows; undefined while nobody answers. */
  async #quorumList(): Promise<Map<string, string> | undefined> {
    const items: KubeObject[] = [];
    for (const path of this.#options.paths) {
      const { status, text } = await this.#plane.ask('GET', path).catch(() => ({ status: 0, text: '' }));
      if (status !== 200) return undefined;
      items.push(...(JSON.parse(text) as { items: KubeObject[] }).items);
    }
    return this.#comparable(items);
  }

  #pending(): number {
    return this.informer
      .health()
      .flatMap(({ handlers }) => handlers)
      .reduce((total, { pending }) => total + pending, 0);
  }

  #describe(found: readonly string[]): string {
    const state = this.informer.state;
    const why = 'error' in state ? String(state.error) : '';
    return `${state.kind} ${why}, ${this.#pending()} pending\n${found.slice(0, 5).join('\n')}`;
  }
}
