import { fail, Failure, isCelListValue, isCelMapValue, Optional, Uint, type Value } from '../values/cel-value.ts';

/** Evaluates `value.field`. */
export function memberField(value: Value, field: string): Value {
  if (value instanceof Optional) {
    if (value.content === undefined) return value;
    const found = isCelMapValue(value.content) ? value.content.find(field) : undefined;
    if (found instanceof Failure) return found;
    return new Optional(found);
  }
  if (isCelMapValue(value)) return value.find(field) ?? fail(`no such key: ${field}`);
  return value instanceof Failure ? value : fail('no such overload');
}

/** Evaluates `has(value.field)`. */
export function hasMemberField(value: Value, field: string): Value {
  if (value instanceof Failure) return value;
  if (value instanceof Optional) return value.content !== undefined && hasMemberField(value.content, field);
  if (!isCelMapValue(value)) return fail('no such overload');
  const found = value.find(field);
  return found instanceof Failure ? found : found !== undefined;
}

/** A number as an index; undefined for fractions. */
function memberIndex(index: Value): number | undefined {
  if (typeof index === 'bigint') return Number(index);
  if (index instanceof Uint) return Number(index.value);
  return typeof index === 'number' && Number.isInteger(index) ? index : undefined;
}

/** Evaluates `value[index]`. */
export function memberElement(value: Value, index: Value): Value {
  if (value instanceof Optional) return optionalMemberElement(value, index);
  if (isCelMapValue(value)) return value.find(index) ?? fail(`no such key: ${memberKeyText(index)}`);
  if (!isCelListValue(value)) return fail('no such overload');
  const at = memberIndex(index);
  if (at === undefined) return fail(`unsupported index value: ${memberKeyText(index)}`);
  return at < 0 || at >= value.size ? fail(`index out of bounds: ${memberKeyText(index)}`) : value.item(at);
}

/** Evaluates `value[?index]` and `value.?field`. */
export function optionalMemberElement(value: Value, index: Value): Value {
  const from = value instanceof Optional ? value.content : value;
  if (from === undefined) return new Optional();
  if (isCelMapValue(from)) {
    const found = from.find(index);
    return found instanceof Failure ? found : new Optional(found);
  }
  const at = memberIndex(index);
  if (!isCelListValue(from)) return fail('no such overload');
  if (at === undefined || at < 0 || at >= from.size) return new Optional();
  const item = from.item(at);
  return item instanceof Failure ? item : new Optional(item);
}

const memberKeyText = (key: Value): string => (key instanceof Uint ? `${key.value}` : `${key as string | bigint}`);
