import { goText, goTypeText } from '../../core/go/text.ts';
import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import { badRequestStatusError, type StatusError, unknownStatusError } from '../../core/status-error.ts';

export const PATCH = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const DELETE_FROM_PREFIX = '$deleteFromPrimitiveList';
export const SET_ORDER_PREFIX = '$setElementOrder';

const BAD_FORMAT: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    [DELETE_FROM_PREFIX]: 'invalid patch format of primitive list',
    [SET_ORDER_PREFIX]: 'invalid patch format of setElementOrder list',
  }),
);

/** The field that a directive such as `$setElementOrder/containers` is about. */
export function directiveListField(directive: string, prefix: string): string {
  if (!directive.startsWith(`${prefix}/`)) throw badRequestStatusError(BAD_FORMAT.get(prefix) as string);
  return directive.slice(prefix.length + 1);
}

export function requireDirectiveList(value: Json): Json[] {
  if (!Array.isArray(value)) throw unknownStatusError(`expected a []interface {}, but received a ${goTypeText(value)}`);
  return value;
}

export const badPatchDirective = (directive: Json, patch: JsonObject): StatusError =>
  unknownStatusError(`unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);

/**
 * A value of a patch for which the object has nothing to merge. Objects with `$patch` are dropped wherever
 * they are in the value; undefined if the value itself is one.
 */
export function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJson(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const kept: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const cleaned = withoutDirectives(item);
    if (cleaned !== undefined) kept[key] = cleaned;
  }
  return kept;
}
