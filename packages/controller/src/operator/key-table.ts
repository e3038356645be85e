import type { Key, KubeObject, Live } from 'kube-informer/core';
import { Contest, contestSentence } from '../run/contest.ts';
import { HotLoop } from '../run/hot-loop.ts';
import { Reasons } from '../run/reasons.ts';

/** Maximum number of filtered events that are kept for `why`. */
const MAX_FILTERED = 3;

/** The state of one key that a controller keeps between runs. */
export interface KeyRecord {
  /** Consecutive failures at this generation. */
  failures: number;
  generation: number | undefined;
  reasons: Reasons;
  readonly hot: HotLoop;
  readonly contest: Contest;
  lastError: string | undefined;
  /** Message of a terminal error, until something changes. */
  terminal: string | undefined;
  /** The reason the key waits, while it does. */
  waitsFor: string | undefined;
  /** Last events that did not lead to a run. */
  filtered: readonly string[];
  /** Last known state of an object that was deleted. */
  last: Live<KubeObject> | undefined;
}

/** The records of keys. A record ends with its object. */
export class KeyTable {
  readonly #records = new Map<Key, KeyRecord>();

  get size(): number {
    return this.#records.size;
  }

  find(key: Key): KeyRecord | undefined {
    return this.#records.get(key);
  }

  get(key: Key): KeyRecord {
    const known = this.#records.get(key);
    if (known !== undefined) return known;
    const record: KeyRecord = {
      failures: 0,
      generation: undefined,
      reasons: new Reasons(),
      hot: new HotLoop(),
      contest: new Contest(),
      lastError: undefined,
      terminal: undefined,
      waitsFor: undefined,
      filtered: [],
      last: undefined,
    };
    this.#records.set(key, record);
    return record;
  }

  /** Records an event that a filter dropped. */
  filtered(key: Key, what: string): void {
    const record = this.get(key);
    record.filtered = [...record.filtered, what].slice(-MAX_FILTERED);
  }

  /**
   * Records the generation of an object that its own run wrote. If no other writer changed the spec
   * meanwhile, it does not count as a new spec: otherwise the loop of a controller that changes its own spec
   * in every run would never be detected or slowed down.
   */
  wrote(key: Key, generation: number | undefined): void {
    const record = this.#records.get(key);
    if (generation === undefined || record?.generation === undefined || generation !== record.generation + 1) return;
    record.generation = generation;
    record.hot.wrote(generation);
  }

  forget(key: Key): void {
    this.#records.delete(key);
  }

  /** Forgets all keys: the next leader begins with every existing key. */
  clear(): void {
    this.#records.clear();
  }

  /** Keys that failed with an error that no retry can repair, with the messages. */
  terminal(): readonly { readonly key: Key; readonly message: string }[] {
    return [...this.#records].flatMap(([key, { terminal: message }]) =>
      message === undefined ? [] : [{ key, message }],
    );
  }
}

/** Delay and reason of a key whose runs are slowed down because they achieve nothing; undefined if they are not. */
export function slowedInKeyTable(
  { hot, contest }: KeyRecord,
  now: number,
): { readonly ms: number; readonly why: string } | undefined {
  const [hotMs, contestMs] = [hot.notBefore - now, contest.notBefore(now) - now];
  const field = contest.field(now);
  if (contestMs > 0 && contestMs >= hotMs && field !== undefined)
    return { ms: contestMs, why: `a fight over ${contestSentence(field)}` };
  if (hotMs <= 0) return undefined;
  return { ms: hotMs, why: `hot loop${hot.path === undefined ? '' : ` on ${hot.path}`}` };
}
