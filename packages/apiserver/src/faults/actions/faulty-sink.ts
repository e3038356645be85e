import type { Env } from 'kube-informer/core';
import { isJson, type JsonObject } from '../../core/json.ts';
import type { FaultRequest } from '../../http/seams.ts';
import { jsonFrames } from '../../storage/watch/watch-form.ts';
import type { FrameCodec, WatchSink } from '../../storage/watch/watch-sink.ts';
import { isProtobufInRuleSchema } from '../rules/rule-schema.ts';
import type { ActiveRule } from '../rules/rule-book.ts';
import type { FaultAction } from '../rules/rule.ts';
import {
  faultFrameBeginning,
  ageBookmarkFaultFrame,
  type FrameKind,
  faultFrameObjectKey,
  faultFrameKind,
  retypeFaultFrame,
} from './frame.ts';
import { garbageStreamError, streamGarbage } from './garbage.ts';
import { PacedSink } from './paced-sink.ts';
import { cutFaultyTransport, sendFaultyTransportGoaway, stopReadingFaultyTransport } from './faulty-transport.ts';

/** A rule that applies to this watch. */
interface Claim {
  readonly active: ActiveRule;
  readonly action: FaultAction;
  /** Number of the event that it waits for, if any. */
  readonly event: number;
  /** Number of events since the rule was added. */
  seen: number;
  /** Whether the rule already applies to this watch. */
  isHeld: boolean;
}

/** One frame on its way through the rules. */
interface Passing {
  bytes: Buffer;
  delayMs: number;
  isDropped: boolean;
  isHeldBack: boolean;
  /** Frames sent right after it. */
  readonly copies: Buffer[];
  /** Callbacks after it is written. */
  readonly after: (() => void)[];
}

/**
 * A watch with faults: every frame passes through the rules that match this watch.
 *
 * Rules act in the order in which they were added. Only rules for that purpose change the order or the
 * content of events.
 */
export class FaultySink implements WatchSink {
  readonly singleFrames = true;
  readonly #env: Env;
  readonly #request: FaultRequest;
  readonly #paced: PacedSink;
  #claims: Claim[] = [];
  readonly codec: FrameCodec;
  #last: Buffer;
  /** An event that is held back until the next one has passed. */
  #overtaken: Buffer | undefined;
  /** Callbacks that release what rules hold for this watch; called when it ends. */
  readonly #leaving = new Set<() => void>();

