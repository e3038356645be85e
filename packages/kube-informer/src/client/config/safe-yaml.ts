import type { Document, YAMLMap } from 'yaml';
import { defined } from '../../core/defined.ts';
import { KubeError } from '../../core/errors.ts';
import { redactForSafeError } from '../../core/safe-error.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { safeYamlValue, YamlRefusal } from './safe-yaml-values.ts';

/** A parsed YAML or JSON text. Mappings are Maps, so that a key such as `__proto__` is only data. */
export type YamlValue = string | number | boolean | bigint | null | readonly YamlValue[] | YamlMap;
export type YamlMap = ReadonlyMap<unknown, YamlValue>;

export const YAML_LIMITS: {
  readonly size: number;
  readonly tokens: number;
  readonly aliases: number;
  readonly depth: number;
} = {
  /** Maximum size in characters. A kubeconfig of hundreds of clusters is smaller. */
  size: 1_048_576,
  /** Maximum number of tokens, which bounds the time. */
  tokens: 100_000,
  aliases: 100,
  depth: 64,
};

/** Tags of plain data. Other tags name types that are not built. */
const PLAIN_TAGS = new Set(['!', '!!str', '!!int', '!!float', '!!bool', '!!null', '!!map', '!!seq']);

/**
 * Parses YAML from a source that may be hostile.
 *
 * Promises: time and memory are bounded by YAML_LIMITS, which are checked on the tokens before anything is built, and
 * on expanded aliases and merge keys (`<<`); no tag creates an object; a duplicate key is an error. Errors give the
 * reason and the position, and never quote the text.
 *
 * `source` names the text in errors.
 */
export async function parseSafeYaml(text: string, source: string): Promise<YamlValue> {
  if (text.length > YAML_LIMITS.size)
    throw new KubeError('INVALID_CONFIG', `${source}: larger than ${YAML_LIMITS.size >> 20} MB`);
  return readPlainYaml(text) ?? parseSafeYamlFully(text, source);
}

/** Parses any YAML with the parser, which takes some tens of milliseconds to load. Exported for tests. */
export async function parseSafeYamlFully(text: string, source: string): Promise<YamlValue> {
  const fail = (reason: string, cause?: unknown): KubeError =>
    new KubeError('INVALID_CONFIG', `${source}: ${reason}`, defined({ cause }));
  // Loaded here: a program in a pod, with a URL or with a plain kubeconfig never needs the parser.
  const yaml = await import('yaml');
  const { isScalar, Lexer, parseAllDocuments, visit } = yaml;
  const findDuplicateKey = (document: Document): number | undefined => {
    let position: number | undefined;
    visit(document, {
      Map(_, { items }: YAMLMap) {
        const seen = new Set<unknown>();
        for (const { key } of items) {
          if (!isScalar(key)) continue;
          if (seen.has(key.value)) position ??= key.range?.[0] ?? 0;
          seen.add(key.value);
        }
      },
    });
    return position;
  };
  const exceeded = checkSafeYaml(new Lexer().lex(text));
  if (exceeded !== undefined) throw fail(exceeded);

  try {
    const documents = parseAllDocuments(text, {
      version: '1.2',
      schema: 'core',
      merge: false, // done by safeYamlValue, within limits
      uniqueKeys: false, // checked below: the parser compares every key with every other
      strict: true,
      prettyErrors: false, // a pretty error quotes the line
      logLevel: 'silent',
    });
    if (!Array.isArray(documents)) return null;
    for (const document of documents) {
      const [first] = document.errors;
      // The parser's message may quote the text, so only its code and the position are passed on.
      if (first !== undefined) throw fail(`not valid YAML: ${first.code}, ${positionInSafeYaml(text, first.pos[0])}`);
      const duplicate = findDuplicateKey(document);
      if (duplicate !== undefined) throw fail(`duplicate key, ${positionInSafeYaml(text, duplicate)}`);
    }
    const values = documents
      .map((document) => safeYamlValue(document, yaml, { values: YAML_LIMITS.tokens, depth: YAML_LIMITS.depth }))
      .filter((value) => value !== null);
    if (values.length > 1) throw fail(`contains ${values.length} documents, expected one`);
    return values[0] ?? null;
  } catch (error) {
    if (error instanceof KubeError) throw error;
    if (error instanceof YamlRefusal) throw fail(`${error.message}, ${positionInSafeYaml(text, error.at)}`);
    const cause = new Error(`the YAML parser failed with ${redactForSafeError(error).name}`);
    throw fail('not valid YAML', cause);
  }
}

/** Returns a message about the first limit that the text exceeds. One pass, no recursion. */
function checkSafeYaml(tokens: Iterable<string>): string | undefined {
  /** Columns of the block collections around the current token: their number is the depth. */
  const columns: number[] = [];
  let column = 0;
  let flow = 0;
  let count = 0;
  let aliases = 0;
  let isScalar = false;
  for (const token of tokens) {
    count += 1;
    if (count > YAML_LIMITS.tokens) return `more than ${YAML_LIMITS.tokens} YAML tokens`;
    if (token === SCALAR_NEXT) {
      isScalar = true;
      continue;
    }
    const [first = ''] = token;
    if (!isScalar) {
      if (first === '*' && (aliases += 1) > YAML_LIMITS.aliases) return `more than ${YAML_LIMITS.aliases} YAML aliases`;
      if (first === '!' && !PLAIN_TAGS.has(token)) return 'a YAML tag other than those of plain data (such as !!str)';
      if (first === '%' && !token.startsWith('%YAML')) return 'a YAML directive other than %YAML';
      if (token === '[' || token === '{') flow += 1;
      if ((token === ']' || token === '}') && flow > 0) flow -= 1;
    }
    if (flow === 0 && !/^[\s#]/.test(token)) {
      while ((columns.at(-1) ?? -1) >= column) columns.pop();
      columns.push(column);
    }
    if (columns.length + flow > YAML_LIMITS.depth) return `nested deeper than ${YAML_LIMITS.depth} levels`;
    const lineBreak = token.lastIndexOf('\n');
    column = lineBreak < 0 ? column + token.length : token.length - lineBreak - 1;
    isScalar = false;
  }
  return undefined;
}

/** The lexer emits this before a scalar, so that a text such as "[" is not taken for a bracket. */
const SCALAR_NEXT = '\u{1f}';

function positionInSafeYaml(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
