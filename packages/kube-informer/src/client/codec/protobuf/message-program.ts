import { BYTES, FIXED_64, VARINT } from './wire-cursor.ts';

/** The generated table: see `@kube-informer/kubernetes/protobuf`. */
export interface ProtobufTable {
  /** The message of a kind, by apiVersion and kind: `apps/v1/Deployment`. */
  readonly protobufKinds: Readonly<Record<string, string>>;
  /** The kind of an object inside another object, by message and field. */
  readonly protobufEmbeddedKinds: Readonly<Record<string, string>>;
  /** The fields of a message in the order of the Go type, each as `number name type`. */
  readonly protobufMessages: Readonly<Record<string, readonly string[]>>;
}

/** The encoding of a value. */
export type ValueType = 'text' | 'bytes' | 'bool' | 'int' | 'double' | 'message';

/** How a field appears in JSON. `inline`: the fields of the message are the parent's own. */
export type FieldShape = 'one' | 'list' | 'map' | 'inline' | 'lazy';

export interface FieldProgram {
  readonly number: number;
  readonly name: string;
  readonly shape: FieldShape;
  readonly type: ValueType;
  /** The wire type of the field itself. */
  readonly wireType: number;
  /** Whether a list of numbers may be sent as one field. */
  readonly isPackable: boolean;
  /** Whether JSON shows the field even when it is zero. */
  readonly showsZero: boolean;
  /** Whether JSON shows null as null: a time that is not set. */
  readonly showsNull: boolean;
  /** The program of a field of type `message`. */
  readonly message: MessageProgram | undefined;
  /** The program of the entries of a `map`: the key is field 1, the value field 2. */
  readonly entry: MessageProgram | undefined;
  /** The type that every object in this field has; protobuf does not send it. */
  readonly embedded: { readonly apiVersion: string; readonly kind: string } | undefined;
}

/** Messages whose JSON is not an object with the same fields. */
export type Special =
  | 'time'
  | 'micro-time'
  | 'quantity'
  | 'int-or-string'
  | 'json'
  | 'schema-or-array'
  | 'schema-or-bool'
  | 'schema-or-texts'
  | 'list';

export interface MessageProgram {
  readonly name: string;
  /** Fields by number. Filled when the message is first needed. */
  readonly fields: readonly (FieldProgram | undefined)[];
  /** Fields that JSON shows as null when they are not on the wire. */
  readonly nulls: readonly string[];
  readonly special: Special | undefined;
}

const MACHINERY = 'io.k8s.apimachinery.pkg.';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';
const SCHEMA = `${EXTENSIONS}JSONSchemaProps`;
const OBJECT_META = `${MACHINERY}apis.meta.v1.ObjectMeta`;
/** The message that holds a set of managed fields, as JSON. */
export const MANAGED_FIELDS_SET: string = `${MACHINERY}apis.meta.v1.FieldsV1`;

/** The fields of special messages, written as in the table. */
const SPECIALS: ReadonlyMap<string, { readonly special: Special; readonly lines: readonly string[] }> = new Map([
  [`${MACHINERY}apis.meta.v1.Time`, { special: 'time', lines: ['1 seconds int64', '2 nanos int32'] }],
  [`${MACHINERY}apis.meta.v1.MicroTime`, { special: 'micro-time', lines: ['1 seconds int64', '2 nanos int32'] }],
  [`${MACHINERY}api.resource.Quantity`, { special: 'quantity', lines: ['1 text string'] }],
  [`${MACHINERY}util.intstr.IntOrString`, { special: 'int-or-string', lines: ['1 type int64', '2 int int32', '3 text string'] }],
  [MANAGED_FIELDS_SET, { special: 'json', lines: ['1 raw bytes'] }],
  [`${MACHINERY}runtime.RawExtension`, { special: 'json', lines: ['1 raw bytes'] }],
  [`${EXTENSIONS}JSON`, { special: 'json', lines: ['1 raw bytes'] }],
  [`${SCHEMA}OrArray`, { special: 'schema-or-array', lines: [`1 one *${SCHEMA}`, `2 many []${SCHEMA}`] }],
  [`${SCHEMA}OrBool`, { special: 'schema-or-bool', lines: ['1 allowed bool', `2 one *${SCHEMA}`] }],
  [`${SCHEMA}OrStringArray`, { special: 'schema-or-texts', lines: [`1 one *${SCHEMA}`, '2 many []string'] }],
]); // prettier-ignore

const LINE =
  /^(?<number>\d+) (?<name>=|\.\.\.|[^ ?!]+)(?<mark>[?!]?) (?<pointer>\*?)(?<shape>\[\]|map\[\]|)(?<type>.+)$/;

const SCALARS: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['string', 'text'],
  ['bytes', 'bytes'],
  ['bool', 'bool'],
  ['int32', 'int'],
  ['int64', 'int'],
  ['double', 'double'],
]);

/**
 * Makes a program for each message when it is first needed: one small object per field, which the decoder, the tag walk and
 * the path reader loop over. Generated functions would be faster once they are hot, and several times slower before.
 *
 * Room rule: knows the table. No bytes.
 */
