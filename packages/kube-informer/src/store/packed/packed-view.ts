import { defineLazyProperty } from '../../core/object/lazy-property.ts';

/** Reads a state for its view. */
export interface ViewSource {
  /** The section with this name, decoded. */
  section(name: string): unknown;
}

/** The top-level names of objects, and the properties that show them. Objects of one kind share a few shapes. */
export interface ViewShape {
  readonly names: readonly string[];
  readonly properties: PropertyDescriptorMap;
}

/** The shape of objects with more than `MAX_SECTIONS` names, which have no views: readers get the whole object, decoded. */
export const NO_SECTIONS: ViewShape = { names: ['apiVersion', 'kind'], properties: {} };

/**
 * Maximum number of names that are decoded one by one. Real objects have fewer than ten; where a schema keeps
 * unknown fields, any user who may write an object can give it a hundred thousand, and finding each of them
 * would take quadratic time.
 */
export const MAX_SECTIONS = 64;

/** Lets a subclass add its private fields to any object. */
class Returned {
  constructor(object: object) {
    // This is what the class is for.
    return object;
  }
}

/**
 * The object that a reader gets for a packed state: an ordinary object whose sections are decoded when they
 * are read.
 *
 * Its properties are own and enumerable, so a spread, `JSON.stringify`, `Object.keys`, `structuredClone` and
 * comparisons treat it like a plain object. Its state is in private fields, which no key shows and no freeze
 * blocks. Writing to a property makes it a plain one.
 */
class PackedView extends Returned {
  readonly #source: ViewSource;
  readonly #sections: unknown[] = [];

  constructor(object: object, source: ViewSource) {
    super(object);
    this.#source = source;
  }

  /** The section at a position of the shape. `target` is the view, or an object that inherits from one. */
  static section(target: object, at: number, name: string): unknown {
    if (#sections in target) {
      const { [at]: read } = target.#sections;
      if (read !== undefined) return read;
    }
    let view: object | null = target;
    while (view !== null && !(#sections in view)) view = Object.getPrototypeOf(view) as object | null;
    if (view === null) return undefined;
    const { [at]: known } = view.#sections;
    if (known !== undefined) return known;
    const section = view.#source.section(name);
    view.#sections[at] = section;
    return section;
  }
}

/** The symbol of the method that Node's `console.log` calls. Without it, a view would be printed as getters. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Makes Node print a view as the plain object that it stands for. Not enumerable, so that no copy has it. */
const inspectView: PropertyDescriptor = {
  value(this: { metadata?: unknown }) {
    const { metadata } = this;
    // `managedFields` are a getter, too.
    return typeof metadata === 'object' && metadata !== null ? { ...this, metadata: { ...metadata } } : { ...this };
  },
};

export function packedViewShapeOf(names: readonly string[]): ViewShape {
  const properties: PropertyDescriptorMap = { [INSPECT]: inspectView };
  names.forEach((name, at) => {
    // In a literal, a descriptor named __proto__ would be lost.
    Object.defineProperty(properties, name, { value: packedViewProperty(name, at), enumerable: true });
  });
  return { names, properties };
}

export function packedView(shape: ViewShape, source: ViewSource): object {
  const view = Object.defineProperties({}, shape.properties);
  return new PackedView(view, source);
}

function packedViewProperty(name: string, at: number): PropertyDescriptor {
  return {
    get(this: object) {
      return PackedView.section(this, at, name);
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: true,
    configurable: true,
  };
}

/** Replaces the lazy `managedFields` of a codec, which refer to bytes that are only valid for now. */
export function keepPackedManagedFieldsLazy(metadata: unknown, read: () => unknown): void {
  if (typeof metadata !== 'object' || metadata === null) return;
  if (Object.getOwnPropertyDescriptor(metadata, 'managedFields')?.get === undefined) return;
  defineLazyProperty(metadata, 'managedFields', read);
}
