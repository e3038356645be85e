import { hasCode, type KubeList, type ListOptions, type WatchOptions } from 'kube-informer/core';
import type { ListWatch } from 'kube-informer/informer';
import { expired, statusFailure, tooLarge } from 'kube-informer/testing';
import { Call } from './call.ts';
import type { ClientState } from './coverage.ts';
import { FATES, refused, reset, serverError, throttled } from './faults.ts';
import { decoded, type Entry, type Item, type State } from './history.ts';
import type { Replica } from './replica.ts';
import { bookmark, type Ending, type Frame, Stream } from './stream.ts';
import { stateOf, type World } from './world.ts';

/** The purpose of a request. */
export type Purpose = 'list' | 'page' | 'probe' | 'audit' | 'watch-list' | 'watch';

/** Callbacks about the traffic. */
export interface Traffic {
  requested(purpose: Purpose, options: WatchOptions): void;
  /** A 429 requested a pause, or a watch ended in a way that needs one. */
  askedToWait(ms: number): void;
  delivered(frame: Frame): void;
  /** A request for the newest state got an older one than the client had seen. */
  wentBack(): void;
}

/** A watch that ends sooner without an event, or with an error, must be followed by a pause. */
const SHORT_WATCH_MS = 1_000;
const MIN_PAUSE_MS = 800;
/** How long a server waits to catch up before it responds that a version is too large. */
const FRESH_WAIT_MS = 3_000;
const BOOKMARK_EVERY_MS = 60_000;

/**
 * The API server as the informer sees it, with the semantics of kube-apiserver:
 *
 *  list    unset: the newest state; "0": the state of the replica; N: not older than N, or 504 after 3 s;
 *          a continue token shows the moment of its first page, or 410
 *  watch   N: changes after N; 410 when the window is past it; a future N is accepted and silent
 *  stream  the state as ADDED, a bookmark with the end marker, then changes
 *
 * and with the faults of the run.
 */
export class Server implements ListWatch<Item> {
  readonly #world: World;
  readonly #traffic: Traffic;
  readonly clusterId?: (signal: AbortSignal) => Promise<string>;

  constructor(world: World, traffic: Traffic) {
    this.#world = world;
    this.#traffic = traffic;
    if (world.parts.setup.clusterId) this.clusterId = (signal) => this.#askClusterId(signal);
  }

  // — lists ——————————————————————————————————————————————————————————————

