import { readFieldItems, readFieldMap, readFieldText, readFieldTexts, type Fields } from './read-fields.ts';

export const NONE = '<none>';
export const UNSET = '<unset>';

/** Labels as text, sorted by key: `a=1,b=2`. */
export function labelsCellText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? NONE : pairs.map(([key, value]) => `${key}=${value}`).join(',');
}

/** A label selector (`matchLabels`, `matchExpressions`) in one line; empty if it selects nothing or everything. */
export function selectorCellText(object: unknown, path: string): string {
  const terms = Object.entries(readFieldMap(object, `${path}.matchLabels`)).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  for (const expression of readFieldItems(object, `${path}.matchExpressions`)) {
    terms.push({ key: readFieldText(expression, 'key'), text: requirementCellText(expression) });
  }
  return terms
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',');
}

function requirementCellText(expression: Fields): string {
  const key = readFieldText(expression, 'key');
  const values = [...readFieldTexts(expression, 'values')].sort().join(',');
  switch (readFieldText(expression, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}

/** Names and images of containers, each in one line. */
export function containerCellTexts(object: unknown, path: string): [names: string, images: string] {
  const containers = readFieldItems(object, path);
  return [
    containers.map((container) => readFieldText(container, 'name')).join(','),
    containers.map((container) => readFieldText(container, 'image')).join(','),
  ];
}

/** The first few items of a list, and the number of further ones. */
export function firstFewCellTexts(shown: readonly string[], total: number, max: number, separator = ','): string {
  const text = shown.slice(0, max).join(separator);
  return total > max ? `${text} + ${total - max} more...` : text;
}
