import { jsonSyntaxTypeName } from '../../core/go/json-syntax.ts';
import type { Json } from '../../core/json.ts';

/** All that is read of a body before it is known what it is. */
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The server's error message about an unreadable kind or apiVersion; undefined when both can be read or are missing. */
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
