import { type ListValue, type MapValue, type Value } from '../../cel/values/cel-value.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** A value of an object without a schema: whole numbers are `int`, others `double`. Parts are converted when they are read. */
export function dynValue(json: Json | undefined): Value {
  if (json === undefined || json === null) return null;
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (typeof json !== 'object') return json;
  return Array.isArray(json) ? new DynList(json) : new DynMap(json);
}

class DynList implements ListValue {
  readonly kind = 'list';
  readonly #items: readonly Json[];

  constructor(items: readonly Json[]) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  item(index: number): Value {
    return dynValue(this.#items[index]);
  }
}

class DynMap implements MapValue {
  readonly kind = 'map';
  readonly #object: JsonObject;

  constructor(object: JsonObject) {
    this.#object = object;
  }

  get size(): number {
    return Object.keys(this.#object).length;
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' && Object.hasOwn(this.#object, key) ? dynValue(this.#object[key]) : undefined;
  }

  keys(): readonly Value[] {
    return Object.keys(this.#object);
  }
}
