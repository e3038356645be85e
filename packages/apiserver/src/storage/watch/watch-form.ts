import type { ChangeType } from '../store/stored-history.ts';
import { type StoredRecord, recordTailAt } from '../store/stored-record.ts';
import type { FrameCodec } from './watch-sink.ts';

export interface BookmarkOptions {
  readonly revision: number;
  /** Whether it is the bookmark that ends the initial events. */
  readonly endsInitialEvents: boolean;
}

/** Encodes the events of a watch. Frames with equal `key` are the same bytes for every watcher. */
export interface WatchForm {
  readonly key: string;
  /** Encodes an event. `revision` is the event's own: a DELETED event shows an older state with it. */
  event(type: ChangeType, record: StoredRecord, revision: number): Buffer;
  bookmark(options: BookmarkOptions): Buffer;
}

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

const OPEN: Readonly<Record<ChangeType, string>> = {
  ADDED: '{"type":"ADDED","object":',
  MODIFIED: '{"type":"MODIFIED","object":',
  DELETED: '{"type":"DELETED","object":',
};
const CLOSE = Buffer.from('}\n');

/** One line of a stream with any object. */
export const watchFormFrame = (type: string, object: unknown): Buffer =>
  Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);

/** Frames of JSON, one per line. */
export const jsonFrames: FrameCodec = {
  encoding: 'json',
  write: watchFormFrame,
  read: (frame) => JSON.parse(frame.toString()) as ReturnType<FrameCodec['read']>,
};

/** The stored bytes as they are, after the head of the watched version. */
export function storedWatchForm(head: string, emptyObject: (mark: BookmarkOptions) => object): WatchForm {
  const opened = {
    ADDED: Buffer.from(OPEN.ADDED + head),
    MODIFIED: Buffer.from(OPEN.MODIFIED + head),
    DELETED: Buffer.from(OPEN.DELETED + head),
  };
  return {
    key: head,
    event: (type, record, revision) =>
      Buffer.concat([opened[type], type === 'DELETED' ? recordTailAt(record, revision) : record.tail, CLOSE]),
    bookmark: (mark) => watchFormFrame('BOOKMARK', emptyObject(mark)),
  };
}
