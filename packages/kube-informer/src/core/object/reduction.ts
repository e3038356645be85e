import { requireOption } from '../errors.ts';
import type { ObjectCodec } from './object-codec.ts';
import { parsePath } from './path.ts';

/** Names of fields; `true` stands for all of a field, a tree for some of it. */
export type FieldTree = ReadonlyMap<string, FieldTree | true>;
type GrowingTree = Map<string, GrowingTree | true>;

/** Which fields of an object are kept: those that are named, or all others. */
export interface Reduction {
  readonly keeps: 'named' | 'others';
  readonly fields: FieldTree;
}

/** Cuts objects before they are kept. */
export interface ReducedObjects {
  /** The codec for the bytes that `cut` returns. */
  readonly codec: ObjectCodec;
  /** The bytes of the object reduced to what is kept. Valid until the next call. */
  cut(bytes: Uint8Array, at: number, end: number): Uint8Array;
}

/** Fields that identify an object and its state: always kept. */
const IDENTITY = [
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
];

/**
 * The reduction by `select` or `omit`; undefined when everything is kept. Throws INVALID_OPTION for invalid
 * paths and for both options at once.
 */
export function reductionOf({ select, omit }: { select?: readonly string[]; omit?: readonly string[] }): Reduction | undefined {
  if (select === undefined && omit === undefined) return undefined;
  requireOption(select === undefined || omit === undefined, 'omit', 'none together with select, which names everything that is kept', omit);
  const option = select === undefined ? 'omit' : 'select';
  const paths = (select ?? omit) as readonly string[];
  requireOption(Array.isArray(paths) && paths.every((path) => typeof path === 'string'), option, 'a list of paths', paths);
  const fields: GrowingTree = new Map();
  for (const path of paths) addReductionPath(fields, parsePath(option, path));
  if (select !== undefined) {
    for (const path of IDENTITY) addReductionPath(fields, path.split('.'));
    return { keeps: 'named', fields };
  }
  const lost = IDENTITY.find((path) => isNamedInReduction(fields, path.split('.')));
  requireOption(lost === undefined, 'omit', `paths that leave the identity of an object, and so ${lost}`, paths);
  return { keeps: 'others', fields };
} // prettier-ignore

function addReductionPath(tree: GrowingTree, path: readonly string[]): void {
  let at = tree;
  for (const [i, name] of path.entries()) {
    const known = at.get(name);
    if (known === true) return; // a shorter path names all of it
    if (i === path.length - 1) at.set(name, true);
    else {
      const below = known ?? new Map<string, GrowingTree | true>();
      at.set(name, below);
      at = below;
    }
  }
}

function isNamedInReduction(tree: FieldTree, [name, ...rest]: readonly string[]): boolean {
  const known = name === undefined ? undefined : tree.get(name);
  return known === true || (known !== undefined && isNamedInReduction(known, rest));
}

/** Whether everything at a path of an object is kept. */
export function isKeptWholeByReduction({ keeps, fields }: Reduction, path: readonly string[]): boolean {
  if (keeps === 'named') return isNamedInReduction(fields, path);
  let tree: FieldTree | true | undefined = fields;
  for (const name of path) tree = tree === true ? true : tree?.get(name);
  return tree === undefined;
}

/** Whether a field is kept whole, dropped, or reduced by a tree of parts. */
export function reductionFateOf(
  keeps: Reduction['keeps'],
  fields: FieldTree,
  name: string,
): 'all' | 'nothing' | FieldTree {
  const known = fields.get(name);
  if (known !== undefined && known !== true) return known;
  return (known === true) === (keeps === 'named') ? 'all' : 'nothing';
}
