import { randomInt } from 'node:crypto';
import type { KubeObject } from 'kube-informer';
import { objectRedactor } from 'kube-informer/client';

/** Names of environment variables whose literal values are nobody's business. */
const SECRET_NAME =
  /TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY|AUTH|(^|[_.-])(KEY|PASS|PWD|DSN|CERT|SALT)$/i;

/** Deeper objects are cut by the redactor; this only has to end. */
const MAX_DEPTH = 64;

const RANGE = 2 ** 47;

/**
 * Objects and texts as they may leave the process.
 *
 * Hidden: `data` and `stringData` of Secrets, their managedFields, the last-applied annotation of everything, literal
 * values of environment variables that are named like a secret, fields that are named like one, and PEM blocks, JWTs,
 * passwords in URLs and assignments inside any text. A hidden value becomes `[12 characters, #1a2b3c4d]`: equal values
 * have equal marks, so a change is seen; marks are keyed anew in every process, so guesses cannot be tried.
 *
 * Does not promise to know every secret: what lies under a harmless name in a ConfigMap or an argument is shown.
 *
 * Room rule: the only way from a cache to an answer.
 */
export class Mask {
  readonly #redact: (value: unknown) => unknown = objectRedactor({ random: () => randomInt(RANGE) / RANGE });

  /** A copy. `resource` decides what is a Secret, whatever the object says of itself. */
  object(resource: string, object: KubeObject): KubeObject {
    const isSecret = isSecretObject(resource, object);
    const { metadata, ...rest } = object;
    const shown = isSecret ? { ...rest, kind: 'Secret', metadata: withoutManagedFields(metadata) } : object;
    return this.#redact(hideVariables(shown, (text) => this.#mark(text), 0)) as KubeObject;
  }

  text(text: string): string {
    return this.#redact(text) as string;
  }

  /** Labels by themselves: what a row shows, and all that a selector may ask about. */
  labels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return this.#redact(labels) as Readonly<Record<string, string>>;
  }

  /** The redactor marks what lies under the name of a secret. */
  #mark(text: string): unknown {
    return (this.#redact({ secret: text }) as { secret: unknown }).secret;
  }
}

/** Whether indexes and searches over its contents would give secrets away. A resource has many names: `v1/Secret`. */
export const isSecretResource = (resource: string): boolean => /(?:^|\/)secrets?$/i.test(resource);

/** A transform may have taken the kind away, and a name may say nothing: either is enough. */
export const isSecretObject = (resource: string, { kind }: KubeObject): boolean =>
  isSecretResource(resource) || kind === 'Secret';

/** `{ name: DB_PASSWORD, value: … }`, wherever it stands. */
function hideVariables(value: unknown, mark: (text: string) => unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => hideVariables(item, mark, depth + 1));
  const { name, value: literal } = value as { name?: unknown; value?: unknown };
  const isSecret = typeof name === 'string' && typeof literal === 'string' && SECRET_NAME.test(name);
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [
      field,
      isSecret && field === 'value' ? mark(literal) : hideVariables(item, mark, depth + 1),
    ]),
  );
}

function withoutManagedFields(metadata: KubeObject['metadata']): object {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([name]) => name !== 'managedFields'));
}
