import { goPackages } from './go-packages.ts';
import { type ProtobufFacts, protobufFacts } from './protobuf-facts.ts';

type Node = Record<string, unknown>;

const KINDS = 'x-kubernetes-group-version-kind';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** Messages that are not a kind of a schema but are sent all the same: metadata of lists and of objects without their content. */
const SHARED: readonly string[] = ['DeleteOptions', 'ListMeta', 'PartialObjectMetadata', 'Status'].map(
  (name) => META + name,
);
const SHARED_KINDS: readonly (readonly [kind: string, message: string])[] = [
  ['meta.k8s.io/v1/PartialObjectMetadata', `${META}PartialObjectMetadata`],
  ['v1/Status', `${META}Status`],
];

/**
 * The text of `protobuf.ts`: the messages (see `ProtobufFacts`), the message of each kind, and the fields that hold whole
 * objects. TypeMeta has no number in protobuf, so the type of such an object is only in this table.
 */
export async function protobufText(schemas: Readonly<Record<string, Node>>): Promise<string> {
  const kinds = kindsIn(schemas);
  const messages = protobufFacts(await goPackages(), [...new Set(kinds.values()), ...SHARED]);
  return [
    tableText('protobufKinds', 'string', [...kinds, ...SHARED_KINDS]),
    tableText('protobufEmbeddedKinds', 'string', embeddedIn(messages, kinds)),
    tableText('protobufMessages', 'readonly string[]', Object.entries(messages)),
  ].join('\n');
}

/** The message of every kind but lists, by apiVersion and kind: `apps/v1/Deployment`. */
function kindsIn(schemas: Readonly<Record<string, Node>>): Map<string, string> {
  const kinds = new Map<string, string>();
  for (const [name, schema] of Object.entries(schemas)) {
    const { properties, [KINDS]: named } = schema as { properties?: Node; [KINDS]?: Record<string, string>[] };
    if (named === undefined || name.startsWith(META) || 'items' in (properties ?? {})) continue;
    for (const { group, version, kind } of named) kinds.set([group, version, kind].filter(Boolean).join('/'), name);
  }
  return new Map([...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The kind that a field holds, by message and name: the templates of a StatefulSet are PersistentVolumeClaims. */
function embeddedIn(messages: ProtobufFacts, kinds: ReadonlyMap<string, string>): [string, string][] {
  const kindOf = new Map([...kinds].map(([kind, message]) => [message, kind]));
  return Object.entries(messages).flatMap(([message, lines]) =>
    lines.flatMap((line): [string, string][] => {
      const [, name = '', type = ''] = /^\d+ ([^ ?!]+)[?!]? \*?(?:\[\]|map\[\])?(.+)$/.exec(line) ?? [];
      const kind = kindOf.get(type);
      return kind === undefined ? [] : [[`${message}/${name}`, kind]];
    }),
  );
}

/** One line per entry, so that a change can be read in a diff. */
function tableText(name: string, type: string, entries: readonly (readonly [string, unknown])[]): string {
  const lines = entries.map(([key, value]) => `  ${literal(key)}: ${literal(value)},\n`);
  return `export const ${name}: Readonly<Record<string, ${type}>> = {\n${lines.join('')}};\n`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'string' || /['\\\p{C}]/u.test(value)) throw new Error(`not a name: ${String(value)}`);
  return `'${value}'`;
}
