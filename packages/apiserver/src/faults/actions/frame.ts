import { INITIAL_EVENTS_END } from '../../storage/watch/watch-form.ts';

export type FrameKind = 'event' | 'bookmark' | 'end-bookmark' | 'error';

/** Every frame begins like this, whatever its form. */
const OPEN = '{"type":"';

/** The type of a watch frame, read from its beginning only. */
export function frameKind(frame: Buffer): FrameKind {
  const type = frame.toString('latin1', OPEN.length, OPEN.length + 3);
  if (type === 'ERR') return 'error';
  if (type !== 'BOO') return 'event';
  return frame.includes(INITIAL_EVENTS_END) ? 'end-bookmark' : 'bookmark';
}

/** `namespace/name` of the object in it. */
export function frameObjectKey(frame: Buffer): string {
  const { object } = JSON.parse(frame.toString()) as { object?: { metadata?: { namespace?: string; name?: string } } };
  const { namespace = '', name = '' } = object?.metadata ?? {};
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The same object under another type of event. */
export function retypeFrame(frame: Buffer, type: string): Buffer {
  const end = frame.indexOf('"', OPEN.length);
  return Buffer.concat([Buffer.from(`${OPEN}${type}`), frame.subarray(end)]);
}

const VERSION = /"resourceVersion":"(\d+)"/;

/** A bookmark with an older version. */
export function ageBookmarkFrame(frame: Buffer, by: number): Buffer {
  return Buffer.from(
    frame
      .toString()
      .replace(VERSION, (_all, version: string) => `"resourceVersion":"${Math.max(1, Number(version) - by)}"`),
  );
}

/**
 * The beginning of a frame, up to a place inside it. In the middle of a character: of the first one that has a middle;
 * where there is none, one is added: a client cannot see it, since the frame is never completed.
 */
export function frameBeginning(frame: Buffer, offset: number | 'mid-utf8'): Buffer {
  if (offset !== 'mid-utf8') return frame.subarray(0, Math.max(0, Math.min(offset, frame.length - 1)));
  const at = frame.findIndex((byte) => byte >= 0x80);
  if (at !== -1) return frame.subarray(0, at + 1);
  const brace = frame.indexOf('{', 1);
  return Buffer.concat([frame.subarray(0, brace + 1), Buffer.from('"note":"é').subarray(0, -1)]);
}
