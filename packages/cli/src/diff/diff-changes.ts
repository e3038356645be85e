import { isObjectFields } from '@kube-informer/inspector/internal';

/** A field that differs between two versions of an object. */
export interface Change {
  /** `spec.containers[name=web].image`. Not escaped. */
  readonly path: string;
  /** Undefined if the field was added. */
  readonly before: unknown;
  /** Undefined if the field was removed. */
  readonly after: unknown;
}

/** Fields that change with every update. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['metadata.resourceVersion', 'metadata.managedFields']);

/** Fields that identify the items of a list, the best first. */
const KEYS: readonly string[] = ['name', 'type', 'key', 'ip', 'uid', 'containerPort', 'port'];

/** Maximum depth of the comparison; deeper values are compared as a whole. Kubernetes objects are not that deep. */
const MAX_DEPTH = 64;

/**
 * Returns the fields that differ, in the order of the newer version; removed fields come last.
 *
 * List items are matched by an identifying field (`name`, `type` …) where all of them have one, otherwise by index. A
 * field that was added or removed as a whole is one change.
 */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const found: Change[] = [];
  addChanges('', before, after, 0, found);
  return found;
}

function addChanges(path: string, before: unknown, after: unknown, depth: number, found: Change[]): void {
  if (before === after || BOOKKEEPING.has(path)) return;
  if (depth < MAX_DEPTH && isObjectFields(before) && isObjectFields(after)) {
    addChangesOfMap(
      changesOfNamedFields(before),
      changesOfNamedFields(after),
      (name) => pathOfChange(path, name),
      depth,
      found,
    );
  } else if (depth < MAX_DEPTH && Array.isArray(before) && Array.isArray(after)) {
    const key = changesItemKey(before, after);
    addChangesOfMap(
      changesItemsByKey(before, key),
      changesItemsByKey(after, key),
      (name) => `${path}[${name}]`,
      depth,
      found,
    );
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    found.push({ path, before, after });
  }
}

function addChangesOfMap(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
  pathOf: (name: string) => string,
  depth: number,
  found: Change[],
): void {
  for (const [name, value] of after) addChanges(pathOf(name), before.get(name), value, depth + 1, found);
  for (const [name, value] of before)
    if (!after.has(name)) addChanges(pathOf(name), value, undefined, depth + 1, found);
}

const changesOfNamedFields = (fields: object): Map<string, unknown> => new Map(Object.entries(fields));

function changesItemsByKey(items: readonly unknown[], key: string | undefined): Map<string, unknown> {
  return new Map(
    items.map((item, index) => [
      key === undefined ? String(index) : `${key}=${String(changesItemValue(item, key))}`,
      item,
    ]),
  );
}

/** The first field that all items on both sides have, with a different value in each item of a side. */
function changesItemKey(before: readonly unknown[], after: readonly unknown[]): string | undefined {
  return KEYS.find((key) =>
    [before, after].every((items) => {
      const values = items.map((item) => changesItemValue(item, key));
      const isNamed = values.every((value) => typeof value === 'string' || typeof value === 'number');
      return isNamed && new Set(values).size === items.length;
    }),
  );
}

const changesItemValue = (item: unknown, key: string): unknown =>
  isObjectFields(item) && Object.hasOwn(item, key) ? item[key] : undefined;

/** The path of a field. A name with dots, such as a label, is put in brackets, so that the path is unambiguous. */
function pathOfChange(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
