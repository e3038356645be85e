import { DYN, isDynamicType, isDynamicOrErrorType, isSameType, type Type } from './type.ts';

/** Types bound to type parameters so far. */
export type Bindings = ReadonlyMap<string, Type>;

/**
 * Whether a value of one type can be used where the other is expected. Returns the bindings that make it so, or undefined.
 * The bindings given are not changed, so a failed attempt leaves no trace.
 */
export function assignable(bindings: Bindings, a: readonly Type[], b: readonly Type[]): Bindings | undefined {
  if (a.length !== b.length) return undefined;
  const next = new Map(bindings);
  return a.every((one, index) => unifyTypes(next, one, b[index] as Type)) ? next : undefined;
}

function unifyTypes(bindings: Map<string, Type>, a: Type, b: Type): boolean {
  if (b.kind === 'parameter') {
    const bound = bindTypeParameter(bindings, b, a);
    if (bound !== 'free') return bound;
  }
  if (a.kind === 'parameter') return bindTypeParameter(bindings, a, b) === true;
  if (isDynamicOrErrorType(a) || isDynamicOrErrorType(b)) return true;
  if (a.kind === 'null' || b.kind === 'null') {
    const other = a.kind === 'null' ? b : a;
    return other.kind === 'null' || ACCEPTS_NULL.has(other.kind);
  }
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind !== 'list' && a.kind !== 'map' && a.kind !== 'opaque') return a.name === b.name;
  return (
    a.name === b.name &&
    a.parameters.length === b.parameters.length &&
    a.parameters.every((one, index) => unifyTypes(bindings, one, b.parameters[index] as Type))
  );
}

const ACCEPTS_NULL: ReadonlySet<string> = new Set(['opaque', 'struct', 'timestamp', 'duration']);

/** Binds a type parameter. True or false when it has a binding afterwards; 'free' when it would contain itself. */
function bindTypeParameter(bindings: Map<string, Type>, parameter: Type, type: Type): boolean | 'free' {
  if (isSameType(parameter, type)) return true;
  const known = bindings.get(parameter.name);
  if (known === undefined) {
    if (mentionsTypeParameter(bindings, parameter, type)) return 'free';
    bindings.set(parameter.name, type);
    return true;
  }
  if (isSameType(known, type)) return true;
  if (!unifyTypes(bindings, type, known)) return false;
  const wider = moreGeneralType(type, known);
  if (!mentionsTypeParameter(bindings, parameter, wider)) bindings.set(parameter.name, wider);
  return true;
}

function mentionsTypeParameter(bindings: Bindings, parameter: Type, type: Type): boolean {
  if (isSameType(parameter, type)) return true;
  if (type.kind === 'parameter') {
    const bound = bindings.get(type.name);
    return bound !== undefined && mentionsTypeParameter(bindings, parameter, bound);
  }
  return type.parameters.some((one) => mentionsTypeParameter(bindings, parameter, one));
}

/** The one of two types that can contain values of both. */
export const moreGeneralType = (a: Type, b: Type): Type => (isAsGeneralType(a, b) ? a : b);

function isAsGeneralType(a: Type, b: Type): boolean {
  if (isDynamicType(a) || a.kind === 'parameter') return true;
  if (isDynamicType(b) || b.kind === 'parameter' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind !== 'list' && a.kind !== 'map' && a.kind !== 'opaque') return isSameType(a, b);
  return (
    a.name === b.name &&
    a.parameters.length === b.parameters.length &&
    a.parameters.every((one, index) => isAsGeneralType(one, b.parameters[index] as Type))
  );
}

/** The type with its parameters replaced by their bindings; `isFinal`: parameters that are still free become dyn. */
export function resolveType(bindings: Bindings, type: Type, isFinal: boolean): Type {
  if (type.kind === 'parameter') {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return resolveType(bindings, bound, isFinal);
    return isFinal ? DYN : type;
  }
  if (type.parameters.length === 0) return type;
  return { ...type, parameters: type.parameters.map((one) => resolveType(bindings, one, isFinal)) };
}
