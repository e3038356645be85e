import { jsonSyntaxTypeName } from '../../core/go/json-syntax.ts';
import type { Json } from '../../core/json.ts';

/** The fields that are read of a body before its type is known. */
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The server's error message about an invalid kind or apiVersion; undefined if both are valid or missing. */
export function typeMetaFault(value: Json): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return typeMetaMismatch(value, `value of type ${TYPE_META}`);
  for (const [name, field] of Object.entries(value)) {
    const isTypeMeta = name === 'apiVersion' || name === 'kind';
    if (isTypeMeta && field !== null && typeof field !== 'string')
      return typeMetaMismatch(field, `struct field .${name} of type string`);
  }
  const { apiVersion } = value;
  const isGroupVersion = typeof apiVersion !== 'string' || apiVersion.split('/').length <= 2;
  return isGroupVersion ? undefined : `unexpected GroupVersion string: ${apiVersion}`;
}

const typeMetaMismatch = (value: Json, wanted: string): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonSyntaxTypeName(value)} into Go ${wanted}`;
