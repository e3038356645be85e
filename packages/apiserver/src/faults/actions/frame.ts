import type { JsonObject } from '../../core/json.ts';
import { INITIAL_EVENTS_END } from '../../storage/watch/watch-form.ts';
import type { FrameCodec } from '../../storage/watch/watch-sink.ts';

export type FrameKind = 'event' | 'bookmark' | 'end-bookmark' | 'error';

/** The beginning of every JSON frame. */
const OPEN = '{"type":"';
/** Position of the type: in protobuf it follows the frame's length, a tag and its own length. */
const TYPE_AT = { json: OPEN.length, protobuf: 6 };

/** The type of a watch frame, read from its beginning only. */
export function faultFrameKind(frame: Buffer, { encoding }: FrameCodec): FrameKind {
  const at = TYPE_AT[encoding];
  const type = frame.toString('latin1', at, at + 3);
  if (type === 'ERR') return 'error';
  if (type !== 'BOO') return 'event';
  return frame.includes(INITIAL_EVENTS_END) ? 'end-bookmark' : 'bookmark';
}

/** `namespace/name` of the object in it. */
export function faultFrameObjectKey(frame: Buffer, frames: FrameCodec): string {
  const { object } = frames.read(frame) as { object?: { metadata?: { namespace?: string; name?: string } } };
  const { namespace = '', name = '' } = object?.metadata ?? {};
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The frame with another type of event. */
export function retypeFaultFrame(frame: Buffer, type: string, frames: FrameCodec): Buffer {
  if (frames.encoding === 'protobuf') return frames.write(type, frames.read(frame).object);
  const end = frame.indexOf('"', OPEN.length);
  return Buffer.concat([Buffer.from(`${OPEN}${type}`), frame.subarray(end)]);
}

const VERSION = /"resourceVersion":"(\d+)"/;

/** The bookmark with an older version. */
export function ageBookmarkFaultFrame(frame: Buffer, by: number, frames: FrameCodec): Buffer {
  const older = (version: string): string => String(Math.max(1, Number(version) - by));
  if (frames.encoding === 'protobuf') {
    const { type, object } = frames.read(frame);
    const metadata = object['metadata'] as JsonObject & { readonly resourceVersion: string };
    const resourceVersion = older(metadata.resourceVersion);
    return frames.write(type, { ...object, metadata: { ...metadata, resourceVersion } });
  }
  return Buffer.from(
    frame.toString().replace(VERSION, (_all, version: string) => `"resourceVersion":"${older(version)}"`),
  );
}

/**
 * The beginning of a frame, up to a position inside it. `mid-utf8` is the middle of the first multi-byte
 * character; if there is none, one is added, which a client cannot notice because the frame is never
 * completed. A protobuf frame without such a character is cut in its middle.
 */
export function faultFrameBeginning(frame: Buffer, offset: number | 'mid-utf8', frames: FrameCodec): Buffer {
  if (offset !== 'mid-utf8') return frame.subarray(0, Math.max(0, Math.min(offset, frame.length - 1)));
  if (frames.encoding === 'protobuf') {
    // Bytes above 127 may be lengths, so the character is taken from the object and found by all its bytes.
    const [character] = /[^\0-\x7f]/u.exec(JSON.stringify(frames.read(frame).object)) ?? [];
    const found = character === undefined ? -1 : frame.indexOf(character);
    return frame.subarray(0, found === -1 ? frame.length >> 1 : found + 1);
  }
  const at = frame.findIndex((byte) => byte >= 0x80);
  if (at !== -1) return frame.subarray(0, at + 1);
  const brace = frame.indexOf('{', 1);
  return Buffer.concat([frame.subarray(0, brace + 1), Buffer.from('"note":"é').subarray(0, -1)]);
}
