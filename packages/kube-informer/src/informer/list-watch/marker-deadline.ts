import { isOlder } from '../../core/object/resource-version.ts';

/** Maximum total wait in multiples of the timeout, where objects of the list cannot be distinguished from new ones. */
const MAX_WAITS = 10;

/**
 * The deadline for the end marker of a streaming list.
 *
 * A large list takes time: each of its objects extends the deadline. If the marker never comes, the changes
 * that follow the list must not extend it. A server sends the objects of the list first, each once and as
 * ADDED, and none is newer than the version that the server reports meanwhile.
 */
export class MarkerDeadline {
  readonly #startedAt: number;
  readonly #timeoutMs: number;
  /** When the last object of the list arrived. */
  #lastAt: number;
  #hasChanged = false;
  #version = '';

  constructor(startedAt: number, timeoutMs: number) {
    this.#startedAt = startedAt;
    this.#lastAt = startedAt;
    this.#timeoutMs = timeoutMs;
  }

  /** Records that the server has `version` while the list is being sent: newer objects are not part of it. */
  serverHas(version: string): void {
    this.#version = version;
  }

  /** Records an event other than a bookmark. `isKnown`: the list already has its object. */
  received(type: string, version: string, isKnown: boolean, now: number): void {
    if (type !== 'ADDED') this.#hasChanged = true;
    if (!this.#hasChanged && !isKnown && !isOlder(this.#version, version)) this.#lastAt = now;
  }

  get at(): number {
    const at = this.#lastAt + this.#timeoutMs;
    return this.#version === '' ? Math.min(at, this.#startedAt + MAX_WAITS * this.#timeoutMs) : at;
  }
}
