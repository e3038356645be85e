import { decodeProtobuf, decodeProtobufFrame } from '../../../packages/apiserver/src/api/protobuf/decode-protobuf.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** A response in protobuf as the JSON that the same request would have got. */
export function protobufBody(bytes: Buffer): object {
  return asInJson(decodeProtobuf(bytes));
}

/** The complete frames of a watch as lines of JSON, and the bytes behind them. */
export function protobufLines(bytes: Buffer): { readonly frames: string[]; readonly rest: Buffer } {
  const frames: string[] = [];
  let at = 0;
  while (at + 4 <= bytes.length && at + 4 + bytes.readUInt32BE(at) <= bytes.length) {
    const end = at + 4 + bytes.readUInt32BE(at);
    const { type, object } = decodeProtobufFrame(bytes.subarray(at, end));
    frames.push(JSON.stringify({ type, object: asInJson(object) }));
    at = end;
  }
  return { frames, rest: bytes.subarray(at) };
}

/** Protobuf knows no difference between an empty list and none, and discovery without a version has an empty one. */
function asInJson(object: object): object {
  const { apiVersion, ...rest } = object as { apiVersion?: string; items?: unknown; kind?: string };
  if (rest.kind?.endsWith('List') === true && rest.items === null) rest.items = [];
  const { kind, ...fields } = rest;
  return { kind, ...(apiVersion === '' ? {} : { apiVersion }), ...fields };
}

/** One length-delimited field. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const head = [(number << 3) | 2];
  let rest = bytes.length;
  for (; rest > 0x7f; rest >>>= 7) head.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([...head, rest]), bytes]);
}

/** A ConfigMap as protobuf clients send it: four magic bytes, then an envelope that names the kind. */
export function configMapProtobuf(name: string, data: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(data).map(([key, value]) => field(2, Buffer.concat([field(1, key), field(2, value)])));
  const object = Buffer.concat([field(1, field(1, name)), ...entries]);
  const type = Buffer.concat([field(1, 'v1'), field(2, 'ConfigMap')]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, object)]);
}

/** The numbers of the fields of a message, in order; fails if the bytes are not a message. */
export function fieldNumbers(bytes: Buffer): number[] {
  const numbers: number[] = [];
  let at = 0;
  const varint = (): number => {
    for (let value = 0, weight = 1; ; weight *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('the message ends inside a number');
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) === 2) {
      const length = varint();
      at += length;
    } else if ((tag & 7) === 0) {
      varint();
    } else {
      throw new Error(`unexpected wire type ${tag & 7} at byte ${at}`);
    }
    numbers.push(tag >>> 3);
  }
  if (at !== bytes.length) throw new Error('the message ends inside a field');
  return numbers;
}
