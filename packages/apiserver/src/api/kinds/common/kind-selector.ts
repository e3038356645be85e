import { type Fields, isFieldEmpty, itemsField, textField, textMapField, textsField } from './fields.ts';

/** Whether a LabelSelector is empty: the object form (`matchLabels`, `matchExpressions`), not the text of a query. */
export const isEmptyKindSelector = (selector: Fields): boolean =>
  isFieldEmpty(selector['matchLabels']) && isFieldEmpty(selector['matchExpressions']);

export function kindSelectorMatches(selector: Fields, labels: Readonly<Record<string, string>>): boolean {
  for (const [key, value] of Object.entries(textMapField(selector, 'matchLabels')))
    if (labels[key] !== value) return false;
  return itemsField(selector, 'matchExpressions').every((expression) => {
    const label = labels[textField(expression, 'key')];
    const values = textsField(expression, 'values');
    switch (textField(expression, 'operator')) {
      case 'In':
        return label !== undefined && values.includes(label);
      case 'NotIn':
        return label === undefined || !values.includes(label);
      case 'Exists':
        return label !== undefined;
      case 'DoesNotExist':
        return label === undefined;
      default:
        return false;
    }
  });
}

/** The selector as a query would write it, in the order of its keys. */
export function kindSelectorText(selector: Fields): string {
  const parts = Object.entries(textMapField(selector, 'matchLabels')).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  for (const expression of itemsField(selector, 'matchExpressions')) {
    const key = textField(expression, 'key');
    const values = textsField(expression, 'values').toSorted().join(',');
    switch (textField(expression, 'operator')) {
      case 'In':
        parts.push({ key, text: `${key} in (${values})` });
        break;
      case 'NotIn':
        parts.push({ key, text: `${key} notin (${values})` });
        break;
      case 'Exists':
        parts.push({ key, text: key });
        break;
      case 'DoesNotExist':
        parts.push({ key, text: `!${key}` });
        break;
    }
  }
  return parts
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',');
}
