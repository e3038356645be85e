import type { KubeObject } from 'kube-informer';
import { defined } from 'kube-informer/core';
import { isMaskedObject, type Mask } from './mask.ts';

/** kubectl's copy of the whole object: always masked, although most of it is visible elsewhere. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Separators in index values built from several fields. */
const BETWEEN = /[\s/:,;=|#@]+/;

/** Maximum number of texts and field names of an object that is examined as a whole. Masking more would block the process. */
const MAX_LEAVES = 2_000;
/** A long text counts once more for every 2^10 characters. */
const LONG_TEXT_BITS = 10;
/** Number of labels that are examined in larger objects. */
const MAX_LABELS = 200;

/** The masked fields of one object. */
interface Hidden {
  /** Masked texts, and the masked parts of texts. */
  readonly texts: ReadonlySet<string>;
  readonly lastApplied: string;
}

/**
 * Decides whether an index value would reveal something that is masked in its objects.
 *
 * Indexers are user code: they may return any part of an object, or something derived from it. So no value of
 * a Secret is shown; for an object with masked parts, only values that are readable in its masked text, as a
 * whole or word by word, and are not masked themselves; for other objects, all values. For an object too
 * large to examine, only values that are readable in its name, its namespace or its first labels are shown.
 *
 * Room rule: compares only.
 */
export class IndexMask {
  readonly #mask: Mask;
  /** Results by object, because cached objects are immutable. */
  readonly #known = new WeakMap<KubeObject, Hidden | 'nothing' | 'too large'>();

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
    if (hidden === 'too large') return !isReadableIndexMask(this.#mask.object(resource, indexMaskHead(object)), value);
    if (hidden.texts.has(value)) return true;
    const isReadable = isReadableIndexMask(this.#mask.object(resource, object), value);
    return !isReadable && (hidden.texts.size > 0 || hidden.lastApplied.includes(value));
  }

  #hiddenOf(resource: string, object: KubeObject): Hidden | 'nothing' | 'too large' {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    if (!hasFewIndexMaskLeaves(object, MAX_LEAVES)) {
      this.#known.set(object, 'too large');
      return 'too large';
    }
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

/** Whether a value can be read in a masked object, as a whole or word by word. */
function isReadableIndexMask(masked: KubeObject, value: string): boolean {
  const shown = indexMaskLeaves(masked);
  const words = value.split(BETWEEN).filter((word) => word !== '');
  return shown.some((text) => text.includes(value)) || words.every((word) => shown.includes(word));
}

/** Name, namespace and the first labels. */
function indexMaskHead({ kind, metadata = {} }: KubeObject): KubeObject {
  const { name = '', namespace = '', labels } = metadata;
  const first = firstIndexMaskEntries(labels ?? {}, MAX_LABELS);
  return { ...defined({ kind }), metadata: { name, namespace, labels: first } };
}

function firstIndexMaskEntries(labels: Readonly<Record<string, string>>, count: number): Record<string, string> {
  const names = Object.keys(labels).slice(0, count);
  return Object.fromEntries(names.map((name) => [name, String(labels[name])]));
}

/** Whether an object has at most `max` values; stops counting there. Characters of long texts count, too. */
function hasFewIndexMaskLeaves(object: KubeObject, max: number): boolean {
  const left: unknown[] = [object];
  for (let count = 0; left.length > 0; count += 1) {
    if (count + left.length > max) return false;
    const value = left.pop();
    if (typeof value === 'string') count += value.length >> LONG_TEXT_BITS;
    else if (Array.isArray(value)) {
      if (value.length > max) return false;
      left.push(...(value as unknown[]));
    } else if (typeof value === 'object' && value !== null) {
      for (const name in value) {
        if (left.length > max) return false;
        left.push((value as Record<string, unknown>)[name]);
      }
    }
  }
  return true;
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
