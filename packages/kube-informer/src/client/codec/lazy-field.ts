import { deepFreeze } from '../../core/object/freeze.ts';

/** Returns its argument from the constructor, so that a subclass adds its private field to an object it did not make. */
const Stamped = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** A value that has not been decoded. Its bytes are held by the function until the first read. */
class Undecoded {
  readonly decode: () => unknown;

  constructor(decode: () => unknown) {
    this.decode = decode;
  }
}

/**
 * The private field in which an object keeps a value that is decoded when it is first read.
 *
 * Not a closure in the getter: getters that differ from object to object would give each object a hidden class of its own. Not a
 * property: nothing may show that the value is special. A frozen object can still remember the value.
 */
class LazyValue extends Stamped {
  #value: unknown;

  constructor(object: object, decode: () => unknown) {
    super(object);
    this.#value = new Undecoded(decode);
  }

  /** The value of `object`, or of the object it inherits from. */
  static read(object: object): unknown {
    let owner: object | null = object;
    while (owner !== null && !(#value in owner)) owner = Object.getPrototypeOf(owner) as object | null;
    if (owner === null) return undefined;
    const lazy = owner as LazyValue;
    if (lazy.#value instanceof Undecoded) {
      const value = lazy.#value.decode();
      // A frozen object was frozen with everything in it; this part was not there yet.
      lazy.#value = Object.isFrozen(owner) ? deepFreeze(value) : value;
    }
    return lazy.#value;
  }
}

const descriptors = new Map<string, PropertyDescriptor>();

/**
 * Defines an own, enumerable property whose value is decoded when it is first read. An object can have one.
 *
 * Copies, JSON, structuredClone and comparisons read it like any other property; assigning makes it an ordinary one.
 */
export function defineLazyField(object: object, name: string, decode: () => unknown): void {
  let descriptor = descriptors.get(name);
  if (descriptor === undefined) descriptors.set(name, (descriptor = lazyFieldDescriptor(name)));
  // The constructor adds the private field.
  new LazyValue(object, decode);
  Object.defineProperty(object, name, descriptor);
}

function lazyFieldDescriptor(name: string): PropertyDescriptor {
  return {
    get(this: object) {
      return LazyValue.read(this);
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: true,
    configurable: true,
  };
}
