/** A number of rows beyond any table. */
const FAR = 1_000_000_000;

/** The chosen row of a table and the first row on the screen. Hidden until a key moves it. */
export class TableCursor {
  #at = 0;
  #top = 0;
  #room = 1;
  #isShown = false;

  get at(): number {
    return this.#at;
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  /** Number of rows that fit on the screen. */
  get room(): number {
    return this.#room;
  }

  /** The row that a status line names: the chosen one, or the first on the screen. */
  get shownRow(): number {
    return this.#isShown ? this.#at : this.#top;
  }

  /** Handles `up`, `down`, `pageup`, `pagedown`, `home` and `end`; other keys change nothing. */
  move(key: string): void {
    const page = Math.max(1, this.#room - 1);
    const steps: ReadonlyMap<string, number> = new Map(Object.entries({
      up: -1, down: 1, pageup: -page, pagedown: page, home: -FAR, end: FAR,
    })); // prettier-ignore
    const step = steps.get(key);
    if (step === undefined) return;
    // The first key shows the cursor where it is.
    if (this.#isShown || Math.abs(step) > 1) this.#at += step;
    this.#isShown = true;
  }

  /** Keeps the cursor among `length` rows and on the screen. Returns the first row to show. */
  fit(length: number, room: number): number {
    this.#room = room;
    this.#at = Math.max(0, Math.min(this.#at, length - 1));
    if (this.#isShown) this.#top = Math.min(this.#at, Math.max(this.#top, this.#at - room + 1));
    this.#top = Math.max(0, Math.min(this.#top, length - room));
    return this.#top;
  }
}
