import { goText, goTypeText } from '../../core/go/text.ts';
import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import { unknownStatusError, type StatusError } from '../../core/status-error.ts';
import { Work } from '../../core/work.ts';
import { cannotApplyPatch } from './cannot-apply.ts';
import { badPatchDirective, PATCH, SET_ORDER_PREFIX, withoutDirectives } from './strategic-directives.ts';

type MergeItems = (original: JsonObject, patch: JsonObject) => JsonObject;

interface MergedList {
  readonly merged: Json[];
  /** The order of the items that only the server has, for ordering the list again. */
  readonly order: Json[];
}

/** Merges a list of objects by their key, or unites two lists of scalars. Items in the patch keep the patch's order. */
export function mergeStrategicList(
  current: Json[],
  patch: Json[],
  mergeKey: string | undefined,
  mergeItems: MergeItems,
): MergedList {
  if (current.length === 0 && patch.length === 0) return { merged: current, order: current };
  if (!strategicListHoldsObjects(current, patch)) {
    const union = [...new Set([...current, ...patch])];
    return { merged: weaveStrategicLists(union, patch, current, undefined), order: current };
  }
  if (mergeKey === undefined) throw unknownStatusError('cannot merge lists without merge key for struct');
  const { kept, items, isReplaced } = applyToStrategicList(current as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = [...kept];
  const places = new Map<Json | undefined, number>();
  for (const [at, item] of merged.entries()) if (!places.has(item[mergeKey])) places.set(item[mergeKey], at);
  for (const item of items) {
    const key = strategicListMergeKey(item, mergeKey);
    const at = places.get(key);
    if (at === undefined) places.set(key, merged.push(item) - 1);
    else merged[at] = mergeItems(merged[at] as JsonObject, item);
  }
  for (const item of merged) strategicListMergeKey(item, mergeKey);
  return {
    merged: weaveStrategicLists(merged, items, kept, mergeKey),
    // The server deletes from and appends to the old list in place, and then uses what is left there.
    order: isReplaced ? current : merged.slice(0, current.length),
  };
}

/** The `$patch` items of a list: a delete removes items, a replace removes the whole list. */
function applyToStrategicList(
  current: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { kept: JsonObject[]; items: JsonObject[]; isReplaced: boolean } {
  const deleted = new Set<Json | undefined>();
  let isReplaced = false;
  const items: JsonObject[] = [];
  for (const item of patch) {
    if (!Object.hasOwn(item, PATCH)) items.push(item);
    else if (item[PATCH] === 'delete') {
      deleted.add(strategicListMergeKey(item, mergeKey));
    } else if (item[PATCH] === 'replace') isReplaced = true;
    else if (item[PATCH] === 'merge') throw unknownStatusError('merging lists cannot yet be specified in the patch');
    else throw badPatchDirective(item[PATCH] as Json, item);
  }
  if (isReplaced) return { kept: items, items: [], isReplaced };
  const kept = deleted.size === 0 ? [...current] : current.filter((item) => !deleted.has(item[mergeKey]));
  return { kept, items, isReplaced };
}

export interface OrderRequest {
  readonly current: Json[] | undefined;
  readonly patched: Json[] | undefined;
  readonly wanted: readonly Json[];
  readonly mergeKey: string | undefined;
  readonly merge: (current: Json[], patch: Json[]) => MergedList;
}

/** Merges a list and puts it into the order that `$setElementOrder` asks for. Undefined if there is no list. */
export function orderStrategicList({ current, patched, wanted, mergeKey, merge }: OrderRequest): Json[] | undefined {
  if (patched !== undefined) checkStrategicListOrder(patched, wanted, mergeKey);
  if (current === undefined && patched === undefined) return undefined;
  const { merged, order } =
    current !== undefined && patched !== undefined
      ? merge(current, patched)
      : { merged: current ?? (withoutDirectives(patched as Json[]) as Json[]), order: current ?? [] };
  if (mergeKey !== undefined) {
    for (const [at, item] of merged.entries()) {
      strategicListMergeKey(item, mergeKey);
      if (at === 0) requireObjectsInStrategicList(wanted);
    }
  }
  if ((current?.length ?? 0) + (patched?.length ?? 0) === 0) {
    throw unknownStatusError('no elements in any of the given slices');
  }
  if (mergeKey !== undefined) for (const item of wanted) strategicListMergeKey(item, mergeKey);
  return weaveStrategicLists(merged, wanted, order, mergeKey);
}

/** Checks that the patch's items are in the order that the directive names, and are all in it. */
function checkStrategicListOrder(
  patched: readonly Json[],
  wanted: readonly Json[],
  mergeKey: string | undefined,
): void {
  if (patched.length === 0 || wanted.length === 0) return;
  const items =
    mergeKey === undefined ? patched : patched.filter((item) => requireStrategicListObject(item)[PATCH] !== 'delete');
  let at = 0;
  let next = 0;
  while (at < items.length && next < wanted.length) {
    const item = items[at] as Json;
    if (isJson(item) && Object.hasOwn(item, PATCH)) {
      at++;
      continue;
    }
    if (strategicListItemIdentity(item, mergeKey) === strategicListItemIdentity(wanted[next] as Json, mergeKey)) at++;
    next++;
  }
  if (at >= items.length) return;
  const [list, order] = [goText([...patched]), goText([...wanted])];
  throw unknownStatusError(`The order in patch list:\n${list}\n doesn't match ${SET_ORDER_PREFIX} list:\n${order}\n`);
}

/**
 * Merges items of `first` in its order with the others in the order of `second`: each of the others comes
 * before the items that follow it in `second`.
 */
function weaveStrategicLists(
  merged: readonly Json[],
  first: readonly Json[],
  second: readonly Json[],
  mergeKey: string | undefined,
): Json[] {
  const rankIn = (list: readonly Json[]): ((item: Json) => number) => {
    const ranks = new Map<unknown, number>();
    for (const [rank, item] of list.entries()) {
      const key = looseStrategicListItemIdentity(item, mergeKey);
      if (!ranks.has(key)) ranks.set(key, rank);
    }
    return (item) => ranks.get(looseStrategicListItemIdentity(item, mergeKey)) ?? -1;
  };
  const [inFirst, inSecond] = [rankIn(first), rankIn(second)];
  const named = merged.filter((item) => inFirst(item) >= 0).sort((a, b) => inFirst(a) - inFirst(b));
  const others = merged.filter((item) => inFirst(item) < 0);
  sortStrategicListByRank(others, inSecond);
  const woven: Json[] = [];
  let at = 0;
  for (const item of named) {
    const rank = inSecond(item);
    while (
      at < others.length &&
      rank >= 0 &&
      inSecond(others[at] as Json) >= 0 &&
      inSecond(others[at] as Json) < rank
    ) {
      woven.push(others[at++] as Json);
    }
    woven.push(item);
  }
  return [...woven, ...others.slice(at)];
}

/** Insertion sort by rank. The algorithm matters: with it, items without a rank end up where the server puts them. */
function sortStrategicListByRank(items: Json[], rankOf: (item: Json) => number): void {
  const work = new Work('the patch of a list');
  const isLess = (a: number, b: number): boolean => a < 0 || b < 0 || a < b;
  for (let end = 1; end < items.length; end++) {
    for (let at = end; at > 0 && isLess(rankOf(items[at] as Json), rankOf(items[at - 1] as Json)); at--) {
      work.spend();
      [items[at], items[at - 1]] = [items[at - 1] as Json, items[at] as Json];
    }
  }
}

/** All elements of both lists must be of one type. */
export function strategicListHoldsObjects(current: readonly Json[], patch: readonly Json[]): boolean {
  const items = [...current, ...patch];
  const type = goTypeText(items[0] as Json);
  if (Array.isArray(items[0])) throw cannotApplyPatch();
  if (items.some((item) => goTypeText(item) !== type)) {
    throw unknownStatusError(`list element types are not identical: ${goText([[...current], [...patch]])}`);
  }
  return isJson(items[0]);
}

function requireObjectsInStrategicList(list: readonly Json[]): void {
  const at = list.findIndex((item) => !isJson(item));
  if (at >= 0) throw unknownStatusError(`value for key ${at} is not a map`);
}

const looseStrategicListItemIdentity = (item: Json, mergeKey: string | undefined): Json | undefined =>
  mergeKey !== undefined && isJson(item) ? item[mergeKey] : item;

const strategicListItemIdentity = (item: Json, mergeKey: string | undefined): Json =>
  mergeKey === undefined ? item : strategicListMergeKey(item, mergeKey);

function strategicListMergeKey(item: Json, mergeKey: string): Json {
  const object = requireStrategicListObject(item);
  if (!Object.hasOwn(object, mergeKey)) throw noStrategicListMergeKey(object, mergeKey);
  return object[mergeKey] as Json;
}

function requireStrategicListObject(item: Json): JsonObject {
  if (!isJson(item)) {
    throw unknownStatusError(`expected a map[string]interface {}, but received a ${goTypeText(item)}`);
  }
  return item;
}

const noStrategicListMergeKey = (item: JsonObject, mergeKey: string): StatusError =>
  unknownStatusError(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
