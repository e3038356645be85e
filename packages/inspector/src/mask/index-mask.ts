import type { KubeObject } from 'kube-informer';
import { isMaskedObject, type Mask } from './mask.ts';

/** kubectl's copy of the whole object: always masked, although most of it is visible elsewhere. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Separators in index values built from several fields. */
const BETWEEN = /[\s/:,;=|#@]+/;

/** What is masked in one object. */
interface Hidden {
  /** Masked texts, and the masked parts of texts. */
  readonly texts: ReadonlySet<string>;
  readonly lastApplied: string;
}

/**
 * Decides whether an index value would reveal something that is masked in its objects.
 *
 * Indexers are user code: they may return any part of an object, or something derived from it. So no value of a Secret
 * is shown; of an object with masked parts, only values that are readable in its masked text, as a whole or word by
 * word, and are not masked themselves; of other objects, all values.
 *
 * Room rule: compares only.
 */
export class IndexMask {
  readonly #mask: Mask;
  /** Cached objects are immutable. */
  readonly #known = new WeakMap<KubeObject, Hidden | 'nothing'>();

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  /** Whether the text would be masked anywhere. */
  hidesText(value: string): boolean {
    return this.#mask.text(value) !== value;
  }

  hides(resource: string, object: KubeObject, value: string): boolean {
    if (isMaskedObject(resource, object) || this.hidesText(value)) return true;
    const hidden = this.#hiddenOf(resource, object);
    if (hidden === 'nothing') return false;
    if (hidden.texts.has(value)) return true;
    const shown = indexMaskLeaves(this.#mask.object(resource, object));
    const words = value.split(BETWEEN).filter((word) => word !== '');
    const isReadable = shown.some((text) => text.includes(value)) || words.every((word) => shown.includes(word));
    return !isReadable && (hidden.texts.size > 0 || hidden.lastApplied.includes(value));
  }

  #hiddenOf(resource: string, object: KubeObject): Hidden | 'nothing' {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const lastApplied = object.metadata?.annotations?.[LAST_APPLIED] ?? '';
    const [whole, masked] = [indexMaskLeaves(object, true), indexMaskLeaves(this.#mask.object(resource, object), true)];
    const texts = new Set<string>();
    for (const [at, text] of whole.entries()) {
      const shown = masked[at] ?? '';
      if (shown !== text) texts.add(text).add(indexMaskPiece(text, shown));
    }
    texts.delete('');
    const hidden = texts.size === 0 && lastApplied === '' ? 'nothing' : { texts, lastApplied };
    this.#known.set(object, hidden);
    return hidden;
  }
}

/** The part of `text` between the prefix and the suffix it shares with `shown`. */
function indexMaskPiece(text: string, shown: string): string {
  let [head, tail] = [0, 0];
  while (head < text.length && text[head] === shown[head]) head += 1;
  while (tail < text.length - head && text.at(-1 - tail) === shown.at(-1 - tail)) tail += 1;
  return text.slice(head, text.length - tail);
}

/** All texts and field names, in order. `comparable` leaves out fields that masking removes as a whole. */
function indexMaskLeaves(value: unknown, comparable = false, leaves: string[] = []): string[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') leaves.push(String(value));
  else if (Array.isArray(value)) for (const item of value) indexMaskLeaves(item, comparable, leaves);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) {
      if (comparable && (name === LAST_APPLIED || name === 'managedFields')) continue;
      leaves.push(name);
      indexMaskLeaves(item, comparable, leaves);
    }
  return leaves;
}
