import type { ListType, MergeType, Scalar } from './merge-type.ts';

const fixedScalarType = (scalar: Scalar): MergeType => ({ scalar, list: undefined, map: undefined });

const fixedListType = (kind: ListType['kind'], items: MergeType, keys: readonly string[] = []): MergeType => ({
  scalar: undefined,
  list: { kind, keys, items },
  map: undefined,
});

const fixedMapType = (
  fields: Readonly<Record<string, MergeType>>,
  { values, isAtomic = false }: { values?: MergeType; isAtomic?: boolean } = {},
): MergeType => ({
  scalar: undefined,
  list: undefined,
  map: {
    isAtomic,
    field: (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined),
    fieldDefault: () => undefined,
    values,
  },
});

/** Any value, owned as a whole. */
export const WHOLE: MergeType = {
  scalar: 'untyped',
  get list() {
    return { kind: 'atomic', keys: [], items: WHOLE } as const;
  },
  get map() {
    return { isAtomic: true, field: () => undefined, fieldDefault: () => undefined, values: WHOLE };
  },
};

/** Any value: lists are owned as a whole, maps field by field. */
export const DEDUCED: MergeType = {
  scalar: 'untyped',
  list: { kind: 'atomic', keys: [], items: WHOLE },
  get map() {
    return { isAtomic: false, field: () => undefined, fieldDefault: () => undefined, values: DEDUCED };
  },
};

const TEXT = fixedScalarType('string');
const NUMBER = fixedScalarType('numeric');
const TEXTS = fixedMapType({}, { values: TEXT });
/** Texts with a format (date-time) and quantities, which are only checked to be scalars. */
export const FORMATTED: MergeType = fixedScalarType('untyped');

const OWNER_REFERENCE = fixedMapType(
  {
    apiVersion: TEXT,
    blockOwnerDeletion: fixedScalarType('boolean'),
    controller: fixedScalarType('boolean'),
    kind: TEXT,
    name: TEXT,
    uid: TEXT,
  },
  { isAtomic: true },
);

/** Metadata, which schemas of custom resources leave out; it is the same for every kind. */
const OBJECT_META = fixedMapType({
  annotations: TEXTS,
  creationTimestamp: FORMATTED,
  deletionGracePeriodSeconds: NUMBER,
  deletionTimestamp: FORMATTED,
  finalizers: fixedListType('set', TEXT),
  generateName: TEXT,
  generation: NUMBER,
  labels: TEXTS,
  managedFields: fixedListType('atomic', WHOLE),
  name: TEXT,
  namespace: TEXT,
  ownerReferences: fixedListType('map', OWNER_REFERENCE, ['uid']),
  resourceVersion: TEXT,
  selfLink: TEXT,
  uid: TEXT,
});

export const OBJECT_FIELDS: ReadonlyMap<string, MergeType> = new Map([
  ['apiVersion', TEXT],
  ['kind', TEXT],
  ['metadata', OBJECT_META],
]);
