import type { WatchOptions } from 'kube-informer/core';
import { expired } from 'kube-informer/testing';
import { Call } from './call.ts';
import type { ClientState } from './coverage.ts';
import { refused, reset, serverError, throttled } from './faults.ts';
import type { Entry, State } from './history.ts';
import type { Role } from './path.ts';
import type { Replica } from './replica.ts';
import type { Purpose, Traffic } from './traffic.ts';
import type { World } from './world.ts';

/** Maximum pause that a Retry-After may ask for. */
const MAX_RETRY_AFTER_MS = 60_000;

/** How long a server waits to catch up before it responds that a version is too large. */
export const FRESH_WAIT_MS = 3_000;

/** What lists and watches have in common: delays, failures, the choice of a replica, and what the client has seen. */
export class Requests {
  readonly #world: World;
  readonly traffic: Traffic;

  constructor(world: World, traffic: Traffic) {
    this.#world = world;
    this.traffic = traffic;
  }

  call<R>(isMain: boolean, signal: AbortSignal, serve: (call: Call<R>) => void): Promise<R> {
    const world = this.#world;
    return new Promise<R>((resolve, reject) => {
      const call = new Call<R>(isMain, world.parts.clock, signal, { resolve, reject }, (closed) =>
        world.calls.delete(closed as Call),
      );
      if (!call.isOpen) return;
      world.calls.add(call as Call);
      call.later(this.latency(isMain ? 'listing' : undefined), () => serve(call));
    });
  }

  show(rv: number): void {
    this.#world.shown = Math.max(this.#world.shown, rv);
  }

  /** The newest version that was sent to the client. */
  get seen(): number {
    return Math.max(this.#world.shown, this.#world.clientAt());
  }

  latency(state: ClientState | undefined): number {
    const { dice, swarm } = this.#world.parts;
    if (state === undefined || !swarm.strikes('slow-answer')) return dice.between(0.5, 20);
    this.#world.fault('slow-answer', state);
    this.traffic.failed();
    return dice.magnitude(500, 20_000);
  }

  refuse(purpose: Purpose): Error {
    if (purpose !== 'audit') this.#world.fault('refused', stateFor(purpose));
    return refused();
  }

  /** A failure, if the dice decide so. */
  trouble(state: ClientState, options: WatchOptions, asksToWait: boolean): Error | undefined {
    const world = this.#world;
    const { swarm, dice } = world.parts;
    const struck = (kind: 'cut-rst' | 'throttled' | 'retry-after' | 'server-error' | 'gone-status'): boolean => {
      if (!swarm.strikes(kind)) return false;
      world.fault(kind, state);
      this.traffic.failed();
      return true;
    };
    if (struck('cut-rst')) return reset();
    if (struck('throttled')) return throttled();
    if (struck('retry-after')) {
      const seconds = dice.whole(1, 30);
      if (asksToWait) this.traffic.askedToWait(Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS));
      return throttled(seconds);
    }
    if (struck('server-error')) return serverError(dice);
    // Only a request with a version can get 410.
    if (options.resourceVersion !== undefined && struck('gone-status')) return expired('too old resource version');
    return undefined;
  }

  /** A version a little older than `rv`; undefined when there is none. */
  olderThan(rv: number): number | undefined {
    const { history, parts } = this.#world;
    const at = history.indexAfter(rv) - 1 - parts.dice.whole(1, 20);
    return at < 0 ? undefined : (history.entries[at] as Entry).rv;
  }

  anyReplica(role: Role | 'list'): Replica {
    const any = this.#world.parts.dice.pick(this.#world.replicas);
    return this.#world.path.layers.route?.(role) ?? any;
  }
}

/** The state of the client at a request. */
export function stateFor(purpose: Purpose): ClientState {
  if (purpose === 'watch-list') return 'watch-listing';
  return purpose === 'watch' || purpose === 'probe' ? 'watching' : 'listing';
}

export function sorted(state: State): Entry[] {
  return [...state.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** kube-apiserver's versions are numbers. */
export function isParsable(resourceVersion: string): boolean {
  return /^\d*$/.test(resourceVersion);
}
