export type Kind =
  | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'timestamp' | 'duration'
  | 'list' | 'map' | 'type' | 'struct' | 'opaque' | 'dyn' | 'error' | 'parameter'; // prettier-ignore

/** A type that the checker knows. */
export interface Type {
  readonly kind: Kind;
  /** The name of a struct, an opaque type or a parameter; else the kind's own. */
  readonly name: string;
  readonly parameters: readonly Type[];
  /** The fields of a struct. */
  readonly fields?: ReadonlyMap<string, Type>;
}

const simple = (kind: Kind, name: string = kind): Type => ({ kind, name, parameters: [] });

export const BOOL: Type = simple('bool');
export const INT: Type = simple('int');
export const UINT: Type = simple('uint');
export const DOUBLE: Type = simple('double');
export const STRING: Type = simple('string');
export const BYTES: Type = simple('bytes');
export const NULL: Type = simple('null', 'null_type');
export const TIMESTAMP: Type = simple('timestamp', 'google.protobuf.Timestamp');
export const DURATION: Type = simple('duration', 'google.protobuf.Duration');
export const DYN: Type = simple('dyn');
export const ERROR: Type = simple('error', '!error!');

export const listOf = (item: Type): Type => ({ kind: 'list', name: 'list', parameters: [item] });
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', name: 'map', parameters: [key, value] });
export const typeOf = (type?: Type): Type => ({
  kind: 'type',
  name: 'type',
  parameters: type === undefined ? [] : [type],
});
export const opaque = (name: string, ...parameters: Type[]): Type => ({ kind: 'opaque', name, parameters });
export const optionalOf = (type: Type): Type => opaque('optional_type', type);
export const parameter = (name: string): Type => simple('parameter', name);
export const struct = (name: string, fields: ReadonlyMap<string, Type>): Type => ({
  kind: 'struct',
  name,
  parameters: [],
  fields,
});

export const isDyn = ({ kind }: Type): boolean => kind === 'dyn';
export const isDynOrError = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'error';

/** The type inside an optional; undefined for other types. */
export const optionalContent = (type: Type): Type | undefined =>
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
  if (type.kind === 'list' || type.kind === 'map' || type.kind === 'opaque') return `${type.name}(${inside()})`;
  return type.kind === 'type' && type.parameters.length > 0 ? `type(${inside()})` : type.name;
}
