import { equalValues } from '../../cel/values/compare.ts';
import { parseCelTimeSpan, parseCelTime } from '../../cel/values/cel-time.ts';
import {
  ArrayList, Duration, fail, type Failure, isCelListValue, isCelMapValue, type ListValue, celValueItems, type MapValue, Timestamp, Uint, type Value,
} from '../../cel/values/cel-value.ts'; // prettier-ignore
import { spendWork } from '../../cel/values/work-meter.ts';
import { isJson, isSameJson, type Json, type JsonObject } from '../../core/json.ts';
import type { Schema } from '../schema/schema.ts';
import { mapValuesSchema } from './rule-map-values.ts';
import { fieldOfRuleName } from './rule-field-names.ts';
import { withObjectRuleTypes } from './rule-types.ts';

/** A value of an object as rules see it. Parts are converted when they are read. */
export function ruleValue(json: Json, schema: Schema): Value {
  if (json === null) return schema.nullable ? null : fail('invalid data, got null for schema with nullable=false');
  if (schema.intOrString) return intOrStringRuleValue(json);
  switch (schema.type) {
    case 'object': {
      if (!isJson(json)) return fail('invalid data, expected a map for the provided schema with type=object');
      return new ObjectValue(json, schema.embeddedResource ? withObjectRuleTypes(schema) : schema);
    }
    case 'array': {
      if (!Array.isArray(json)) return fail('invalid data, expected an array for the provided schema with type=array');
      if (schema.items === undefined) return fail('invalid array type, expected Items with a non-empty Schema');
      return new ArrayValue(json, schema, schema.items);
    }
    case 'string':
      return typeof json === 'string' ? textRuleValue(json, schema.format) : mistypedRuleValue('string', json);
    case 'number':
      return typeof json === 'number' ? json : mistypedRuleValue('float', json);
    case 'integer':
      return typeof json === 'number' && Number.isInteger(json) ? BigInt(json) : mistypedRuleValue('int', json);
    case 'boolean':
      return typeof json === 'boolean' ? json : mistypedRuleValue('bool', json);
    case undefined:
      return fail('invalid type, expected object, array, number, integer, boolean or string');
  }
}

const GO_TYPES: ReadonlyMap<string, string> = new Map(Object.entries({ string: 'string', boolean: 'bool' })); // prettier-ignore

function mistypedRuleValue(wanted: string, json: Json): Failure {
  const type = typeof json === 'number' ? (Number.isInteger(json) ? 'int64' : 'float64') : GO_TYPES.get(typeof json);
  const shown = type ?? (Array.isArray(json) ? '[]interface {}' : 'map[string]interface {}');
  return fail(`invalid data, expected ${wanted}, got ${shown}`);
}

function intOrStringRuleValue(json: Json): Value {
  if (typeof json === 'string') return json;
  if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json);
  return fail('invalid data, expected XIntOrString value to be either a string or integer');
}

function textRuleValue(text: string, format: string | undefined): Value {
  switch (format) {
    case 'duration':
      return parseCelTimeSpan(text) ?? fail(`Invalid duration ${text}: unable to parse ${text} as duration`);
    case 'date':
      return parseCelTime(`${text}T00:00:00Z`) ?? fail(`Invalid date formatted string ${text}`);
    case 'date-time':
      return parseCelTime(text) ?? fail(`Invalid date-time formatted string ${text}`);
    case 'byte':
      return Uint8Array.from(Buffer.from(text, 'base64'));
    case undefined:
    default:
      return text;
  }
}

/** An object or a map. Fields that the schema does not name are not visible. */
class ObjectValue implements MapValue {
  readonly kind = 'map';
  readonly #json: JsonObject;
  readonly #schema: Schema;
  readonly #values: Schema | undefined;
  #keys: readonly string[] | undefined;

  constructor(json: JsonObject, schema: Schema) {
    this.#json = json;
    this.#schema = schema;
    this.#values = schema.propertyNames.length > 0 ? undefined : mapValuesSchema(schema);
  }

