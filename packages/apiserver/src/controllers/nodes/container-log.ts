export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** Maximum number of lines kept of one container; older ones are dropped, as a kubelet rotates its files. */
const MAX_LINES = 10_000;

/** The output of one container, for readers that may wait for more. */
export class ContainerLog {
  readonly #lines: LogLine[] = [];
  readonly #waiting = new Set<() => void>();
  #dropped = 0;
  #isEnded = false;

  write(at: number, text: string): void {
    if (this.#isEnded) return;
    for (const line of text.split('\n')) this.#lines.push({ at, text: line });
    const excess = this.#lines.length - MAX_LINES;
    if (excess > 0) {
      this.#lines.splice(0, excess);
      this.#dropped += excess;
    }
    this.#wake();
  }

  /** Ends the log: its container has ended. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  /** The lines from number `from` on, and later ones as they come. Ends with the container, or when `signal` aborts. */
  async *follow(from: number, signal: AbortSignal): AsyncGenerator<LogLine> {
    for (let next = from; !signal.aborted;) {
      const line = this.#lines[Math.max(0, next - this.#dropped)];
      if (line !== undefined) {
        yield line;
        next = Math.max(next, this.#dropped) + 1;
      } else if (this.#isEnded) return;
      else await this.#changed(signal);
    }
  }

  /** Number of lines so far, for `follow`. */
  get count(): number {
    return this.#dropped + this.#lines.length;
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }
}
