import type { Output } from '../host/host.ts';
import { clipToWidth } from '../text/width.ts';
import { type Safe, safe } from '../text/safe.ts';

const ENTER = safe`\u001b[?1049h\u001b[?25l\u001b[2J`;
const LEAVE = safe`\u001b[0m\u001b[?25h\u001b[?1049l`;

/**
 * A full screen of lines.
 *
 * Promises: writes only lines that changed since the last draw, in one piece; `leave` restores the terminal
 * and may be called at any time and repeatedly; no line is longer than the screen, which would corrupt the
 * next line.
 *
 * Room rule: knows lines and escape sequences, not what a line means.
 */
export class Screen {
  readonly #output: Output;
  #shown: readonly Safe[] = [];
  #isOpen = false;

  constructor(output: Output) {
    this.#output = output;
  }

  enter(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#shown = [];
    this.#output.write(ENTER);
  }

  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#output.write(LEAVE);
  }

  /** Makes the next `draw` write everything: the terminal was resized, or something else wrote to it. */
  forget(): void {
    this.#shown = [];
    if (this.#isOpen) this.#output.write(safe`\u001b[2J`);
  }

  draw(lines: readonly Safe[]): void {
    if (!this.#isOpen) return;
    let out = safe``;
    const { columns } = this.#output.size();
    const height = Math.max(lines.length, this.#shown.length);
    for (let row = 0; row < height; row += 1) {
      const line = lines[row] ?? safe``;
      if (line === this.#shown[row] || (line === '' && this.#shown[row] === undefined)) continue;
      out = safe`${out}\u001b[${row + 1};1H${clipToWidth(line, columns)}\u001b[K`;
    }
    this.#shown = [...lines];
    if (out !== '') this.#output.write(out);
  }
}
