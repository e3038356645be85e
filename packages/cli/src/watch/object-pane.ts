import type { KubeObject } from 'kube-informer';
import { escapeText } from '../text/escape.ts';
import { type Safe } from '../text/safe.ts';
import { truncateToWidth } from '../text/width.ts';

/** A number of lines beyond any text. */
const FAR = 1_000_000_000;

/**
 * One object as YAML, in place of the table. Shows the object as it is now, and its last state after it was deleted.
 *
 * Room rule: knows lines and where they are scrolled to.
 */
export class ObjectPane {
  readonly key: string;
  readonly #textOf: (object: KubeObject) => string;
  #object: KubeObject | undefined;
  #lines: readonly Safe[] = [];
  #top = 0;
  #page = 1;

  constructor(key: string, textOf: (object: KubeObject) => string) {
    this.key = key;
    this.#textOf = textOf;
  }

  lines(object: KubeObject | undefined, width: number, room: number): Safe[] {
    if (object !== undefined && object !== this.#object) {
      this.#object = object;
      this.#lines = this.#textOf(object).trimEnd().split('\n').map((line) => escapeText(line)); // prettier-ignore
    }
    this.#page = Math.max(1, room - 1);
    this.#top = Math.max(0, Math.min(this.#top, this.#lines.length - room));
    return this.#lines.slice(this.#top, this.#top + room).map((line) => truncateToWidth(line, width));
  }

  move(key: string): void {
    const steps: ReadonlyMap<string, number> = new Map(Object.entries({
      up: -1, down: 1, pageup: -this.#page, pagedown: this.#page, home: -FAR, end: FAR,
    })); // prettier-ignore
    this.#top += steps.get(key) ?? 0;
  }
}
