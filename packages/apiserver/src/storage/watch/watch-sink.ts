/** The target that a watch writes to: a response, or anything in-process. */
export interface WatchSink {
  /** Takes the bytes; never blocks, never throws. */
  write(bytes: Buffer): void;
  /** Bytes taken and not yet gone. */
  readonly queued: number;
  /** Resolves when there is room again, or when the other side has left. */
  drained(): Promise<void>;
  /** Ends the stream in good order. */
  end(): void;
  /**
   * Wants every frame by itself instead of all frames of a turn at once: who counts or cuts frames.
   * @default false
   */
  readonly singleFrames?: boolean;
}
