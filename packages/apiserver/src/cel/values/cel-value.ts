import type { Type } from '../types/type.ts';
import type { Failure } from './cel-failure.ts';
import { spendWork } from './work-meter.ts';

export { celFailure as fail, Failure } from './cel-failure.ts';

/**
 * A value: `int` is a bigint, `double` a number, `uint` a class of its own. A failure is a value too, because
 * the other side of `||` and `&&` may still decide.
 */
export type Value =
  | boolean
  | bigint
  | number
  | string
  | null
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | ListValue
  | MapValue
  | Optional
  | OpaqueValue
  | Failure;

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time. `offset` is that of its zone as it was written, in minutes. */
export class Timestamp {
  /** Nanoseconds since 1970. */
  readonly nanos: bigint;
  readonly offset: number;
  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value that may be absent: then `content` is undefined. */
export class Optional {
  readonly content: Value | undefined;
  constructor(content?: Value) {
    this.content = content;
  }
}

/** A value of a library: an IP address, a quantity. */
export abstract class OpaqueValue {
  abstract readonly type: Type;
  abstract equals(other: Value): boolean;
}

/** A list. The host may provide its own, which converts items when they are read. */
export interface ListValue {
  readonly kind: 'list';
  readonly size: number;
  /** The item at an index, which is within bounds. */
  item(index: number): Value;
  /** Compares two lists in a special way: a set is equal in any order. If absent, lists are compared item by item. */
  equals?(other: ListValue): Value;
  /** Concatenates two lists in a special way. */
  concat?(other: ListValue): Value;
}

export interface MapValue {
  readonly kind: 'map';
  readonly size: number;
  /** The value of a key; undefined if there is no such key. */
  find(key: Value): Value | undefined;
  keys(): readonly Value[];
  equals?(other: MapValue): Value;
}

export const isCelListValue = (value: Value): value is ListValue =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'list';

export const isCelMapValue = (value: Value): value is MapValue =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'map';

/** A list of existing values. */
export class ArrayList implements ListValue {
  readonly kind = 'list';
  readonly values: readonly Value[];
  constructor(values: readonly Value[]) {
    this.values = values;
  }
  get size(): number {
    return this.values.length;
  }
  item(index: number): Value {
    return this.values[index] as Value;
  }
}

/**
 * A list extended at its end, as macros do. It shares its items with the list that it extends, which keeps
 * its own size: a copy for each item would take quadratic time.
 */
export class GrownList implements ListValue {
  readonly kind = 'list';
  readonly size: number;
  readonly #shared: Value[];

  constructor(shared: Value[]) {
    this.#shared = shared;
    this.size = shared.length;
  }

  item(index: number): Value {
    return this.#shared[index] as Value;
  }

  concat(other: ListValue): Value {
    const shared = this.#shared.length === this.size ? this.#shared : [...celValueItems(this)];
    for (const item of celValueItems(other)) shared.push(item);
    return new GrownList(shared);
  }
}

const STEPS_PER_ITEM = 4;

export function celValueItems(list: ListValue): readonly Value[] {
  spendWork(list.size * STEPS_PER_ITEM);
  if (list instanceof ArrayList) return list.values;
  return Array.from({ length: list.size }, (_, index) => list.item(index));
}

/** Whether a value may be a key: a text, a number or a boolean. Other values have no unique text. */
export const isCelMapKeyValue = (value: Value): boolean => typeof value !== 'object' || value instanceof Uint;

/** A map indexed by the texts of its keys; numbers of all types with the same value are one key. */
export class KeyedMap implements MapValue {
  readonly kind = 'map';
  readonly #entries = new Map<string, readonly [Value, Value]>();
  get size(): number {
    return this.#entries.size;
  }
  /** Adds an entry. It replaces an earlier one with the same key. */
  add(key: Value, value: Value): void {
    this.#entries.set(keyTextOfCelValue(key), [key, value]);
  }
  find(key: Value): Value | undefined {
    return this.#entries.get(keyTextOfCelValue(key))?.[1];
  }
  keys(): readonly Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }
}

function keyTextOfCelValue(key: Value): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
  return `n${key as bigint}`;
}
