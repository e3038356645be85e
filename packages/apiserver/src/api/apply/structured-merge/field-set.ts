import type { JsonObject } from '../../../core/json.ts';
import { fieldPathElement, parsePathElement, type PathElement, sortPathElements } from './path-element.ts';

export type FieldPath = readonly PathElement[];

/**
 * A set of field paths that one manager owns. A path in the set does not include its parents or children:
 * owning a list item (`.`) and owning a field of it are two things.
 *
 * Built with `add`, then never changed: every operation returns a new set, which may share parts with the old
 * ones.
 */
export class FieldSet {
  readonly #members: Set<PathElement>;
  /** Sets of the children by path element, none of them empty. */
  readonly #children: Map<PathElement, FieldSet>;

  constructor(paths: Iterable<FieldPath> = []) {
    this.#members = new Set();
    this.#children = new Map();
    for (const path of paths) this.add(path);
  }

  /** Parses FieldsV1. Throws if it is malformed. */
  static fromFieldsV1(fields: JsonObject): FieldSet {
    const set = new FieldSet();
    for (const [key, below] of Object.entries(fields)) {
      if (key === '.') continue;
      const element = parsePathElement(key);
      if (element === undefined) continue;
      if (below === null || typeof below !== 'object' || Array.isArray(below)) throw new Error(`not a set: ${key}`);
      const child = FieldSet.fromFieldsV1(below);
      if (child.isEmpty || '.' in below) set.#members.add(element);
      if (!child.isEmpty) set.#children.set(element, child);
    }
    return set;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0 && this.#children.size === 0;
  }

  /** Adds a path. The empty path is never added: the whole object has no owner. */
  add(path: FieldPath): void {
    const last = path.at(-1);
    if (last === undefined) return;
    let set: FieldSet = this; // oxlint-disable-line no-this-alias -- walks down from here
    for (const element of path.slice(0, -1)) {
      let child = set.#children.get(element);
      if (child === undefined) set.#children.set(element, (child = new FieldSet()));
      set = child;
    }
    set.#members.add(last);
  }

  has(element: PathElement): boolean {
    return this.#members.has(element);
  }

  hasPath([element, ...rest]: FieldPath): boolean {
    if (element === undefined) return false;
    return rest.length === 0 ? this.has(element) : this.below(element).hasPath(rest);
  }

  /** The paths under `element`, without it. */
  below(element: PathElement): FieldSet {
    return this.#children.get(element) ?? EMPTY;
  }

  /** Every path element that is a member or has members below. */
  get elements(): ReadonlySet<PathElement> {
    return new Set([...this.#members, ...this.#children.keys()]);
  }

  /** All paths in order; those of one level before those below it. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    for (const element of sortPathElements(this.#members)) yield [...prefix, element];
    for (const element of sortPathElements(this.#children.keys()))
      yield* this.below(element).paths([...prefix, element]);
  }

  union(other: FieldSet): FieldSet {
    if (this.isEmpty) return other;
    if (other.isEmpty) return this;
    const result = new FieldSet();
    for (const element of [...this.#members, ...other.#members]) result.#members.add(element);
    // Visits each child once; visiting it twice per level would take exponential time.
    for (const element of new Set([...this.#children.keys(), ...other.#children.keys()]))
      result.#children.set(element, this.below(element).union(other.below(element)));
    return result;
  }

  intersection(other: FieldSet): FieldSet {
    return this.#filter(
      (element) => other.has(element),
      (child, element) => child.intersection(other.below(element)),
    );
  }

  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return this.#filter(
      (element) => !other.has(element),
      (child, element) => child.difference(other.below(element)),
    );
  }

  /** The difference of two sets, where a path removes everything below it. */
  without(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return this.#filter(
      (element) => !other.has(element),
      (child, element) => (other.has(element) ? EMPTY : child.without(other.below(element))),
    );
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  toFieldsV1(): JsonObject {
    const fields: JsonObject = {};
    for (const element of sortPathElements(this.elements)) {
      const child = this.below(element);
      fields[element] = child.isEmpty || !this.has(element) ? child.toFieldsV1() : { '.': {}, ...child.toFieldsV1() };
    }
    return fields;
  }

  #filter(
    isMember: (element: PathElement) => boolean,
    filterChild: (child: FieldSet, element: PathElement) => FieldSet,
  ): FieldSet {
    const result = new FieldSet();
    for (const element of this.#members) if (isMember(element)) result.#members.add(element);
    for (const [element, child] of this.#children) {
      const left = filterChild(child, element);
      if (!left.isEmpty) result.#children.set(element, left);
    }
    return result;
  }
}

const EMPTY: FieldSet = new FieldSet();

/** A set of fields by their names, from the root. */
export const fieldSetAt = (...paths: readonly (readonly string[])[]): FieldSet =>
  new FieldSet(paths.map((path) => path.map(fieldPathElement)));
