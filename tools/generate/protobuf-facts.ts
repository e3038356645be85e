/** One Go package: its .proto file and the Go files next to it. */
export interface GoPackage {
  readonly proto: string;
  readonly go: readonly string[];
}

/**
 * The fields of every message, in the order the Go type has them, one line each: `1 replicas? *int32`.
 *
 * The number comes first, then the name in JSON, then the type: `*` where absent and zero differ, `[]` for a list,
 * `map[]` for a map from strings, then a scalar or the name of another message (called as OpenAPI calls it). After the
 * name, `?` says that an empty value is left out of JSON, `!` that a zero value is. Two names are special: `=` says
 * that the whole message is a list in JSON, `...` that the fields of the inner message are the outer one's own.
 */
export type ProtobufFacts = Record<string, readonly string[]>;

/** Messages whose JSON is not an object with the same fields. The decoder knows them by name. */
const SPECIAL: ReadonlySet<string> = new Set(
  [
    'apimachinery.pkg.api.resource.Quantity',
    'apimachinery.pkg.apis.meta.v1.Duration',
    'apimachinery.pkg.apis.meta.v1.FieldsV1',
    'apimachinery.pkg.apis.meta.v1.MicroTime',
    'apimachinery.pkg.apis.meta.v1.Time',
    'apimachinery.pkg.runtime.RawExtension',
    'apimachinery.pkg.util.intstr.IntOrString',
    'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
    'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
    'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool',
    'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
  ].map((name) => `io.k8s.${name}`),
);

interface ProtoField {
  readonly number: string;
  readonly name: string;
  readonly shape: '' | '[]' | 'map[]';
  readonly type: string;
}

interface GoField {
  readonly number: string;
  readonly type: string;
  readonly json: string;
}

/**
 * The messages in `roots`, and those they hold, as they are on the wire and in JSON.
 *
 * Numbers and types are in the .proto files. The name of a field in JSON, and whether it is a pointer, is only in the Go
 * type: both are joined by the number.
 */
export function protobufFacts(packages: readonly GoPackage[], roots: Iterable<string>): ProtobufFacts {
  const messages = new Map(packages.flatMap(({ proto, go }) => [...messagesOf(proto, structsOf(go))]));
  const facts: [string, readonly string[]][] = [];
  const wanted = new Set(roots);
  // A Set that grows while it is read is read to its new end.
  for (const name of wanted) {
    if (SPECIAL.has(name)) continue;
    const message = messages.get(name);
    if (message === undefined) throw new Error(`no .proto file has the message ${name}`);
    facts.push([name, message.lines]);
    for (const type of message.types) wanted.add(type);
  }
  return Object.fromEntries(facts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

interface Message {
  readonly lines: readonly string[];
  readonly types: readonly string[];
}

function messagesOf(proto: string, structs: ReadonlyMap<string, readonly GoField[]>): Map<string, Message> {
  const packageName = /^package (?<name>[\w.]+);$/m.exec(proto)?.groups?.['name'] ?? '';
  const messages = new Map<string, Message>();
  for (const [, name = '', body = ''] of proto.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)) {
    const fields = protoFieldsOf(body, packageName);
    const types = fields.map(({ type }) => type).filter((type) => type.includes('.'));
    const own = schemaName(`${packageName}.${name}`);
    const lines = SPECIAL.has(own) ? undefined : linesOf(own, fields, structs.get(name));
    if (lines !== undefined) messages.set(own, { lines, types });
  }
  return messages;
}

/** The Go type of that name; undefined if Go has neither a struct nor a list of it. */
function linesOf(
  name: string,
  fields: readonly ProtoField[],
  struct: readonly GoField[] | undefined,
): readonly string[] | undefined {
  if (struct === undefined) {
    // A list with a type of its own: Go and JSON have no object there, protobuf needs one around it.
    const [items, ...others] = fields;
    return others.length === 0 && items?.name === 'items'
      ? [`${items.number} = ${items.shape}${items.type}`]
      : undefined;
  }
  const byNumber = new Map(fields.map((field) => [field.number, field]));
  return struct.map(({ number, type, json }) => {
    const field = byNumber.get(number);
    if (field === undefined) throw new Error(`${name} has no field ${number} in its .proto file`);
    const [jsonName = '', ...options] = json.split(',');
    const marks = options.includes('omitzero') ? '!' : options.includes('omitempty') ? '?' : '';
    const pointer = type.startsWith('*') ? '*' : '';
    return `${number} ${options.includes('inline') ? '...' : jsonName + marks} ${pointer}${field.shape}${field.type}`;
  });
}

function protoFieldsOf(body: string, packageName: string): ProtoField[] {
  const fields: ProtoField[] = [];
  for (const line of body.split('\n')) {
    const [, label, key, type = '', name = '', number = ''] =
      /^ {2}(?:(optional|repeated|required) |map<(\w+), )([\w.]+)>? (\w+) = (\d+);$/.exec(line) ?? [];
    if (number === '') continue;
    if (key !== undefined && key !== 'string') throw new Error(`a map with keys of type ${key}: ${line}`);
    const shape = key === undefined ? (label === 'repeated' ? '[]' : '') : 'map[]';
    fields.push({ number, name, shape, type: typeOf(type, packageName) });
  }
  return fields;
}

function typeOf(type: string, packageName: string): string {
  if (/^[a-z]\w*$/.test(type)) return type;
  return schemaName(type.includes('.') ? type.replace(/^\./, '') : `${packageName}.${type}`);
}

/** The name in OpenAPI: `io.k8s.api.core.v1.Pod` for `k8s.io.api.core.v1.Pod`. */
function schemaName(protoName: string): string {
  return protoName.replace(/^k8s\.io\./, 'io.k8s.').replaceAll('_', '-');
}

function structsOf(files: readonly string[]): Map<string, readonly GoField[]> {
  const structs = new Map<string, readonly GoField[]>();
  for (const file of files) {
    for (const [, name = '', body = ''] of file.matchAll(/^type (\w+) struct ?\{(?:\}|\n(.*?)^\})/gms)) {
      structs.set(name, goFieldsOf(body));
    }
  }
  return structs;
}

function goFieldsOf(body: string): GoField[] {
  return body.split('\n').flatMap((line) => {
    const [, type = '', tags = ''] = /^\t(?:\w+\s+)?([\w.*[\]]+)\s+`(.*)`/.exec(line) ?? [];
    const json = /json:"(?<value>[^"]*)"/.exec(tags)?.groups?.['value'];
    const number = /protobuf:"[^,"]*,(?<value>\d+)/.exec(tags)?.groups?.['value'];
    return json === undefined || number === undefined ? [] : [{ number, type, json }];
  });
}
