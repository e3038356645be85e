import { randomInt } from 'node:crypto';
import type { KubeObject } from 'kube-informer';
import { objectRedactor } from 'kube-informer/client';

/** Names of environment variables whose values are masked. */
const SECRET_NAME =
  /TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY|AUTH|(^|[_.-])(KEY|PASS|PWD|DSN|CERT|SALT)$/i;

/** Limits the recursion; the redactor truncates deeper objects. */
const MAX_DEPTH = 64;

const RANGE = 2 ** 47;

/**
 * Masks objects and texts before they leave the process.
 *
 * Masked: `data` and `stringData` of Secrets, their managedFields, the last-applied annotation, values of environment
 * variables and fields with the name of a credential, and PEM blocks, JWTs, passwords in URLs and in assignments inside
 * any text. A masked value becomes `[12 characters, #1a2b3c4d]`: equal values have equal marks, so a change can be
 * seen; the marks use a key per process, so values cannot be guessed offline.
 *
 * Does not recognize every secret: a secret with an ordinary name in a ConfigMap or an argument is shown.
 *
 * Room rule: the only path from a cache to a response.
 */
export class Mask {
  readonly #redact: (value: unknown) => unknown = objectRedactor({ random: () => randomInt(RANGE) / RANGE });

  /** Returns a masked copy. `resource` decides whether it is a Secret, whatever kind the object has. */
  object(resource: string, object: KubeObject): KubeObject {
    const isSecret = isMaskedObject(resource, object);
    const { metadata, ...rest } = object;
    const shown = isSecret ? { ...rest, kind: 'Secret', metadata: maskMetadata(metadata) } : object;
    return this.#redact(maskVariables(shown, (text) => this.#mark(text), 0)) as KubeObject;
  }

  text(text: string): string {
    return this.#redact(text) as string;
  }

  /** Masks labels: rows show the result, and selectors match against it. */
  labels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return this.#redact(labels) as Readonly<Record<string, string>>;
  }

  /** The redactor masks the value of any field with the name of a secret. */
  #mark(text: string): unknown {
    return (this.#redact({ secret: text }) as { secret: unknown }).secret;
  }
}

/** Whether the resource is Secrets. A resource can be given by several names: `v1/Secret`. */
export const isMaskedResource = (resource: string): boolean => /(?:^|\/)secrets?$/i.test(resource);

/** A transform may have removed the kind, and a resource name may be an alias: either is enough. */
export const isMaskedObject = (resource: string, { kind }: KubeObject): boolean =>
  isMaskedResource(resource) || kind === 'Secret';

/** Masks the value of `{ name: DB_PASSWORD, value: … }` anywhere in an object. */
function maskVariables(value: unknown, mark: (text: string) => unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => maskVariables(item, mark, depth + 1));
  const { name, value: literal } = value as { name?: unknown; value?: unknown };
  const isSecret = typeof name === 'string' && typeof literal === 'string' && SECRET_NAME.test(name);
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [
      field,
      isSecret && field === 'value' ? mark(literal) : maskVariables(item, mark, depth + 1),
    ]),
  );
}

function maskMetadata(metadata: KubeObject['metadata']): object {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([name]) => name !== 'managedFields'));
}
