import { isJson, type Json, type JsonObject } from '../../../core/json.ts';
import { listItemElement } from './list-item.ts';
import { mergeTypeOfField, schemaMergeType, type ListType, type MapType, type MergeType } from './merge-type.ts';
import type { PathElement } from './path-element.ts';

/** `live` with all fields of `applied`. Removes nothing. */
export const mergeApplied = (live: JsonObject, applied: JsonObject, type: MergeType): JsonObject =>
  (mergeAppliedValue(live, applied, type) ?? {}) as JsonObject;

type Value = Json | undefined;

function mergeAppliedValue(live: Value, applied: Value, type: MergeType): Value {
  switch (schemaMergeType(type, applied === undefined ? live : applied)) {
    case 'scalar':
      return mergeAppliedLeaf(live, applied);
    case 'map':
      return mergeAppliedMaps(live, applied, type.map as MapType);
    case 'list':
      return mergeAppliedLists(live, applied, type.list as ListType);
  }
}

const mergeAppliedLeaf = (live: Value, applied: Value): Value => (applied === undefined ? live : applied);

function mergeAppliedMaps(live: Value, applied: Value, map: MapType): Value {
  const [left, right] = [mergeableAppliedMap(live), mergeableAppliedMap(applied)];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (map.isAtomic || names.size === 0) return mergeAppliedLeaf(live, applied);
  const merged: JsonObject = {};
  for (const name of names) {
    const type = mergeTypeOfField(map, name);
    const value =
      type === undefined ? mergeAppliedLeaf(left[name], right[name]) : mergeAppliedValue(left[name], right[name], type);
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function mergeAppliedLists(live: Value, applied: Value, list: ListType): Value {
  const [left, right] = [mergeableAppliedList(live), mergeableAppliedList(applied)];
  if (list.kind === 'atomic' || left.length + right.length === 0) return mergeAppliedLeaf(live, applied);
  return new ListMerge(list, left, right).run();
}

/**
 * Zips two lists into one. Items of both follow the order of the applied list; items only the live list has stay where
 * they are between those.
 */
class ListMerge {
  readonly #list: ListType;
  readonly #left: readonly Entry[];
  readonly #right: readonly Entry[];
  readonly #leftItems: Map<PathElement, Json>;
  readonly #rightItems: Map<PathElement, Json>;
  readonly #merged: Json[] = [];

  constructor(list: ListType, left: readonly Json[], right: readonly Json[]) {
    this.#list = list;
    this.#left = left.map((item) => [listItemElement(list, item), item]);
    this.#right = right.map((item) => [listItemElement(list, item), item]);
    this.#leftItems = mergeAppliedEntriesOnce(this.#left);
    this.#rightItems = new Map(this.#right);
  }

  run(): Json[] {
    const [left, right] = [this.#left, this.#right];
    const shared = right.map(([element]) => element).filter((element) => this.#leftItems.has(element));
    const done = new Set<PathElement>();
    let [l, r, nextShared] = [0, 0, 0];
    while (l < left.length || r < right.length) {
      const mine = left[l];
      const theirs = right[r];
      if (mine !== undefined && theirs !== undefined && mine[0] !== theirs[0]) {
        const awaited = shared[nextShared];
        // An item of both lists that comes later.
        if (this.#rightItems.has(mine[0]) && awaited !== undefined && awaited !== mine[0]) {
          l += 1;
          continue;
        }
      }
      if (mine !== undefined && mine[0] !== theirs?.[0]) {
        if (!this.#rightItems.has(mine[0])) {
          this.#push(mine[1], undefined);
          l += 1;
          continue;
        }
        if (done.has(mine[0])) l += 1;
      }
      if (theirs !== undefined) {
        const [element] = theirs;
        const isPair = mine?.[0] === element;
        done.add(element);
        this.#push(this.#leftItems.get(element), this.#rightItems.get(element));
        r += 1;
        if (isPair) l += 1;
        if (isPair || shared[nextShared] === element) nextShared += 1;
      }
    }
    return this.#merged;
  }

  #push(live: Value, applied: Value): void {
    const item = mergeAppliedValue(live, applied, this.#list.items);
    if (item !== undefined) this.#merged.push(item);
  }
}

type Entry = readonly [PathElement, Json];

/**
 * Pairs each applied item with at most one live item. Live items with the same keys are replaced by the
 * applied one and not merged.
 */
function mergeAppliedEntriesOnce(entries: readonly Entry[]): Map<PathElement, Json> {
  const items = new Map<PathElement, Json>();
  for (const [element, item] of entries) items.set(element, items.has(element) ? null : item);
  return items;
}

const mergeableAppliedMap = (value: Value): JsonObject => (isJson(value) ? value : {});

const mergeableAppliedList = (value: Value): readonly Json[] => (Array.isArray(value) ? value : []);
