import type { Schema } from '../schema/schema.ts';
import { mapValuesSchema } from './rule-map-values.ts';

const ESCAPES: ReadonlyMap<string, string> = new Map(Object.entries({
  a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', "'": "'", '\\': '\\',
})); // prettier-ignore

const PART = /\.([^.[\]]+)|\['((?:[^'\\]|\\[^])*)'\]/y;

/**
 * The field that a rule's `fieldPath` names, as messages show it: `.spec['a.b']` is `spec.a.b`, an entry of a
 * map is in brackets. Undefined if it is not a path of this schema.
 */
export function ruleFieldPath(path: string, schema: Schema): string | undefined {
  let field = '';
  let at: Schema | undefined = schema;
  PART.lastIndex = 0;
  while (PART.lastIndex < path.length) {
    const part = PART.exec(path);
    if (part === null || at === undefined) return undefined;
    const name = part[1] ?? unescapedRuleFieldPath(part[2] ?? '');
    if (name === undefined) return undefined;
    if (at.propertyNames.length > 0) {
      at = at.property(name);
      field += `.${name}`;
    } else {
      at = mapValuesSchema(at);
      field += `[${name}]`;
    }
    if (at === undefined) return undefined;
  }
  return field === '' ? undefined : field.replace(/^\./, '');
}

function unescapedRuleFieldPath(text: string): string | undefined {
  const letters = text.replace(/\\([^])/g, (_, letter: string) => ESCAPES.get(letter) ?? '\u0000');
  return letters.includes('\u0000') ? undefined : letters;
}