  constructor(env: Env, request: FaultRequest, sink: WatchSink) {
    this.#env = env;
    this.#request = request;
    this.#paced = new PacedSink(env, sink);
    this.codec = sink.codec ?? jsonFrames;
    this.#last = this.codec.write('MODIFIED', { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x' } });
    if (request.gone.aborted) this.#leave();
    else request.gone.addEventListener('abort', () => this.#leave(), { once: true });
  }

  get queued(): number {
    return this.#paced.queued;
  }

  drained(): Promise<void> {
    return this.#paced.drained();
  }

  /** Makes the rule act on this response from now on. */
  attach(active: ActiveRule): void {
    const { do: action, at } = active.rule;
    if ('garbage' in action && isProtobufInRuleSchema(action.garbage) && this.codec.encoding !== 'protobuf') return;
    const event = typeof at === 'object' && 'event' in at ? active.draw(at.event) : -1;
    const claim: Claim = { active, action, event, seen: 0, isHeld: false };
    const act = (): void =>
      active.attempt(() => {
        if (!this.#paced.isStopped && this.#strikes(claim)) this.#act(claim);
      }, undefined);
    if (typeof at === 'object' && 'bytes' in at)
      return this.#paced.after(active.draw(at.bytes), () => this.#paced.afterwards(act));
    if (typeof at === 'object' && 'ms' in at) {
      const stop = this.#whileOpen(active);
      void this.#env.sleep(active.draw(at.ms), stop.signal).then(() => {
        stop.abort();
        act();
      });
      return;
    }
    if (event === 0) return this.#paced.afterwards(act);
    // Drops queued events, as a real cut does.
    if (at === undefined && actsOnFaultySinkAtOnce(action)) return act();
    if (at === undefined && this.#pace(claim)) return;
    this.#claims.push(claim);
    this.#leaving.add(active.onRemove(() => (this.#claims = this.#claims.filter((one) => one !== claim))));
  }

  write(frame: Buffer): void {
    const kind = faultFrameKind(frame, this.codec);
    const passing: Passing = {
      bytes: frame,
      delayMs: 0,
      isDropped: false,
      isHeldBack: false,
      copies: [],
      after: [],
    };
    if (kind === 'event') for (const claim of this.#claims) claim.seen += 1;
    for (const claim of this.#claims) {
      if (!this.#isAbout(claim, kind, frame) || !this.#strikes(claim)) continue;
      const { at } = claim.active.rule;
      const offset = typeof at === 'object' && 'event' in at ? at.offset : undefined;
      if (offset !== undefined) {
        this.#paced.write(faultFrameBeginning(frame, offset, this.codec), passing.delayMs);
        return this.#actAfterwards(claim);
      }
      claim.active.attempt(() => this.#change(claim, passing), undefined);
    }
    this.#last = frame;
    this.#send(passing);
  }

  end(): void {
    for (const claim of this.#claims) {
      if (claim.active.rule.at !== 'end' || !this.#strikes(claim)) continue;
      this.#actAfterwards(claim);
      // A GOAWAY lets the stream end normally; any other action replaces the end.
      if (!('goaway' in claim.action)) return;
    }
    this.#paced.end();
  }

  #send({ bytes, delayMs, isDropped, isHeldBack, copies, after }: Passing): void {
    if (isHeldBack) {
      this.#overtaken = bytes;
      return;
    }
    if (!isDropped) this.#paced.write(bytes, delayMs);
    for (const copy of copies) this.#paced.write(copy, delayMs);
    const late = this.#overtaken;
    this.#overtaken = undefined;
    if (late !== undefined) this.#paced.write(late, delayMs);
    for (const act of after) act();
  }

  /** Whether a rule applies to a frame. An action without a place applies to every frame that it can change. */
  #isAbout({ active, action, event, seen }: Claim, kind: FrameKind, frame: Buffer): boolean {
    const { at } = active.rule;
    if (at === kind) return true;
    if (typeof at === 'object' && 'event' in at) return kind === 'event' && event === seen;
    if (typeof at === 'object' && 'object' in at)
      return kind === 'event' && faultFrameObjectKey(frame, this.codec) === at.object;
    if (at !== undefined) return false;
    if ('drop' in action)
      return kind === (action.drop === 'events' ? 'event' : action.drop === 'bookmarks' ? 'bookmark' : action.drop);
    if ('bookmarksBehind' in action) return kind === 'bookmark';
    return kind === 'event';
  }

  #strikes(claim: Claim): boolean {
    claim.isHeld ||= claim.active.fire(this.#request);
    return claim.isHeld;
  }

  #change(claim: Claim, passing: Passing): void {
    const { action, active } = claim;
    if ('delay' in action) {
      const { ms, jitterMs = 0 } = action.delay;
      passing.delayMs += ms + jitterMs * active.random();
    } else if ('duplicate' in action) {
      const { as } = action;
      const copy = as === undefined ? passing.bytes : retypeFaultFrame(passing.bytes, as, this.codec);
      for (let i = 0; i < action.duplicate; i += 1) passing.copies.push(copy);
    } else if ('drop' in action) passing.isDropped = true;
    else if ('bookmarksBehind' in action)
      passing.bytes = ageBookmarkFaultFrame(passing.bytes, action.bookmarksBehind, this.codec);
    else if ('reorder' in action) passing.isHeldBack = this.#overtaken === undefined;
    else passing.after.push(() => this.#actAfterwards(claim));
  }

  /** Starts an action that slows down the whole stream. False if the action is of another kind. */
  #pace({ active, action }: Claim): boolean {
    const paced = this.#paced;
    let undo: () => void;
    if ('hold' in action) {
      paced.hold();
      undo = () => paced.release();
    } else if ('throttle' in action) {
      paced.throttle = action.throttle;
      undo = () => (paced.throttle = undefined);
    } else if ('split' in action) {
      paced.split = action.split;
      undo = () => (paced.split = 1);
    } else if ('merge' in action) {
      paced.mergeMs = action.merge.ms;
      undo = () => (paced.mergeMs = 0);
    } else return false;
    // Registered before it fires: after its last application, the book forgets a rule, but its handle does not.
    this.#leaving.add(active.onRemove(undo));
    if (!active.fire(this.#request)) undo();
    return true;
  }

  #actAfterwards(claim: Claim): void {
    this.#paced.afterwards(() => claim.active.attempt(() => this.#act(claim), undefined));
  }

  /** Performs an action at one place of the stream. */
  #act({ action, active }: Claim): void {
    const paced = this.#paced;
    if ('cut' in action) {
      paced.stop();
      void cutFaultyTransport(this.#env, this.#request, action.cut, action.code);
    } else if ('silence' in action) {
      paced.stop();
      if (action.silence === 'deaf') void stopReadingFaultyTransport(this.#env, this.#request);
    } else if ('end' in action) this.#finish();
    else if ('goaway' in action) sendFaultyTransportGoaway(this.#request);
    else if ('error' in action) {
      paced.write(this.codec.write('ERROR', garbageStreamError(action.error)));
      this.#finish();
    } else if ('garbage' in action) {
      const { bytes, ends = false } = streamGarbage(action.garbage, this.#last, active.random, this.codec);
      paced.write(bytes);
      if (ends) this.#finish();
    } else if ('inject' in action) paced.write(faultySinkFrame(action.inject, this.codec));
  }

  /** Ends the stream. The watcher itself ends when the client closes the connection. */
  #finish(): void {
    this.#paced.end();
    this.#paced.afterwards(() => this.#paced.stop());
  }

  /**
   * Returns a controller that aborts with the rule or the watch, whichever ends first; when aborted directly,
   * both forget it.
   */
  #whileOpen(active: ActiveRule): AbortController {
    const stop = new AbortController();
    const leave = (): void => stop.abort();
    const forget = active.onRemove(leave);
    this.#leaving.add(leave);
    stop.signal.addEventListener('abort', () => {
      forget();
      this.#leaving.delete(leave);
    });
    return stop;
  }

  #leave(): void {
    this.#paced.stop();
    for (const leave of this.#leaving) leave();
    this.#leaving.clear();
  }
}

/** Encodes a frame: any JSON in a stream of JSON; in protobuf an event must have a type and an object. */
function faultySinkFrame(event: JsonObject, frames: FrameCodec): Buffer {
  if (frames.encoding === 'json') return Buffer.from(`${JSON.stringify(event)}\n`);
  const { type, object } = event;
  return frames.write(typeof type === 'string' ? type : '', isJson(object) ? object : {});
}

const AT_ONCE = ['cut', 'silence', 'end', 'goaway', 'error', 'garbage', 'inject'];

const actsOnFaultySinkAtOnce = (action: FaultAction): boolean => AT_ONCE.some((name) => name in action);
