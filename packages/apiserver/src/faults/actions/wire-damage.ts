import { protobufWireFields, WireWriter } from '../../api/protobuf/wire.ts';
import type { ProtobufGarbageName } from '../rules/rule.ts';

const LENGTH_BYTES = 4;
const MAGIC = Buffer.from('k8s\0');
const NOTHING = new Uint8Array();
/** A field number that no message has. */
const UNKNOWN_FIELD = 1_999;
/** Field 1, which is the metadata of any object, as a number. */
const NUMBER_AS_METADATA = Uint8Array.of(0x08, 0x01);
/** The head of field 1 with a length that no message has. */
const LONG_METADATA = Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0x7f);
const HUGE_METADATA = Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);

/** A frame of a watch with a fault inside. */
export function damageWireFrame(name: ProtobufGarbageName, frame: Buffer): Buffer {
  const damaged = Buffer.from(frame);
  if (name === 'cut-frame') return damaged.subarray(0, damaged.length >> 1);
  if (name === 'wrong-length') damaged.writeUInt32BE((frame.length - LENGTH_BYTES) >> 1);
  else if (name === 'huge-length') damaged.writeUInt32BE(0xff_ff_ff_ff);
  else
    return withDamagedWireLength(
      damageWireField(frame.subarray(LENGTH_BYTES), 2, (object) => damageWireObject(name, object)),
    );
  return damaged;
}

const damageWireObject = (name: ProtobufGarbageName, object: Uint8Array): Buffer =>
  damageWireField(object, 1, (body) => damageWireBody(name, body));

/** A complete response with a fault inside: in the object, or in the first object of a list. */
export function damageWireBody(name: ProtobufGarbageName, body: Uint8Array): Buffer {
  if (name === 'cut-frame') return Buffer.from(body.subarray(0, body.length >> 1));
  const envelope = body.subarray(MAGIC.length);
  const typeMeta = damagedWireFieldBytes(envelope, 1) ?? NOTHING;
  const isList = Buffer.from(damagedWireFieldBytes(typeMeta, 2) ?? NOTHING)
    .toString()
    .endsWith('List');
  const damage = (message: Uint8Array): Uint8Array => damageWireMessage(name, message);
  const edited = damageWireField(envelope, 2, (message) =>
    isList && damagedWireFieldBytes(message, 2) !== undefined ? damageWireField(message, 2, damage) : damage(message),
  );
  return Buffer.concat([MAGIC, edited]);
}

function damageWireMessage(name: ProtobufGarbageName, message: Uint8Array): Uint8Array {
  const unknown = (inside: Uint8Array): Buffer =>
    Buffer.concat([inside, new WireWriter().text(UNKNOWN_FIELD, 'from a newer server').bytes()]);
  switch (name) {
    case 'unknown-field':
      return unknown(message);
    case 'unknown-nested-field':
      return damageWireField(message, 1, unknown);
    case 'wrong-wire-type':
      return Buffer.concat([NUMBER_AS_METADATA, message]);
    case 'huge-length':
      return Buffer.concat([HUGE_METADATA, message]);
    case 'wrong-length':
    case 'cut-frame':
    default:
      return Buffer.concat([LONG_METADATA, message]);
  }
}

/** An event with this text as its managedFields, where JSON is expected. */
export function damagedWireFrame(type: string, fields: string): Buffer {
  const entry = new WireWriter().message(7, new WireWriter().text(1, fields));
  const metadata = new WireWriter().text(1, 'x').message(17, entry);
  const typeMeta = new WireWriter().text(1, 'v1').text(2, 'Pod');
  const envelope = new WireWriter().message(1, typeMeta).message(2, new WireWriter().message(1, metadata));
  const body = Buffer.concat([MAGIC, envelope.bytes()]);
  return withDamagedWireLength(new WireWriter().text(1, type).message(2, new WireWriter().message(1, body)).bytes());
}

function withDamagedWireLength(event: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

function damagedWireFieldBytes(message: Uint8Array, number: number): Uint8Array | undefined {
  for (const field of protobufWireFields(message))
    if (field.number === number && field.value instanceof Uint8Array) return field.value;
  return undefined;
}

/** The same message with other content in its first field of this number; the lengths around it are adjusted. */
function damageWireField(message: Uint8Array, number: number, edit: (content: Uint8Array) => Uint8Array): Buffer {
  const content = damagedWireFieldBytes(message, number);
  if (content === undefined) return Buffer.from(message);
  const end = content.byteOffset - message.byteOffset + content.length;
  const start = end - new WireWriter().message(number, content).bytes().length;
  const field = new WireWriter().message(number, edit(content)).bytes();
  return Buffer.concat([message.subarray(0, start), field, message.subarray(end)]);
}
