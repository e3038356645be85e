/** One request with its response. */
export interface RequestEntry {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly verb: string;
  readonly path: string;
  readonly query: string;
  readonly user: string;
  readonly userAgent: string;
  readonly status: number;
  /** Bytes sent so far. */
  readonly bytes: number;
  /** Names of the faults that acted on it. */
  readonly fault?: string;
}

/** Maximum length of a text from a request. */
const MAX_TEXT = 8_192;

/** A text as the log keeps it. Part of a long text is copied: a slice would keep all of it in memory. */
export function requestLogText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${Buffer.from(text.slice(0, MAX_TEXT)).toString()}…`;
}

/** The last requests, oldest first, for inspection. */
export class RequestLog {
  readonly #limit: number;
  #entries: RequestEntry[] = [];

  constructor(limit = 1000) {
    this.#limit = limit;
  }

  add(entry: RequestEntry): void {
    if (this.#limit === 0) return; // slice(-0) would keep everything
    this.#entries.push(entry);
    // Cut occasionally, not every time: shortening an array at the front copies it.
    if (this.#entries.length > this.#limit * 2) this.#entries = this.#entries.slice(-this.#limit);
  }

  entries(): readonly RequestEntry[] {
    return this.#entries.slice(-this.#limit);
  }

  clear(): void {
    this.#entries = [];
  }
}
