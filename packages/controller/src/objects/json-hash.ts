import { createHash } from 'node:crypto';

/** A hash of JSON that does not depend on the order of fields. Throws for what JSON cannot express. */
export function jsonHashOf(value: unknown): string {
  return createHash('sha256')
    .update(jsonHashText(value) ?? 'null')
    .digest('base64');
}

/** JSON with the fields of each object in order; undefined for what JSON leaves out. */
function jsonHashText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return jsonHashText(toJSON.call(value));
  if (Array.isArray(value)) return `[${value.map((one) => jsonHashText(one) ?? 'null').join()}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of Object.keys(fields).toSorted()) {
    const part = jsonHashText(fields[name]);
    if (part !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${part}`;
  }
  return `{${text}}`;
}
