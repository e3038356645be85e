import type { Env } from 'kube-informer/core';
import type { FaultRequest } from '../../http/seams.ts';
import type { Write } from '../../storage/store/stored-collection.ts';
import { faultRuleActionName, checkRule } from './check-fault-rule.ts';
import { faultRuleMatchesRequest, faultRuleMatchesWrite } from './match.ts';
import type { FaultHandle, FaultRule, FiredFault, Span } from './rule.ts';

/** Maximum number of fired faults that are remembered. */
const REMEMBERED = 1000;

/** An active rule, with its counters. */
export class ActiveRule implements FaultHandle {
  readonly id: number;
  readonly rule: FaultRule;
  /** Name of the rule in logs: `cut rst`. */
  readonly label: string;
  readonly hit: Promise<void>;
  readonly done: Promise<void>;
  readonly random: () => number;
  readonly #book: RuleBook;
  readonly #releases = new Set<() => void>();
  #resolveHit: () => void = () => {};
  #resolveDone: () => void = () => {};
  #seen = 0;
  #count = 0;
  #isOver = false;

  constructor(book: RuleBook, id: number, rule: FaultRule, random: () => number) {
    this.#book = book;
    this.id = id;
    this.rule = rule;
    this.random = random;
    this.label = ruleBookLabel(rule);
    this.hit = new Promise((resolve) => (this.#resolveHit = resolve));
    this.done = new Promise((resolve) => (this.#resolveDone = resolve));
  }

  get count(): number {
    return this.#count;
  }

  /** Whether the rule applies to this request. Call it once for each: calls are counted. */
  wants(request: FaultRequest): boolean {
    const { match = {} } = this.rule;
    return !this.#isOver && this.attempt(() => faultRuleMatchesRequest(match, request), false) && this.#draws();
  }

  wantsWrite(write: Write): boolean {
    const { match = {} } = this.rule;
    return !this.#isOver && faultRuleMatchesWrite(match, write) && this.#draws();
  }

  /** Counts an application of the rule; false if it was removed or has applied `times` times. */
  fire(request?: FaultRequest, write?: Write): boolean {
    if (this.#isOver) return false;
    this.#count += 1;
    request?.note(this.label);
    this.#book.fired(this, request, write);
    this.#resolveHit();
    if (this.#count >= (this.rule.times ?? 1)) {
      this.#isOver = true;
      this.#book.forget(this);
      this.#resolveDone();
    }
    return true;
  }

  /** Runs an action of the rule so that the server survives its errors: a rule that throws is removed and reported. */
  attempt<T>(act: () => T, otherwise: T): T {
    try {
      return act();
    } catch (error) {
      this.#book.failed(this, error);
      this.remove();
      return otherwise;
    }
  }

  /** A random number from a range, new each time. */
  draw(span: Span): number {
    if (typeof span === 'number') return span;
    const [from, to] = span;
    return from + Math.floor(this.random() * (to - from + 1));
  }

  /** Called when the rule is removed: held events must continue. Returns a function that unregisters it. */
  onRemove(release: () => void): () => void {
    this.#releases.add(release);
    return () => void this.#releases.delete(release);
  }

  remove(): void {
    this.#isOver = true;
    this.#book.forget(this);
    this.#resolveDone();
    for (const release of this.#releases) release();
    this.#releases.clear();
  }

  #draws(): boolean {
    this.#seen += 1;
    const { match: { nth } = {}, probability = 1 } = this.rule;
    if (nth !== undefined && nth !== this.#seen) return false;
    return probability === 1 || this.random() < probability;
  }
}

/** The active rules. */
export class RuleBook {
  readonly #env: Env;
  readonly #onChange: () => void;
  readonly #rules = new Set<ActiveRule>();
  #fired: FiredFault[] = [];
  #lastId = 0;

  constructor(env: Env, onChange: () => void) {
    this.#env = env;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#rules.size;
  }

  /** Faults that fired, oldest first. */
  get history(): readonly FiredFault[] {
    return this.#fired.slice(-REMEMBERED);
  }

  all(): readonly ActiveRule[] {
    return [...this.#rules];
  }

  get(id: number): ActiveRule | undefined {
    return this.all().find((rule) => rule.id === id);
  }

  add(value: FaultRule, random: () => number = () => this.#env.random()): ActiveRule {
    const rule = checkRule(value);
    const active = new ActiveRule(this, (this.#lastId += 1), rule, random);
    this.#rules.add(active);
    if (rule.forMs !== undefined) {
      const stop = new AbortController();
      void active.done.then(() => stop.abort());
      void this.#env.sleep(rule.forMs, stop.signal).then(() => active.remove());
    }
    this.#onChange();
    return active;
  }

  forget(rule: ActiveRule): void {
    if (this.#rules.delete(rule)) this.#onChange();
  }

  failed({ id, label }: ActiveRule, error: unknown): void {
    this.#env.log('error', 'a fault rule failed and is removed', { rule: id, fault: label, error });
  }

  fired({ id, label }: ActiveRule, request: FaultRequest | undefined, write: Write | undefined): void {
    const verb = request?.info.verb ?? write?.type.toLowerCase() ?? '';
    const path =
      request?.info.path ?? (write === undefined ? '' : `${write.collection}/${write.namespace}/${write.name}`);
    this.#fired.push({ time: this.#env.wallNow(), rule: id, fault: label, verb, path });
    if (this.#fired.length > REMEMBERED * 2) this.#fired = this.#fired.slice(-REMEMBERED);
    this.#env.log('debug', 'a fault applies', { fault: label, verb, path });
  }
}

function ruleBookLabel({ do: action, illegal }: FaultRule): string {
  const name = faultRuleActionName(action);
  const value = (action as unknown as Record<string, unknown>)[name];
  const text =
    value === true || typeof value === 'function' ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return `${illegal === true ? 'ILLEGAL ' : ''}${name}${text === '' ? '' : ` ${text}`}`;
}
