import type { ApiObject } from '../../../core/kube-object.ts';
import { type Fields, fieldsAt, sameFields, specFields, textField, textsField } from '../common/fields.ts';

export interface AcceptedNames {
  /** The names that the definition gets; conflicting names stay as they were. */
  readonly names: Fields;
  /** Set when not all names were accepted: reason and message of the condition. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/**
 * Accepts or refuses the names that a CustomResourceDefinition wants. The first definition keeps a name; the definition
 * itself may be among the others.
 */
export function acceptDefinitionNames(definition: ApiObject, others: Iterable<ApiObject>): AcceptedNames {
  const wanted = fieldsAt(specFields(definition), 'names');
  const held = fieldsAt(fieldsAt(definition, 'status'), 'acceptedNames');
  const { resources, kinds } = definitionNamesInUse(definition, others);
  const names: Fields = { ...held };
  let conflict: AcceptedNames['conflict'];
  const claim = (field: string, reason: string, used: ReadonlySet<string>): void => {
    const name = textField(wanted, field);
    if (name !== textField(held, field) && used.has(name))
      conflict = { reason, message: definitionNameInUseText(name) };
    else names[field] = name;
  };
  claim('plural', 'PluralConflict', resources);
  claim('singular', 'SingularConflict', resources);
  const shortNames = textsField(wanted, 'shortNames');
  const ours = textsField(held, 'shortNames');
  const taken = shortNames.filter((name) => !ours.includes(name) && resources.has(name)).map(definitionNameInUseText);
  if (taken.length > 0 && !sameFields(shortNames, ours))
    conflict = {
      reason: 'ShortNamesConflict',
      message: taken.length === 1 ? (taken[0] as string) : `[${taken.join(', ')}]`,
    };
  else if (shortNames.length > 0) names['shortNames'] = shortNames;
  else delete names['shortNames'];
  claim('kind', 'KindConflict', kinds);
  claim('listKind', 'ListKindConflict', kinds);
  if (wanted['categories'] === undefined) delete names['categories'];
  else names['categories'] = wanted['categories'];
  return { names: orderAcceptedDefinitionNames(names), conflict };
}

/** The names in the order of the fields of the Go type. */
function orderAcceptedDefinitionNames(names: Fields): Fields {
  const order = ['plural', 'singular', 'shortNames', 'kind', 'listKind', 'categories'];
  return Object.fromEntries(order.flatMap((name) => (names[name] === undefined ? [] : [[name, names[name]]])));
}

const definitionNameInUseText = (name: string): string => `${JSON.stringify(name)} is already in use`;

function definitionNamesInUse(
  definition: ApiObject,
  others: Iterable<ApiObject>,
): Record<'resources' | 'kinds', Set<string>> {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (specFields(other)['group'] !== specFields(definition)['group']) continue;
    const names = fieldsAt(fieldsAt(other, 'status'), 'acceptedNames');
    for (const name of [textField(names, 'plural'), textField(names, 'singular'), ...textsField(names, 'shortNames')])
      resources.add(name);
    for (const name of [textField(names, 'kind'), textField(names, 'listKind')]) kinds.add(name);
  }
  return { resources, kinds };
}
