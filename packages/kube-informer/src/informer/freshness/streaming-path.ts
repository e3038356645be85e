import { ElapsedClock } from '../../core/elapsed-clock.ts';
import type { Env } from '../../core/env.ts';
import type { TypeRef } from '../../core/object/object.ts';
import { ReportedVersions } from './reported-versions.ts';

/** Period of polling for few informers. */
const MIN_PERIOD_MS = 5_000;
const MAX_PERIOD_MS = 60_000;
/** Minimum interval between two requests of any informers: the more there are, the less often each polls. */
const MIN_REQUEST_INTERVAL_MS = 200;
/** How long one informer's finding about the path to the server counts for the others. */
const FINDING_MS = 60_000;

/** Whether the path to the server delivers a stream at once, or holds it back until it ends, as a buffering proxy does. */
export type Delivery = 'streams' | 'buffers';

/**
 * Facts that the informers of one connection have learned about the path to the server, so that fifty informers learn
 * of one
 * buffering proxy once, and poll it together at a bounded rate.
 */
export class StreamingPath {
  readonly clock: ElapsedClock;
  #finding: { readonly delivery: Delivery; readonly at: number } | undefined;
  #pollers = 0;
  readonly #reported = new Map<string, ReportedVersions>();

  constructor(env: Env) {
    this.clock = new ElapsedClock(env);
  }

  /** The last finding; undefined once it is too old. */
  get delivery(): Delivery | undefined {
    const finding = this.#finding;
    return finding !== undefined && this.clock.read() - finding.at <= FINDING_MS ? finding.delivery : undefined;
  }

  found(delivery: Delivery): void {
    this.#finding = { delivery, at: this.clock.read() };
  }

  /**
   * The versions that the server reported for a resource. Undefined where the type does not identify the resource: metadata of
   * all resources has one type.
   */
  reportedVersions({ apiVersion, kind }: TypeRef = {}): ReportedVersions | undefined {
    if (apiVersion === undefined || kind === undefined || kind === 'PartialObjectMetadata') return undefined;
    const type = `${apiVersion} ${kind}`;
    let reported = this.#reported.get(type);
    if (reported === undefined) this.#reported.set(type, (reported = new ReportedVersions()));
    return reported;
  }

  /** Counts an informer that polls. Call the returned function when it stops. */
  joinPolling(): () => void {
    this.#pollers += 1;
    let left = false;
    return () => {
      if (!left) this.#pollers -= 1;
      left = true;
    };
  }

  /** Period of polling in whole seconds, because it is the `timeoutSeconds` of a watch. */
  get pollPeriodMs(): number {
    const shared = Math.ceil((this.#pollers * MIN_REQUEST_INTERVAL_MS) / 1_000) * 1_000;
    return Math.min(Math.max(MIN_PERIOD_MS, shared), MAX_PERIOD_MS);
  }
}