  get size(): number {
    return this.keys().length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const name = this.#values === undefined ? fieldOfRuleName(key) : key;
    if (!Object.hasOwn(this.#json, name)) return undefined;
    // A field that is null counts as absent; a value of a map does not.
    if (this.#values === undefined && this.#json[name] === null) return undefined;
    const schema = this.#values ?? this.#schema.property(name);
    return schema === undefined ? undefined : ruleValue(this.#json[name] as Json, schema);
  }

  keys(): readonly string[] {
    this.#keys ??= Object.keys(this.#json).filter(
      (name) => this.#values !== undefined || this.#schema.property(name) !== undefined,
    );
    return this.#keys;
  }

  /** Compares all fields, including those that rules cannot see. */
  equals(other: MapValue): Value {
    const keys = Object.keys(this.#json);
    for (const key of keys) {
      const [one, two] = [this.find(key), other.find(key)];
      if (one !== undefined && two !== undefined) {
        const same = equalValues(one, two);
        if (same !== true) return same;
      } else if (one !== two) return false;
      else if (
        other instanceof ObjectValue &&
        Object.hasOwn(other.#json, key) &&
        !isSameRuleValueAt(this.#json[key], other.#json[key])
      )
        return false;
    }
    return true;
  }
}

/** Compares fields that rules cannot see, as JSON text, because they may be of any size. */
function isSameRuleValueAt(a: unknown, b: unknown): boolean {
  spendWork(JSON.stringify(a)?.length ?? 0);
  return isSameJson(a, b);
}

/** A list, with the equality and the `+` of its list type. */
class ArrayValue implements ListValue {
  readonly kind = 'list';
  readonly #json: readonly Json[];
  readonly #schema: Schema;
  readonly #items: Schema;

  constructor(json: readonly Json[], schema: Schema, items: Schema) {
    this.#json = json;
    this.#schema = schema;
    this.#items = items;
  }

  get size(): number {
    return this.#json.length;
  }

  item(index: number): Value {
    return ruleValue(this.#json[index] as Json, this.#items);
  }

  get #isKeyed(): boolean {
    return this.#schema.listType === 'map' || this.#schema.listType === 'set';
  }

  /** The identity of an item in a set or a keyed list. */
  #key(value: Value): string {
    const { listType, listMapKeys } = this.#schema;
    if (listType === 'set' || !isCelMapValue(value)) return plainRuleValue(value);
    return listMapKeys.map((name) => plainRuleValue(value.find(name) ?? null)).join('\n');
  }

  equals(other: ListValue): Value {
    if (!this.#isKeyed) return equalValues(new ArrayList(celValueItems(this)), new ArrayList(celValueItems(other)));
    return equalRuleValuesByKey(celValueItems(this), celValueItems(other), (value) => this.#key(value));
  }

  /** Concatenates lists. A set keeps one of each; in a keyed list the later item replaces the earlier. */
  concat(other: ListValue): Value {
    const items = [...celValueItems(this)];
    if (!this.#isKeyed) return new ArrayList([...items, ...celValueItems(other)]);
    const places = new Map(items.map((item, index) => [this.#key(item), index]));
    for (const item of celValueItems(other)) {
      const key = this.#key(item);
      const place = places.get(key);
      if (place === undefined) places.set(key, items.push(item) - 1);
      else if (this.#schema.listType === 'map') items[place] = item;
    }
    return new KeyedList(items, (value) => this.#key(value));
  }
}

/** A set or a keyed list that an expression has created. */
class KeyedList extends ArrayList {
  readonly #key: (value: Value) => string;

  constructor(items: readonly Value[], key: (value: Value) => string) {
    super(items);
    this.#key = key;
  }

  equals(other: ListValue): Value {
    return equalRuleValuesByKey(this.values, celValueItems(other), this.#key);
  }
}

function equalRuleValuesByKey(own: readonly Value[], others: readonly Value[], key: (value: Value) => string): Value {
  const known = new Map(own.map((item) => [key(item), item]));
  for (const item of others) {
    const same = known.get(key(item));
    if (same === undefined) return false;
    const isEqual = equalValues(same, item);
    if (isEqual !== true) return isEqual;
  }
  return true;
}

/** A text that is the same for equal values. */
function plainRuleValue(value: Value): string {
  if (value instanceof Uint) return `n${value.value}`;
  if (typeof value === 'bigint' || typeof value === 'number') return `n${value}`;
  if (value instanceof Timestamp || value instanceof Duration) return `t${value.nanos}`;
  if (isCelListValue(value)) return `[${celValueItems(value).map(plainRuleValue).join()}]`;
  if (isCelMapValue(value))
    return `{${value
      .keys()
      .map((key) => `${plainRuleValue(key)}:${plainRuleValue(value.find(key) ?? null)}`)
      .toSorted()
      .join()}}`;
  return JSON.stringify(value) ?? '';
}
