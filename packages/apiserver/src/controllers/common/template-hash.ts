import { isJson } from '../../core/json.ts';

/** The characters of generated names: no vowels, and none that look alike. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A short name for a template: equal templates have equal names, whatever the order of their keys.
 * `collisions` leads to another name. The real controllers hash a Go struct, so their names differ.
 */
export function templateHash(template: unknown, collisions = 0): string {
  const hash = fnv32TemplateHash(`${canonicalForTemplateHash(template)}${collisions === 0 ? '' : collisions}`);
  return Array.from(String(hash), (digit) => LETTERS[(digit.codePointAt(0) ?? 0) % LETTERS.length]).join('');
}

function fnv32TemplateHash(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function canonicalForTemplateHash(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalForTemplateHash).join()}]`;
  if (!isJson(value)) return JSON.stringify(value) ?? '';
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalForTemplateHash(field)}`).join()}}`;
}
