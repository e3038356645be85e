import { itemsAt, mapAt, textAt, textsAt, type Fields } from './read.ts';

export const NONE = '<none>';
export const UNSET = '<unset>';

/** `a=1,b=2`, by key. */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? NONE : pairs.map(([key, value]) => `${key}=${value}`).join(',');
}

/** A label selector (`matchLabels`, `matchExpressions`) in one line; empty if it selects nothing or everything. */
export function selectorText(object: unknown, path: string): string {
  const terms = Object.entries(mapAt(object, `${path}.matchLabels`)).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  for (const expression of itemsAt(object, `${path}.matchExpressions`)) {
    terms.push({ key: textAt(expression, 'key'), text: expressionText(expression) });
  }
  return terms
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',');
}

function expressionText(expression: Fields): string {
  const key = textAt(expression, 'key');
  const values = [...textsAt(expression, 'values')].sort().join(',');
  switch (textAt(expression, 'operator')) {
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
export function containerTexts(object: unknown, path: string): [names: string, images: string] {
  const containers = itemsAt(object, path);
  return [
    containers.map((container) => textAt(container, 'name')).join(','),
    containers.map((container) => textAt(container, 'image')).join(','),
  ];
}

/** The first few of a list, and how many there are beyond them. */
export function firstFew(shown: readonly string[], total: number, max: number, separator = ','): string {
  const text = shown.slice(0, max).join(separator);
  return total > max ? `${text} + ${total - max} more...` : text;
}
