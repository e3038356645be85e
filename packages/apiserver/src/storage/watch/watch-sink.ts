import type { JsonObject } from '../../core/json.ts';

/** Writes and reads frames of a watch one by one, for sinks that change them. */
export interface FrameCodec {
  readonly encoding: 'json' | 'protobuf';
  write(type: string, object: object): Buffer;
  read(frame: Buffer): { readonly type: string; readonly object: JsonObject };
}

/** The target that a watch writes to: a response, or anything in-process. */
export interface WatchSink {
  /** Accepts bytes; never blocks, never throws. */
  write(bytes: Buffer): void;
  /** Number of bytes accepted and not yet sent. */
  readonly queued: number;
  /** Resolves when there is room again, or when the client is gone. */
  drained(): Promise<void>;
  /** Ends the stream cleanly. */
  end(): void;
  /** The form of the frames. @default JSON */
  readonly codec?: FrameCodec;
  /**
   * Gets every frame in a separate write, not all frames of a turn at once; for sinks that count or cut
   * frames.
   * @default false
   */
  readonly singleFrames?: boolean;
}
