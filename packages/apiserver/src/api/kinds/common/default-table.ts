import type { Json } from '../../../core/json.ts';
import { type Fields, isFields, setDefaultField } from './fields.ts';

/**
 * Defaults as data: an absent field gets the value; if the object around it is absent, nothing happens. So a
 * row that creates an object comes before the rows inside it. In a path `[]` walks the items of a list:
 * `spec.ports[].protocol`.
 */
export type DefaultTable = readonly (readonly [path: string, value: Json])[];

export interface TableOptions {
  /** Whether zero counts as absent, for numbers that are always present. */
  readonly overZero?: boolean;
}

/** The rows of a table below another path. */
export const defaultTableUnder = (prefix: string, table: DefaultTable): DefaultTable =>
  table.map(([path, value]) => [`${prefix}.${path}`, value] as const);

export function applyDefaultTable(object: Fields, table: DefaultTable, { overZero = false }: TableOptions = {}): void {
  for (const [path, value] of table) {
    const { parents, field } = defaultTablePath(path);
    for (const parent of objectsAtDefaultTablePath(object, parents)) {
      if (overZero && parent[field] === 0) delete parent[field];
      setDefaultField(parent, field, value);
    }
  }
}

interface Step {
  readonly name: string;
  readonly isList: boolean;
}

interface Path {
  readonly parents: readonly Step[];
  readonly field: string;
}

/** Parsed paths. They are constants of this room, so there are as many as rows. */
const paths = new Map<string, Path>();

function defaultTablePath(path: string): Path {
  const known = paths.get(path);
  if (known !== undefined) return known;
  const steps = path.split('.');
  const field = steps.pop() as string;
  const parents = steps.map((step) => ({ name: step.replace('[]', ''), isList: step.endsWith('[]') }));
  const made = { parents, field };
  paths.set(path, made);
  return made;
}

function objectsAtDefaultTablePath(object: Fields, steps: readonly Step[]): readonly Fields[] {
  let found: readonly Fields[] = [object];
  for (const { name, isList } of steps) {
    const next: Fields[] = [];
    for (const parent of found) {
      const value = parent[name];
      if (isList) {
        if (Array.isArray(value)) for (const item of value) if (isFields(item)) next.push(item);
      } else if (isFields(value)) next.push(value);
    }
    if (next.length === 0) return next;
    found = next;
  }
  return found;
}
