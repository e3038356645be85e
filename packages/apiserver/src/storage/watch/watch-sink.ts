import type { JsonObject } from '../../core/json.ts';

/** Writes and reads frames of a watch one by one, for sinks that change them. */
export interface FrameCodec {
  readonly encoding: 'json' | 'protobuf';
  write(type: string, object: object): Buffer;
  read(frame: Buffer): { readonly type: string; readonly object: JsonObject };
}

/** The target that a watch writes to: a response, or anything in-process. */
export interface WatchSink {
  /** Takes the bytes; never blocks, never throws. */
  write(bytes: Buffer): void;
  /** Bytes taken and not yet gone. */
  readonly queued: number;
  /** Resolves when there is room again, or when the other side has left. */
  drained(): Promise<void>;
  /** Ends the stream cleanly. */
  end(): void;
  /** The form of the frames. @default JSON */
  readonly codec?: FrameCodec;
  /**
   * Gets every frame in a write of its own, not all frames of a turn at once; for sinks that count or cut frames.
   * @default false
   */
  readonly singleFrames?: boolean;
}
