import { hasCode, type WatchOptions } from 'kube-informer/core';
import { expired, statusFailure, tooLarge } from 'kube-informer/testing';
import type { Dice } from './dice.ts';
import { FATES } from './faults.ts';
import { decoded } from './history.ts';
import { type Role, roleOf } from './path.ts';
import type { Replica } from './replica.ts';
import { FRESH_WAIT_MS, isParsable, type Requests, sorted } from './requests.ts';
import { bookmark, type Ending, type Frame, Stream } from './stream.ts';
import type { Purpose } from './traffic.ts';
import { stateOf, type World } from './world.ts';

/** A watch that ends sooner without an event, or with an error, must be followed by a pause. */
const SHORT_WATCH_MS = 1_000;
const MIN_PAUSE_MS = 800;
/** The same after a response that had begun: the server is there. */
const MIN_CUT_PAUSE_MS = 200;
/** A stream that lived this long may be reopened at once, however it ended. */
const HEALTHY_LIFE_MS = 5_000;
/** How soon a server that waits for its copy to catch up looks again. */
const LOOK_AGAIN_MS = 50;
const BOOKMARK_EVERY_MS = 60_000;
/** A shorter watch gets no bookmark before its end. */
const MIN_SECONDS_FOR_BOOKMARK = 3;

/** Answers watches, streamed lists and echoes. */
export class WatchServer {
  readonly #world: World;
  readonly #requests: Requests;
  /** Separate dice for the ends of streams. */
  readonly #ends: Dice;

  constructor(world: World, requests: Requests) {
    this.#world = world;
    this.#requests = requests;
    this.#ends = world.parts.dice.fork(2);
  }

  watch(options: WatchOptions, signal: AbortSignal): Stream {
    const world = this.#world;
    const { clock, dice } = world.parts;
    const role = roleOf(options);
    const initial = options.sendInitialEvents === true && role !== 'echo';
    const beside = role !== 'long' && [...world.streams].some((open) => open.role === 'long');
    if (role !== 'echo' && !beside) world.settled();
    this.#requests.traffic.requested(purposeOf(role, initial, beside), options);
    const stream = new Stream(
      {
        clock,
        dice,
        struck: (kind, struck) => world.fault(kind, stateOf(struck)),
        hindered: (what, { role: hindered }) => world.path.strike(`${hindered} watch: ${what}`),
        delivered: (frame, from) => this.#delivered(frame, from),
        closed: (closed, how) => this.#closed(closed, how),
      },
      signal,
      initial,
      role,
    );
    if (!stream.isOpen) return stream;
    world.streams.add(stream);
    stream.after(this.#requests.latency(stateOf(stream)), () => this.#serveWatch(stream, options));
    return stream;
  }

  #delivered(frame: Frame, stream: Stream): void {
    // What an echo says is in no cache.
    if (frame.type !== 'ERROR' && stream.role !== 'echo') {
      const version = Number(frame.object.metadata?.resourceVersion ?? 0);
      if (version <= this.#world.history.rv) this.#requests.show(version);
    }
    this.#requests.traffic.delivered(frame, stream);
  }

  #closed(stream: Stream, { by, error, frames, ageMs }: Ending): void {
    this.#world.streams.delete(stream);
    if (by === 'server') this.#requests.traffic.ended(stream);
    const short = frames === 0 && ageMs < SHORT_WATCH_MS;
    // A stream that worked until its connection was cut may be reopened at once, and so may one that lived.
    const cut = (frames > 0 && hasCode(error, 'TRANSPORT')) || ageMs >= HEALTHY_LIFE_MS;
    if (by !== 'server' || stream.initial || stream.role !== 'long' || cut) return;
    const pauseMs = stream.progress.opened && hasCode(error, 'TRANSPORT') ? MIN_CUT_PAUSE_MS : MIN_PAUSE_MS;
    if (error !== undefined || short) this.#requests.traffic.needsPause(pauseMs);
  }

