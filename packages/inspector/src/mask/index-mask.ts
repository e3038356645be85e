import type { KubeObject } from 'kube-informer';
import { isSecretObject, type Mask } from './mask.ts';

/** kubectl's copy of the whole object: hidden on every kind, and most of it is shown elsewhere. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Between the parts of a value that an index made of several fields. */
const BETWEEN = /[\s/:,;=|#@]+/;

/** What masking takes from one object. */
interface Hidden {
  /** Texts and the pieces of texts that are masked. */
  readonly texts: ReadonlySet<string>;
  readonly lastApplied: string;
}

/**
 * Whether a value of an index gives away what is masked in the objects it was made of.
 *
 * Indexers are code of the user: what they return may be any part of an object, or made of it. So of a Secret no value is
 * shown; of an object that hides something only values that can be read in its masked text, as a whole or word by word,
 * and that are not themselves what is hidden; of an object that hides nothing, all.
 *
 * Room rule: compares; offers and answers nothing.
 */
export class IndexMask {
  readonly #mask: Mask;
  /** Objects of a cache are never changed. */
  readonly #known = new WeakMap<KubeObject, Hidden | 'nothing'>();

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  /** A text that would be masked wherever it stands. */
  hidesText(value: string): boolean {
    return this.#mask.text(value) !== value;
  }

  hides(resource: string, object: KubeObject, value: string): boolean {
    if (isSecretObject(resource, object) || this.hidesText(value)) return true;
    const hidden = this.#hiddenOf(resource, object);
    if (hidden === 'nothing') return false;
    if (hidden.texts.has(value)) return true;
    const shown = leavesOf(this.#mask.object(resource, object));
    const words = value.split(BETWEEN).filter((word) => word !== '');
    const isReadable = shown.some((text) => text.includes(value)) || words.every((word) => shown.includes(word));
    return !isReadable && (hidden.texts.size > 0 || hidden.lastApplied.includes(value));
  }

  #hiddenOf(resource: string, object: KubeObject): Hidden | 'nothing' {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const lastApplied = object.metadata?.annotations?.[LAST_APPLIED] ?? '';
    const [whole, masked] = [leavesOf(object, true), leavesOf(this.#mask.object(resource, object), true)];
    const texts = new Set<string>();
    for (const [at, text] of whole.entries()) {
      const shown = masked[at] ?? '';
      if (shown !== text) texts.add(text).add(pieceOf(text, shown));
    }
    texts.delete('');
    const hidden = texts.size === 0 && lastApplied === '' ? 'nothing' : { texts, lastApplied };
    this.#known.set(object, hidden);
    return hidden;
  }
}

/** What is in `text` between the beginning and the end that it shares with what is shown of it. */
function pieceOf(text: string, shown: string): string {
  let [head, tail] = [0, 0];
  while (head < text.length && text[head] === shown[head]) head += 1;
  while (tail < text.length - head && text.at(-1 - tail) === shown.at(-1 - tail)) tail += 1;
  return text.slice(head, text.length - tail);
}

/** Texts and names of fields, in the order in which they stand. `comparable`: without what masking leaves out whole. */
function leavesOf(value: unknown, comparable = false, leaves: string[] = []): string[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') leaves.push(String(value));
  else if (Array.isArray(value)) for (const item of value) leavesOf(item, comparable, leaves);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) {
      if (comparable && (name === LAST_APPLIED || name === 'managedFields')) continue;
      leaves.push(name);
      leavesOf(item, comparable, leaves);
    }
  return leaves;
}
