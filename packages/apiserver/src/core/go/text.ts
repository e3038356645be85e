import { isJson, type Json } from '../json.ts';

/** A JSON value as the server prints it in messages about patches: `map[a:1 b:[x y]]`. */
export function goText(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJson(value)) return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goText(item)}`).join(' ')}]`;
}

/** The type of a decoded JSON value in the same messages. */
export function goTypeText(value: Json): string {
  if (value === null) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