export class MessagePrograms {
  readonly #messages: ReadonlyMap<string, readonly string[]>;
  readonly #embedded: ReadonlyMap<string, string>;
  readonly #kinds: ReadonlyMap<string, string>;
  readonly #programs = new Map<string, LazyMessageProgram>();

  constructor(table: ProtobufTable) {
    this.#messages = new Map(Object.entries(table.protobufMessages));
    this.#embedded = new Map(Object.entries(table.protobufEmbeddedKinds));
    this.#kinds = new Map(Object.entries(table.protobufKinds));
  }

  /** The program of a kind (`apps/v1`, `Deployment`); undefined when the table does not have it. */
  ofKind(apiVersion: string, kind: string): MessageProgram | undefined {
    const name = this.#kinds.get(`${apiVersion}/${kind}`);
    return name === undefined || !this.#messages.has(name) ? undefined : this.ofMessage(name);
  }

  ofMessage(name: string): MessageProgram {
    let program = this.#programs.get(name);
    if (program === undefined) {
      // Registered before its fields are made: a message may contain itself.
      program = new LazyMessageProgram(name, this);
      this.#programs.set(name, program);
    }
    return program;
  }

  /** The lines of a message in the table, and how JSON shows it. A message that is not there has no known fields. */
  linesOf(name: string): { readonly lines: readonly string[]; readonly special: Special | undefined } {
    const known = SPECIALS.get(name);
    if (known !== undefined) return known;
    const lines = this.#messages.get(name) ?? [];
    return { lines, special: lines[0]?.split(' ')[1] === '=' ? 'list' : undefined };
  }

  field(message: string, line: string): FieldProgram {
    const { number, name = '', mark = '', pointer, shape = '', type = '' } = LINE.exec(line)?.groups ?? {};
    const value = SCALARS.get(type) ?? 'message';
    const nested = value === 'message' ? this.ofMessage(type) : undefined;
    const isLazy = message === OBJECT_META && name === 'managedFields';
    const isOne = shape === '';
    return {
      number: Number(number),
      name,
      shape: isLazy ? 'lazy' : name === '...' ? 'inline' : isOne ? 'one' : shape === '[]' ? 'list' : 'map',
      type: value,
      wireType: shape === 'map[]' ? BYTES : value === 'double' ? FIXED_64 : value === 'int' || value === 'bool' ? VARINT : BYTES,
      isPackable: shape === '[]' && (value === 'int' || value === 'bool'),
      showsZero: pointer === '*' || mark === '',
      showsNull: mark !== '!',
      message: nested,
      entry: shape === 'map[]' ? mapMessageProgram(`${message}.${name}`, value, nested) : undefined,
      embedded: this.#embeddedType(`${message}/${name}`),
    };
  } // prettier-ignore

  #embeddedType(field: string): FieldProgram['embedded'] {
    const type = this.#embedded.get(field);
    if (type === undefined) return undefined;
    const slash = type.lastIndexOf('/');
    return { apiVersion: type.slice(0, slash), kind: type.slice(slash + 1) };
  }
}

function mapMessageProgram(name: string, type: ValueType, message: MessageProgram | undefined): MessageProgram {
  const one = {
    shape: 'one',
    isPackable: false,
    showsZero: true,
    showsNull: true,
    entry: undefined,
    embedded: undefined,
  } as const;
  const wireType = type === 'double' ? FIXED_64 : type === 'int' || type === 'bool' ? VARINT : BYTES;
  const key: FieldProgram = { ...one, number: 1, name: 'key', type: 'text', wireType: BYTES, message: undefined };
  const value: FieldProgram = { ...one, number: 2, name: 'value', type, wireType, message };
  return { name, fields: [undefined, key, value], nulls: [], special: undefined };
}

class LazyMessageProgram implements MessageProgram {
  readonly name: string;
  readonly special: Special | undefined;
  readonly #programs: MessagePrograms;
  #fields: (FieldProgram | undefined)[] | undefined;
  #nulls: string[] = [];

  constructor(name: string, programs: MessagePrograms) {
    this.name = name;
    this.#programs = programs;
    this.special = programs.linesOf(name).special;
  }

  get fields(): readonly (FieldProgram | undefined)[] {
    return this.#fields ?? this.#link();
  }

  get nulls(): readonly string[] {
    if (this.#fields === undefined) this.#link();
    return this.#nulls;
  }

  #link(): readonly (FieldProgram | undefined)[] {
    const fields: (FieldProgram | undefined)[] = [];
    for (const line of this.#programs.linesOf(this.name).lines) {
      const field = this.#programs.field(this.name, line);
      // A dense array: a hole would make each look-up slower.
      while (fields.length <= field.number) fields.push(undefined);
      fields[field.number] = field;
      if (isNullInMessageProgram(line)) this.#nulls.push(field.name);
    }
    this.#fields = fields;
    return fields;
  }
}

/**
 * Go writes null for a list, a map, bytes or a pointer that is not set, unless the field has `omitempty` or `omitzero`.
 */
function isNullInMessageProgram(line: string): boolean {
  return /^\d+ [^ ?!=.][^ ?!]* (?:\*|\[\]|map\[\]|bytes$)/.test(line);
}
