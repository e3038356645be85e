import { randomInt } from 'node:crypto';
import type { KubeObject } from 'kube-informer';
import { objectRedactor } from 'kube-informer/client';

const RANGE = 2 ** 47;

/**
 * Masks objects and texts before they leave the process.
 *
 * `objectRedactor` decides what is masked, for everything that shows objects: only the type of a Secret and
 * the metadata that every object has are shown. A masked value becomes `[12 characters, #1a2b3c4d]`: equal
 * values have equal marks, so a change can be seen; the marks use a key per process, so values cannot be
 * guessed offline.
 *
 * Does not recognize every secret: a secret with an ordinary name in a ConfigMap or an argument is shown.
 *
 * Room rule: the only path from a cache to a response.
 */
export class Mask {
  readonly #redact: (value: unknown) => unknown = objectRedactor({ random: () => randomInt(RANGE) / RANGE });

  /** Returns a masked copy. `resource` decides whether it is a Secret, whatever kind the object has. */
  object(resource: string, object: KubeObject): KubeObject {
    return this.#redact(withMaskedKind(resource, object)) as KubeObject;
  }

  text(text: string): string {
    return this.#redact(text) as string;
  }

  /** Masks labels: rows show the result, and selectors match against it. */
  labels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return this.#redact(labels) as Readonly<Record<string, string>>;
  }
}

/**
 * The object, marked as a Secret if it is one: a transform may have removed its kind, and masking depends on
 * the kind.
 */
export const withMaskedKind = (resource: string, object: KubeObject): KubeObject =>
  isMaskedObject(resource, object) && object.kind !== 'Secret' ? { ...object, kind: 'Secret' } : object;

/** Whether the resource is Secrets. A resource can be given by several names: `v1/Secret`. */
export const isMaskedResource = (resource: string): boolean => /(?:^|\/)secrets?$/i.test(resource);

/**
 * Whether an object is a Secret, by its kind or its resource: a transform may have removed the kind, and a
 * resource name may be an alias.
 */
export const isMaskedObject = (resource: string, { kind }: KubeObject): boolean =>
  isMaskedResource(resource) || kind === 'Secret';
