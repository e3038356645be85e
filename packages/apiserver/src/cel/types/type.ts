export type Kind =
  | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'timestamp' | 'duration'
  | 'list' | 'map' | 'type' | 'struct' | 'opaque' | 'dyn' | 'error' | 'parameter'; // prettier-ignore

/** A type that the checker knows. */
export interface Type {
  readonly kind: Kind;
  /** The name of a struct, an opaque type or a parameter; otherwise the name of the kind. */
  readonly name: string;
  readonly parameters: readonly Type[];
  /** The fields of a struct. */
  readonly fields?: ReadonlyMap<string, Type>;
}

const simpleType = (kind: Kind, name: string = kind): Type => ({ kind, name, parameters: [] });

export const BOOL: Type = simpleType('bool');
export const INT: Type = simpleType('int');
export const UINT: Type = simpleType('uint');
export const DOUBLE: Type = simpleType('double');
export const STRING: Type = simpleType('string');
export const BYTES: Type = simpleType('bytes');
export const NULL: Type = simpleType('null', 'null_type');
export const TIMESTAMP: Type = simpleType('timestamp', 'google.protobuf.Timestamp');
export const DURATION: Type = simpleType('duration', 'google.protobuf.Duration');
export const DYN: Type = simpleType('dyn');
export const ERROR: Type = simpleType('error', '!error!');

export const listType = (item: Type): Type => ({ kind: 'list', name: 'list', parameters: [item] });
export const mapType = (key: Type, value: Type): Type => ({ kind: 'map', name: 'map', parameters: [key, value] });
export const typeOf = (type?: Type): Type => ({
  kind: 'type',
  name: 'type',
  parameters: type === undefined ? [] : [type],
});
export const opaqueType = (name: string, ...parameters: Type[]): Type => ({ kind: 'opaque', name, parameters });
export const optionalType = (type: Type): Type => opaqueType('optional_type', type);
export const parameterType = (name: string): Type => simpleType('parameter', name);
export const structType = (name: string, fields: ReadonlyMap<string, Type>): Type => ({
  kind: 'struct',
  name,
  parameters: [],
  fields,
});

export const isDynamicType = ({ kind }: Type): boolean => kind === 'dyn';
export const isDynamicOrErrorType = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'error';

/** The type inside an optional; undefined for other types. */
export const optionalContentType = (type: Type): Type | undefined =>
  type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined;

export function isSameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.parameters.length === b.parameters.length &&
    a.parameters.every((one, index) => isSameType(one, b.parameters[index] as Type))
  );
}

/** The text of a type in messages. */
export function typeText(type: Type): string {
  const inside = (): string => type.parameters.map(typeText).join(', ');
  if (type.kind === 'null' || type.kind === 'timestamp' || type.kind === 'duration') return type.kind;
  return type.parameters.length > 0 ? `${type.name}(${inside()})` : type.name;
}
