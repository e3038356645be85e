import { defined } from '../../core/defined.ts';
import { KubeError } from '../../core/errors.ts';

/** Maximum nesting in an extension; deeper data is a mistake or an attack. */
const MAX_DEPTH = 64;

/**
 * The fields of one mapping, read by name and type.
 *
 * Promises: every error is an INVALID_CONFIG with the file, the field, the expected type and the type found, never the
 * value. Null counts as not given, unknown keys are ignored.
 *
 * Room rule: knows types, not their meaning.
 */
export class ConfigFields {
  /** For messages: `kubeconfig /home/me/.kube/config`. */
  readonly source: string;
  /** For messages: `users[0].user`. Empty at the top. */
  readonly path: string;
  readonly #fields: ReadonlyMap<unknown, unknown>;

  private constructor(source: string, path: string, fields: ReadonlyMap<unknown, unknown>) {
    this.source = source;
    this.path = path;
    this.#fields = fields;
  }

  /** Takes a Map, or a plain object given in code. */
  static of(value: unknown, source: string, path = ''): ConfigFields {
    if (value instanceof Map) return new ConfigFields(source, path, value as ReadonlyMap<unknown, unknown>);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return new ConfigFields(source, path, new Map(Object.entries(value)));
    throw new KubeError(
      'INVALID_CONFIG',
      wrongConfigFieldType(source, path === '' ? 'the content' : path, 'a mapping', value),
    );
  }

  /** An error about the field `name`. */
  error(name: string, problem: string, cause?: unknown): KubeError {
    const message = `${this.source}: ${this.pathOf(name)}: ${problem}`;
    return new KubeError('INVALID_CONFIG', message, defined({ cause }));
  }

  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** The text of a field; undefined when it is absent or empty. */
  text(name: string): string | undefined {
    const value = this.#fields.get(name) ?? undefined;
    if (value === undefined || value === '') return undefined;
    if (typeof value === 'string') return value;
    throw this.#wrong(name, typeof value === 'number' ? 'a string (put it in quotes)' : 'a string', value);
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.error(name, 'is missing');
    return value;
  }

  flag(name: string): boolean {
    const value = this.#fields.get(name) ?? false;
    if (typeof value === 'boolean') return value;
    throw this.#wrong(name, 'true or false', value);
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((value, at) => {
      if (typeof value === 'string') return value;
      throw this.#wrong(`${name}[${at}]`, 'a string', value);
    });
  }

  /** The mapping in the field `name`. Errors call it `path`. */
  fields(name: string, path: string = this.pathOf(name)): ConfigFields | undefined {
    const value = this.#fields.get(name) ?? undefined;
    return value === undefined ? undefined : ConfigFields.of(value, this.source, path);
  }

  /** A list of mappings. */
  list(name: string): readonly ConfigFields[] {
    return this.#list(name).map((value, at) => ConfigFields.of(value, this.source, `${this.pathOf(name)}[${at}]`));
  }

  /** A mapping from names to texts. */
  textMap(name: string): ReadonlyMap<string, string> {
    const inner = this.fields(name);
    const texts = new Map<string, string>();
    for (const key of inner?.names() ?? []) texts.set(key, inner?.text(key) ?? '');
    return texts;
  }

  names(): readonly string[] {
    return [...this.#fields.keys()].filter((key): key is string => typeof key === 'string');
  }

  has(name: string): boolean {
    return (this.#fields.get(name) ?? undefined) !== undefined;
  }

  /** The field as plain JSON data, uninterpreted. */
  json(name: string): unknown {
    return configFieldToJson(this.#fields.get(name), 0, () =>
      this.error(name, `nested deeper than ${MAX_DEPTH} levels`),
    );
  }

  #list(name: string): readonly unknown[] {
    const value = this.#fields.get(name) ?? [];
    if (Array.isArray(value)) return value;
    throw this.#wrong(name, 'a list', value);
  }

  #wrong(name: string, expected: string, got: unknown): KubeError {
    return new KubeError('INVALID_CONFIG', wrongConfigFieldType(this.source, this.pathOf(name), expected, got));
  }
}

function wrongConfigFieldType(source: string, path: string, expected: string, got: unknown): string {
  return `${source}: ${path}: expected ${expected}, got ${configFieldTypeName(got)}`;
}

function configFieldTypeName(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`;
}

function configFieldToJson(value: unknown, depth: number, tooDeep: () => KubeError): unknown {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((item) => configFieldToJson(item, depth + 1, tooDeep));
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = value instanceof Map ? [...(value as ReadonlyMap<unknown, unknown>)] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [String(key), configFieldToJson(item, depth + 1, tooDeep)]));
}