  readonly list = (options: ListOptions, signal: AbortSignal): Promise<KubeList<Item>> => {
    const purpose = this.#purposeOf(options);
    if (purpose === 'list') this.#world.settled();
    this.#traffic.requested(purpose, options);
    return this.#call<KubeList<Item>>(purpose === 'list' || purpose === 'page', signal, (call) => {
      if (this.#world.isDown) return call.fail(this.#refuse(purpose));
      const trouble = purpose === 'audit' ? undefined : this.#trouble(stateFor(purpose), options, purpose !== 'probe');
      if (trouble !== undefined) return call.fail(trouble);
      this.#serveList(call, purpose, options, this.#anyReplica(), false);
    });
  };

  #purposeOf(options: ListOptions): Purpose {
    if (options.continue !== undefined) return 'page';
    if (options.resourceVersionMatch === 'Exact') return 'audit';
    return options.limit === 1 ? 'probe' : 'list';
  }

  #serveList(call: Call<KubeList<Item>>, purpose: Purpose, options: ListOptions, at: Replica, waited: boolean): void {
    const world = this.#world;
    const { history } = world;
    const { swarm } = world.parts;
    const { resourceVersion: asked = '', continue: token, resourceVersionMatch } = options;
    if (token !== undefined) return this.#servePage(call, token, options);
    if (resourceVersionMatch === 'Exact') {
      if (Number(asked) < history.compacted) return call.fail(expired('the version has been compacted'));
      if (Number(asked) > history.rv) return call.fail(tooLarge(asked, String(history.rv)));
      return this.#answer(call, history.at(Number(asked)), Number(asked), 0, options);
    }
    if (asked === '') {
      const older = swarm.strikes('older-newest') ? this.#olderThan(history.rv) : undefined;
      if (older === undefined) return this.#answer(call, history.state, history.rv, 0, options);
      world.fault('older-newest', stateFor(purpose));
      if (older < this.#seen) this.#traffic.wentBack();
      return this.#answer(call, history.at(older), older, 0, options);
    }
    const wanted = Number(asked);
    const older = wanted > 0 && swarm.strikes('older-list') ? this.#olderThan(Math.min(wanted, at.rv)) : undefined;
    if (older !== undefined) {
      world.fault('older-list', stateFor(purpose));
      return this.#answer(call, history.at(older), older, 0, options);
    }
    if (at.rv >= wanted) return this.#answer(call, at.state, at.rv, 0, options);
    if (!waited) return call.later(FRESH_WAIT_MS, () => this.#serveList(call, purpose, options, at, true));
    world.fault('too-large', stateFor(purpose));
    call.fail(tooLarge(asked, String(at.rv)));
  }

  #servePage(call: Call<KubeList<Item>>, token: string, options: ListOptions): void {
    const world = this.#world;
    const [epoch, rv, offset] = token.split('/').map(Number) as [number, number, number];
    const lost = epoch !== world.epochs.length || rv < world.history.compacted;
    if (lost || world.parts.swarm.strikes('gone-continue')) {
      world.fault('gone-continue', 'listing');
      return call.fail(expired('the provided continue parameter is too old'));
    }
    this.#answer(call, world.history.at(rv), rv, offset, options);
  }

  #answer(call: Call<KubeList<Item>>, state: State, rv: number, offset: number, options: ListOptions): void {
    const { epochs, parts } = this.#world;
    const limit = options.resourceVersion === '0' ? undefined : options.limit;
    const all = sorted(state);
    const page = limit === undefined ? all.slice(offset) : all.slice(offset, offset + limit);
    const next = offset + page.length;
    const items = page.map((entry) => decoded(entry.object));
    if (items.length > 0 && options.limit !== 1 && parts.swarm.strikes('listed-twice')) this.#listTwice(items);
    const metadata = {
      resourceVersion: String(rv),
      ...(next < all.length ? { continue: `${epochs.length}/${rv}/${next}` } : {}),
    };
    this.#show(rv);
    // The response has the state of now, and arrives a little later.
    call.later(parts.dice.between(0.2, 5), () => call.answer({ metadata, items }));
  }

  #listTwice(items: Item[]): void {
    const { history, parts, clientState, epochs } = this.#world;
    // A delta queue tells two states of one list apart by their versions, which a new epoch does not have.
    if (clientState !== 'listing' || epochs.length > 1) return;
    const twin = parts.dice.pick(items);
    const { uid, resourceVersion } = twin.metadata;
    const earlier = history.entries.findLast(
      ({ rv, object }) => rv < Number(resourceVersion) && object.metadata.uid === uid,
    );
    items.splice(parts.dice.whole(0, items.length), 0, decoded((earlier ?? { object: twin }).object));
    this.#world.fault('listed-twice', clientState);
  }

  // — watches ————————————————————————————————————————————————————————————

  readonly watch = (options: WatchOptions, signal: AbortSignal): AsyncIterable<Frame> => {
    const world = this.#world;
    const { clock, dice } = world.parts;
    const initial = options.sendInitialEvents === true;
    world.settled();
    this.#traffic.requested(initial ? 'watch-list' : 'watch', options);
    const stream = new Stream(
      {
        clock,
        dice,
        struck: (kind, struck) => world.fault(kind, stateOf(struck)),
        delivered: (frame) => this.#delivered(frame),
        closed: (closed, how) => this.#closed(closed, how),
      },
      signal,
      initial,
    );
    if (!stream.isOpen) return stream;
    world.streams.add(stream);
    stream.after(this.#latency(stateOf(stream)), () => this.#serveWatch(stream, options));
    return stream;
  };

  #delivered(frame: Frame): void {
    if (frame.type !== 'ERROR') this.#show(Number(frame.object.metadata?.resourceVersion ?? 0));
    this.#traffic.delivered(frame);
  }

  #closed(stream: Stream, { by, error, frames, ageMs }: Ending): void {
    this.#world.streams.delete(stream);
    const short = frames === 0 && ageMs < SHORT_WATCH_MS;
    // A stream that worked until its connection was cut may be reopened at once.
    const cut = frames > 0 && hasCode(error, 'TRANSPORT');
    if (by !== 'server' || stream.initial || cut) return;
    if (error !== undefined || short) this.#traffic.askedToWait(MIN_PAUSE_MS);
  }

  #serveWatch(stream: Stream, options: WatchOptions): void {
    const world = this.#world;
    if (world.isDown) return stream.end(this.#refuse(stream.initial ? 'watch-list' : 'watch'));
    const trouble = this.#trouble(stateOf(stream), options, true);
    if (trouble !== undefined) return stream.end(trouble);
    const { timeoutSeconds = 1_800 } = options;
    this.#doom(stream);
    if (!stream.isOpen) return;
    // A dead connection does not deliver its own end.
    stream.after(
      Math.min(timeoutSeconds * 1_000, world.parts.setup.watchLifeMs),
      () => void (stream.stalled || stream.end()),
    );
    if (stream.initial) return this.#serveInitial(stream, options.resourceVersion ?? '', this.#anyReplica(), false);
    this.#serveFrom(stream, Number(options.resourceVersion), this.#anyReplica());
  }

  #serveFrom(stream: Stream, rv: number, at: Replica): void {
    const world = this.#world;
    if (rv < at.oldest) {
      const inStream = world.parts.dice.chance(0.7);
      world.fault(inStream ? 'gone-event' : 'gone-status', 'watching');
      const gone = expired(`too old resource version: ${rv} (${at.oldest})`);
      return inStream ? stream.fail(gone.status, true) : stream.end(gone);
    }
    if (rv > at.rv) world.fault('blind-watch', 'watching');
    this.#attach(stream, at, rv);
  }

  #serveInitial(stream: Stream, asked: string, at: Replica, waited: boolean): void {
    const world = this.#world;
    const { swarm, dice } = world.parts;
    if (swarm.has('no-watch-list')) {
      world.fault('no-watch-list', 'watch-listing');
      return stream.end(statusFailure(422, 'Invalid', 'sendInitialEvents is forbidden for watch'));
    }
    const wanted = asked === '' ? world.history.rv : Number(asked);
    const lie = asked === '' ? 'older-newest' : 'older-list';
    const older = swarm.strikes(lie) ? this.#olderThan(Math.min(wanted, at.rv)) : undefined;
    if (older === undefined && at.rv < wanted) {
      if (!waited) return stream.after(FRESH_WAIT_MS, () => this.#serveInitial(stream, asked, at, true));
      world.fault('too-large', 'watch-listing');
      return stream.fail(tooLarge(asked, String(at.rv)).status, true);
    }
    if (older !== undefined) world.fault(lie, 'watch-listing');
    if (older !== undefined && asked === '' && older < this.#seen) this.#traffic.wentBack();
    const rv = older ?? at.rv;
    const state = sorted(world.history.at(rv));
    const odd = swarm.strikes('odd-marker') ? dice.whole(0, state.length - 1) : -1;
    state.forEach((entry, i) => {
      if (i === odd) stream.send(bookmark(rv, 'false'));
      const frame = { type: 'ADDED', object: decoded(entry.object) } as const;
      stream.send(frame);
      if (!swarm.strikes('duplicate')) return;
      world.fault('duplicate', 'watch-listing');
      stream.send({ type: 'ADDED', object: decoded(entry.object) });
    });
    if (odd >= 0) world.fault('odd-marker', 'watch-listing');
    if (swarm.strikes('no-marker')) world.fault('no-marker', 'watch-listing');
    else if (swarm.strikes('late-marker')) {
      world.fault('late-marker', 'watch-listing');
      stream.after(dice.magnitude(500, 60_000), () => stream.send(bookmark(at.rv, 'true')));
    } else stream.send(bookmark(rv, 'true'));
    this.#attach(stream, at, rv);
  }

  /** From here on the stream follows its replica. */
  #attach(stream: Stream, at: Replica, rv: number): void {
    const { history, parts } = this.#world;
    stream.replica = at;
    stream.from = rv;
    stream.cursor = history.indexAfter(rv);
    this.#world.feed(stream);
    const tick = (): void => {
      // A bookmark is sent only when the version has changed.
      if (!stream.initial && at.rv > stream.from) stream.send(bookmark(at.rv));
      stream.after(BOOKMARK_EVERY_MS, tick);
    };
    if (parts.setup.bookmarks) stream.after(BOOKMARK_EVERY_MS, tick);
  }

  #doom(stream: Stream): void {
    const { swarm, dice } = this.#world.parts;
    const kind = FATES.find((fate) => swarm.strikes(fate));
    if (kind === undefined) return;
    const soon = kind === 'short-watch';
    const byFrames = soon || dice.chance(0.6);
    stream.doom({
      kind,
      afterFrames: byFrames ? (soon ? 0 : dice.whole(0, 25)) : Number.POSITIVE_INFINITY,
      afterMs: byFrames ? Number.POSITIVE_INFINITY : dice.magnitude(10, 200_000),
    });
  }

  // — both ———————————————————————————————————————————————————————————————

  #call<R>(isMain: boolean, signal: AbortSignal, serve: (call: Call<R>) => void): Promise<R> {
    const world = this.#world;
    return new Promise<R>((resolve, reject) => {
      const call = new Call<R>(isMain, world.parts.clock, signal, { resolve, reject }, (closed) =>
        world.calls.delete(closed as Call),
      );
      if (!call.isOpen) return;
      world.calls.add(call as Call);
      call.later(this.#latency(isMain ? 'listing' : undefined), () => serve(call));
    });
  }

  #show(rv: number): void {
    this.#world.shown = Math.max(this.#world.shown, rv);
  }

  /** The newest version that was sent to the client. */
  get #seen(): number {
    return Math.max(this.#world.shown, this.#world.clientAt());
  }

  #askClusterId(signal: AbortSignal): Promise<string> {
    return this.#call<string>(false, signal, (call) =>
      this.#world.isDown ? call.fail(refused()) : call.answer(this.#world.clusterId),
    );
  }

  #latency(state: ClientState | undefined): number {
    const { dice, swarm } = this.#world.parts;
    if (state === undefined || !swarm.strikes('slow-answer')) return dice.between(0.5, 20);
    this.#world.fault('slow-answer', state);
    return dice.magnitude(500, 20_000);
  }

  #refuse(purpose: Purpose): Error {
    if (purpose !== 'audit') this.#world.fault('refused', stateFor(purpose));
    return refused();
  }

  /** A failure, if the dice decide so. */
  #trouble(state: ClientState, options: WatchOptions, asksToWait: boolean): Error | undefined {
    const world = this.#world;
    const { swarm, dice } = world.parts;
    const struck = (kind: 'cut-rst' | 'throttled' | 'retry-after' | 'server-error' | 'gone-status'): boolean => {
      if (!swarm.strikes(kind)) return false;
      world.fault(kind, state);
      return true;
    };
    if (struck('cut-rst')) return reset();
    if (struck('throttled')) return throttled();
    if (struck('retry-after')) {
      const seconds = dice.whole(1, 30);
      if (asksToWait) this.#traffic.askedToWait(seconds * 1_000);
      return throttled(seconds);
    }
    if (struck('server-error')) return serverError(dice);
    // Only a request with a version can get 410.
    if (options.resourceVersion !== undefined && struck('gone-status')) return expired('too old resource version');
    return undefined;
  }

  /** A version a little older than `rv`; undefined when there is none. */
  #olderThan(rv: number): number | undefined {
    const { history, parts } = this.#world;
    const at = history.indexAfter(rv) - 1 - parts.dice.whole(1, 20);
    return at < 0 ? undefined : (history.entries[at] as Entry).rv;
  }

  #anyReplica(): Replica {
    return this.#world.parts.dice.pick(this.#world.replicas);
  }
}

/** The state of the client at a request. */
function stateFor(purpose: Purpose): ClientState {
  if (purpose === 'watch-list') return 'watch-listing';
  return purpose === 'watch' || purpose === 'probe' ? 'watching' : 'listing';
}

function sorted(state: State): Entry[] {
  return [...state.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}
