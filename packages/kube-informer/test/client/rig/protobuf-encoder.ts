import { protobufKinds, protobufMessages } from '@kube-informer/kubernetes/protobuf';

type Json = unknown;
type Bytes = readonly number[];

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const utf8 = (text: string): Bytes => [...new TextEncoder().encode(text)];

export function varint(value: number | bigint): Bytes {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}

/** A field with a length. */
export const lengthField = (number: number, content: Bytes): Bytes => [
  ...varint(number * 8 + 2),
  ...varint(content.length),
  ...content,
];
export const numberField = (number: number, value: number | bigint): Bytes => [...varint(number * 8), ...varint(value)];

function doubleField(number: number, value: number): Bytes {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return [...varint(number * 8 + 1), ...bytes];
}

function timeOf(text: Json, hasFraction: boolean): Bytes {
  if (typeof text !== 'string') return [];
  const fraction = hasFraction ? Number(/\.(\d+)Z$/.exec(text)?.[1] ?? 0) * 1_000 : 0;
  return [...numberField(1, Math.floor(Date.parse(text) / 1_000)), ...numberField(2, fraction)];
}

const json = (value: Json): Bytes => (value === null ? [] : lengthField(1, utf8(JSON.stringify(value))));

const SPECIAL: ReadonlyMap<string, (value: Json) => Bytes> = new Map<string, (value: Json) => Bytes>([
  [`${META}Time`, (value) => timeOf(value, false)],
  [`${META}MicroTime`, (value) => timeOf(value, true)],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', (value) => lengthField(1, utf8(String(value)))],
  [`${META}FieldsV1`, json],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', json],
  [
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    (value) =>
      typeof value === 'number'
        ? [...numberField(1, 0), ...numberField(2, value), ...lengthField(3, [])]
        : [...numberField(1, 1), ...numberField(2, 0), ...lengthField(3, utf8(String(value)))],
  ],
]);

/** A message as Go writes it: structs and plain scalars always, in the order of their numbers. */
export function encodeMessage(name: string, value: Json): Bytes {
  const special = SPECIAL.get(name);
  if (special !== undefined) return special(value);
  const object = (value ?? {}) as Record<string, Json>;
  const fields = (protobufMessages[name] ?? []).map((line) => {
    const [, number, field = '', pointer, shape, type = ''] =
      /^(\d+) (=|\.\.\.|[^ ?!]+)[?!]? (\*?)(\[\]|map\[\]|)(.+)$/.exec(line) ?? [];
    return { number: Number(number), field, isPointer: pointer === '*', shape, type };
  });
  return fields
    .toSorted((a, b) => a.number - b.number)
    .flatMap(({ number, field, isPointer, shape, type }) => {
      if (field === '...') return lengthField(number, encodeMessage(type, object));
      const given = Object.hasOwn(object, field) ? object[field] : undefined;
      if (shape === '[]') return ((given ?? []) as Json[]).flatMap((item) => encodeField(number, type, item));
      if (shape === 'map[]')
        return Object.entries((given ?? {}) as object).flatMap(([key, item]) =>
          lengthField(number, [...lengthField(1, utf8(key)), ...encodeField(2, type, item)]),
        );
      if (given === undefined && (isPointer || type === 'bytes')) return [];
      return encodeField(number, type, given ?? null);
    });
}

function encodeField(number: number, type: string, value: Json): Bytes {
  if (type === 'string') return lengthField(number, utf8((value ?? '') as string));
  if (type === 'bytes') return lengthField(number, [...Buffer.from(value as string, 'base64')]);
  if (type === 'bool') return numberField(number, value === true ? 1 : 0);
  if (type === 'int32' || type === 'int64') return numberField(number, (value ?? 0) as number);
  if (type === 'double') return doubleField(number, (value ?? 0) as number);
  return lengthField(number, encodeMessage(type, value));
}

interface Typed {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export function encodeObject(object: Typed): Bytes {
  return encodeMessage(protobufKinds[`${object.apiVersion}/${object.kind}`] as string, object);
}

export const MAGIC: Bytes = [0x6b, 0x38, 0x73, 0];

/** `runtime.Unknown` with its magic. */
export function envelope(type: Typed, raw: Bytes): Bytes {
  const typeMeta = [...lengthField(1, utf8(type.apiVersion ?? '')), ...lengthField(2, utf8(type.kind ?? ''))];
  return [...MAGIC, ...lengthField(1, typeMeta), ...lengthField(2, raw), ...lengthField(3, []), ...lengthField(4, [])];
}

const isBytes = (item: Typed | Bytes): item is Bytes => Array.isArray(item);

/** A list of objects of one type; an item may also be given as bytes. */
export function encodeList(
  type: Required<Typed>,
  items: readonly (Typed | Bytes)[],
  resourceVersion = '1',
): Uint8Array {
  const raw = [
    ...lengthField(1, encodeMessage(`${META}ListMeta`, { resourceVersion })),
    ...items.flatMap((item) => lengthField(2, isBytes(item) ? item : encodeObject({ ...type, ...item }))),
  ];
  return Uint8Array.from(envelope({ ...type, kind: `${type.kind}List` }, raw));
}

/** One event of a watch, with its length. */
export function encodeFrame(type: string, object: Typed, raw: Bytes = encodeObject(object)): Uint8Array {
  const event = [...lengthField(1, utf8(type)), ...lengthField(2, lengthField(1, envelope(object, raw)))];
  const bytes = Uint8Array.from([0, 0, 0, 0, ...event]);
  new DataView(bytes.buffer).setUint32(0, event.length);
  return bytes;
}