  #serveWatch(stream: Stream, options: WatchOptions): void {
    const world = this.#world;
    const { role } = stream;
    if (world.isDown) return stream.end(this.#requests.refuse(stream.initial ? 'watch-list' : 'watch'));
    const refusal = world.path.refusalOf(role, options);
    if (refusal === 'never') return;
    if (refusal !== undefined) return stream.end(refusal);
    const trouble = this.#requests.trouble(stateOf(stream), options, role === 'long');
    if (trouble !== undefined) return stream.end(trouble);
    const { resourceVersion = '' } = options;
    if (!isParsable(resourceVersion)) return stream.end(invalidVersion(resourceVersion));
    stream.accept(world.path.wayFor(role));
    const { afterMs = 0, status } = world.path.layers.breaks?.(role) ?? {};
    if (status !== undefined) stream.after(afterMs, () => stream.fail(status, true));
    const at = this.#requests.anyReplica(role);
    if (role === 'echo') return this.#serveEcho(stream, options, at);
    // kube-apiserver takes 0 for no wish.
    const timeoutSeconds = options.timeoutSeconds || 1_800;
    if (role === 'long') this.#doom(stream);
    if (!stream.isOpen) return;
    // A dead connection does not deliver its own end.
    stream.after(
      Math.min(timeoutSeconds * 1_000, world.parts.setup.watchLifeMs),
      () => void (stream.stalled || stream.end()),
    );
    if (stream.initial) this.#serveInitial(stream, resourceVersion, at, false);
    else this.#serveFrom(stream, Number(resourceVersion), at);
    if (options.allowWatchBookmarks === true && timeoutSeconds >= MIN_SECONDS_FOR_BOOKMARK)
      stream.after((timeoutSeconds - this.#ends.between(1, 3)) * 1_000, () => this.#bookmark(stream));
  }

  /** Sends only the end marker, at the current version of the storage. */
  #serveEcho(stream: Stream, options: WatchOptions, at: Replica): void {
    const world = this.#world;
    const { timeoutSeconds = 1, resourceVersion: asked = '' } = options;
    const timeoutMs = timeoutSeconds * 1_000 + this.#ends.between(5, 11);
    // The end marker is a bookmark: a server without them cannot stream lists.
    if (world.parts.swarm.has('no-watch-list') || !world.parts.setup.bookmarks)
      return stream.end(statusFailure(422, 'Invalid', 'sendInitialEvents is forbidden for watch'));
    const wanted = asked === '' ? world.history.rv : Number(asked);
    if (at.cutOff) {
      const spoken = this.#ends.chance(0.5);
      const late = tooLarge(String(wanted), String(at.rv)).status;
      return stream.after(timeoutMs, () => (spoken ? stream.fail(late, true) : stream.end()));
    }
    world.refresh(at);
    if (at.rv < wanted) {
      if (stream.ageMs < FRESH_WAIT_MS) return stream.after(LOOK_AGAIN_MS, () => this.#serveEcho(stream, options, at));
      return stream.fail(tooLarge(String(wanted), String(at.rv)).status, true);
    }
    stream.send(bookmark(at.rv, 'true'));
    stream.after(timeoutMs, () => stream.end());
  }

  #serveFrom(stream: Stream, rv: number, at: Replica): void {
    const world = this.#world;
    if (rv === 0) {
      // Any state will do: its objects, in no order, and then the changes.
      for (const entry of at.state.values()) stream.send({ type: 'ADDED', object: decoded(entry.object) });
      return this.#attach(stream, at, at.rv);
    }
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
    if (swarm.has('no-watch-list') || !world.parts.setup.bookmarks) {
      if (swarm.has('no-watch-list')) world.fault('no-watch-list', 'watch-listing');
      return stream.end(statusFailure(422, 'Invalid', 'sendInitialEvents is forbidden for watch'));
    }
    const wanted = asked === '' ? world.history.rv : Number(asked);
    // Never answered: the client gives up.
    if (at.cutOff && wanted > at.rv) return;
    world.refresh(at);
    const lie = asked === '' ? 'older-newest' : 'older-list';
    const older = swarm.strikes(lie) ? this.#requests.olderThan(Math.min(wanted, at.rv)) : undefined;
    if (older === undefined && at.rv < wanted) {
      if (!waited) return stream.after(FRESH_WAIT_MS, () => this.#serveInitial(stream, asked, at, true));
      world.fault('too-large', 'watch-listing');
      return stream.fail(tooLarge(asked, String(at.rv)).status, true);
    }
    if (older !== undefined) world.fault(lie, 'watch-listing');
    if (older !== undefined && asked === '' && older < this.#requests.seen) this.#requests.traffic.wentBack();
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

  /** Makes the stream follow its replica. */
  #attach(stream: Stream, at: Replica, rv: number): void {
    const { history, parts } = this.#world;
    stream.replica = at;
    stream.from = rv;
    stream.cursor = history.indexAfter(rv);
    this.#world.feed(stream);
    const tick = (): void => {
      this.#bookmark(stream);
      stream.after(BOOKMARK_EVERY_MS, tick);
    };
    if (parts.setup.bookmarks) stream.after(BOOKMARK_EVERY_MS, tick);
  }

  /** A bookmark at or below the version of opening is not sent. */
  #bookmark(stream: Stream): void {
    const { replica, initial, from } = stream;
    const { path, parts } = this.#world;
    if (replica === undefined || initial || !parts.setup.bookmarks) return;
    if (replica.rv <= from && path.layers.oldBookmarks !== true) return;
    const { rewriteFrame = (frame) => frame } = path.layers;
    stream.send(rewriteFrame(bookmark(replica.rv)));
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
}

function purposeOf(role: Role, initial: boolean, beside: boolean): Purpose {
  if (role === 'echo') return 'echo';
  if (role === 'short') return beside ? 'witness' : 'poll';
  return initial ? 'watch-list' : 'watch';
}

/** A version that a watch cannot start from; kube-apiserver gives no reason with it. */
export function invalidVersion(resourceVersion: string): Error {
  return statusFailure(
    500,
    '',
    `resourceVersion: Invalid value: "${resourceVersion}": strconv.ParseUint: invalid syntax`,
  );
}
