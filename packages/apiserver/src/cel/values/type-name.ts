import type { Kind } from '../types/type.ts';
import {
  Duration,
  isCelListValue,
  isCelMapValue,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './cel-value.ts';

/** The kind of a value by which overloads are selected. */
export function typeKindOf(value: Value): Kind {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value === null) return 'null';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  if (value instanceof TypeValue) return 'type';
  if (isCelListValue(value)) return 'list';
  if (isCelMapValue(value)) return 'map';
  return 'opaque';
}

/** The name that `type(value)` shows. */
export function typeName(value: Value): string {
  const kind = typeKindOf(value);
  if (kind === 'null') return 'null_type';
  if (kind === 'timestamp') return 'google.protobuf.Timestamp';
  if (kind === 'duration') return 'google.protobuf.Duration';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof OpaqueValue) return value.type.name;
  return kind;
}
