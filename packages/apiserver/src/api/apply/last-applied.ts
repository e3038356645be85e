import { goJsonText } from '../../core/go/json-text.ts';
import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { typeCheckError } from './structured-merge/check-type.ts';
import { compareFields } from './structured-merge/compare-fields.ts';
import { FieldSet } from './structured-merge/field-set.ts';
import { collectFields } from './structured-merge/collect-fields.ts';
import { objectSchemaType } from './structured-merge/schema-type.ts';
import type { WriteRequest } from './write-request.ts';

/** The annotation in which `kubectl apply` without `--server-side` keeps what it applied. */
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** Maximum size of all annotations of an object together. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** The fields that kubectl applied on the client side and that are still unchanged: in effect kubectl owns them. */
export function allowedByLastApplied(live: JsonObject, { schema, apiVersion }: WriteRequest): FieldSet {
  const applied = parseLastApplied((live as ApiObject).metadata?.annotations?.[ANNOTATION]);
  const type = objectSchemaType(schema);
  if (applied === undefined || applied['apiVersion'] !== apiVersion) return new FieldSet();
  if (typeCheckError(applied, type, { allowDuplicates: false }) !== undefined) return new FieldSet();
  const { added, modified, removed } = compareFields(applied, live, type);
  return collectFields(applied, type).difference(modified).difference(added).difference(removed);
}

function parseLastApplied(text: string | undefined): JsonObject | undefined {
  try {
    const value = JSON.parse(text ?? '') as Json;
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Updates the annotation for older versions of kubectl, if the object has it. */
export function withLastApplied(object: JsonObject, applied: ApiObject): JsonObject {
  const { metadata } = object as ApiObject;
  if ((metadata?.annotations?.[ANNOTATION] ?? '') === '') return object;
  const annotations: Record<string, string> = { ...metadata?.annotations, [ANNOTATION]: lastAppliedText(applied) };
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations)) bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  if (bytes > MAX_ANNOTATION_BYTES) delete annotations[ANNOTATION];
  return { ...object, metadata: { ...(metadata as JsonObject), annotations } };
}

function lastAppliedText(applied: ApiObject): string {
  const object = structuredClone(applied);
  delete object.metadata?.annotations?.[ANNOTATION];
  return `${goJsonText(sortLastAppliedKeys(object as JsonObject))}\n`;
}

/** A copy with the keys in the order in which a server writes them. */
function sortLastAppliedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortLastAppliedKeys);
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sortLastAppliedKeys(value[name] as Json)]),
  );
}
