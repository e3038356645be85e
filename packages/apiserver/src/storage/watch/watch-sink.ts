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
  /**
   * Gets every frame in a write of its own, not all frames of a turn at once; for sinks that count or cut frames.
   * @default false
   */
  readonly singleFrames?: boolean;
}
