import { type FieldPath, FieldSet } from './field-set.ts';
import { mergeTypeOfField, type MergeType } from './merge-type.ts';
import { pathElementFieldName } from './path-element.ts';

/**
 * `set` and, as members, the fields named by a type that have members below. Such a field itself has no
 * owner, but it is removed together with its last content.
 */
export function withNamedFields(set: FieldSet, type: MergeType): FieldSet {
  const named = new FieldSet();
  collectNamedFields(set, type, [], named);
  return set.union(named);
}

function collectNamedFields(set: FieldSet, type: MergeType | undefined, path: FieldPath, named: FieldSet): void {
  for (const element of set.elements) {
    const below = set.below(element);
    if (below.isEmpty) continue;
    const elementPath = [...path, element];
    const name = pathElementFieldName(element);
    if (name === undefined) {
      collectNamedFields(below, element.startsWith('k:') ? type?.list?.items : undefined, elementPath, named);
    } else {
      if (type?.map?.field(name) !== undefined) named.add(elementPath);
      collectNamedFields(below, type?.map && mergeTypeOfField(type.map, name), elementPath, named);
    }
  }
}

/**
 * `set` adapted to the current type. Where a list or map has since become atomic, its owners own the whole
 * value. The reverse changes nothing: the owner of the whole keeps the field itself.
 */
export function fitNamedFields(set: FieldSet, type: MergeType): FieldSet {
  const whole = new FieldSet();
  collectWholeNamedFields(set, type, [], false, whole);
  return whole.isEmpty ? set : set.without(whole).union(whole);
}

function collectWholeNamedFields(
  set: FieldSet,
  { map, scalar, list }: MergeType,
  path: FieldPath,
  isOwnedWhole: boolean,
  whole: FieldSet,
): void {
  if (map !== undefined) {
    if (map.isAtomic && !isOwnedWhole) {
      if (!set.isEmpty) whole.add(path);
      return;
    }
  } else if (scalar !== undefined || list === undefined) return;
  else if (list.kind === 'atomic' && !isOwnedWhole) {
    whole.add(path);
    return;
  }
  for (const element of set.elements) {
    const name = pathElementFieldName(element);
    const child = map === undefined ? list?.items : mergeTypeOfField(map, name ?? '');
    const below = set.below(element);
    if (child !== undefined)
      collectWholeNamedFields(below, child, [...path, element], set.has(element) && below.isEmpty, whole);
  }
}
