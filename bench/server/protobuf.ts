/** The little of the protobuf wire format that the replay needs: cutting a list into items, and frames of items. */

/** Every answer in protobuf begins with these bytes. */
const MAGIC = Buffer.from('k8s\0');

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

/** A field of bytes: strings, messages. */
export function field(number: number, content: Buffer | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

export function numberField(number: number, value: number): Buffer {
  return Buffer.from([...varint(number << 3), ...varint(value)]);
}

/** The envelope of an object: its type beside its bytes (`runtime.Unknown`). */
export function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const type = Buffer.concat([field(1, apiVersion), field(2, kind)]);
  // Content encoding and type are empty, and always written.
  return Buffer.concat([MAGIC, field(1, type), field(2, raw), field(3, ''), field(4, '')]);
}

/** A frame of a watch: a length, then the event with the object's envelope. */
export function frame(type: string, object: Buffer): Buffer {
  const event = Buffer.concat([field(1, type), field(2, field(1, object))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

interface Field {
  readonly number: number;
  readonly bytes: Buffer;
  /** Where the field with its tag lies in the message. */
  readonly from: number;
  readonly to: number;
}

/** The fields of a message that are bytes, as views, in their order. */
export function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const from = at;
    const tag = next();
    if ((tag & 7) === 0) next();
    else if ((tag & 7) === 2) {
      const length = next();
      const to = at + length;
      yield { number: tag >>> 3, bytes: message.subarray(at, to), from, to };
      at = to;
    } else throw new Error(`wire type ${tag & 7} is not expected in a list`);
  }
}

/** The message with another content in a field of bytes that it has. */
export function withField(message: Buffer, number: number, content: (old: Buffer) => Buffer | string): Buffer {
  for (const { number: found, bytes, from, to } of fieldsOf(message)) {
    if (found !== number) continue;
    return Buffer.concat([message.subarray(0, from), field(number, content(bytes)), message.subarray(to)]);
  }
  throw new Error(`the message has no field ${number}`);
}

/** The items of a list in its envelope. */
export function itemsOf(list: Buffer): Buffer[] {
  if (!list.subarray(0, 4).equals(MAGIC)) throw new Error('not a protobuf answer of a Kubernetes server');
  const raw = [...fieldsOf(list.subarray(4))].find(({ number }) => number === 2);
  return [...fieldsOf(raw?.bytes ?? Buffer.alloc(0))].filter(({ number }) => number === 2).map(({ bytes }) => bytes);
}
