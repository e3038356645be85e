import type { Document, YAMLMap } from 'yaml';
import { KubeError } from '../../core/errors.ts';
import { safeCause } from '../secrets/redact.ts';
import { valueOf, YamlRefusal } from './yaml-values.ts';

/** What a YAML or JSON text holds. Mappings are Maps, so a key such as `__proto__` is data and nothing else. */
export type YamlValue = string | number | boolean | bigint | null | readonly YamlValue[] | YamlMap;
export type YamlMap = ReadonlyMap<unknown, YamlValue>;

export const YAML_LIMITS: {
  readonly size: number;
  readonly tokens: number;
  readonly aliases: number;
  readonly depth: number;
} = {
  /** Characters. A kubeconfig of hundreds of clusters is smaller. */
  size: 1_048_576,
  /** Lexical pieces; what bounds the time. */
  tokens: 100_000,
  aliases: 100,
  depth: 64,
};

/** Tags that say what the value is anyway. Everything else names a type we do not build. */
const PLAIN_TAGS = new Set(['!', '!!str', '!!int', '!!float', '!!bool', '!!null', '!!map', '!!seq']);

/**
 * Parses YAML from a source that may be hostile.
 *
 * Promises: time and memory are bounded by YAML_LIMITS, which are checked on the lexical pieces before anything is
 * built, and on what aliases and merge keys (`<<`) stand for; no tag makes an object; a key given twice is an error.
 * Errors say what and where, never what the text held.
 *
 * `source` names the text in errors.
 */
export async function parseYaml(text: string, source: string): Promise<YamlValue> {
  const fail = (reason: string, cause?: unknown): KubeError =>
    new KubeError('INVALID_CONFIG', `${source}: ${reason}`, cause === undefined ? {} : { cause });
  if (text.length > YAML_LIMITS.size) throw fail(`larger than ${YAML_LIMITS.size >> 20} MB`);
  // A program that never reads a kubeconfig (in a pod, or with a URL) never loads the parser.
  const yaml = await import('yaml');
  const { isScalar, Lexer, parseAllDocuments, visit } = yaml;
  const keyGivenTwice = (document: Document): number | undefined => {
    let place: number | undefined;
    visit(document, {
      Map(_, { items }: YAMLMap) {
        const seen = new Set<unknown>();
        for (const { key } of items) {
          if (!isScalar(key)) continue;
          if (seen.has(key.value)) place ??= key.range?.[0] ?? 0;
          seen.add(key.value);
        }
      },
    });
    return place;
  };
  const tooMuch = check(new Lexer().lex(text));
  if (tooMuch !== undefined) throw fail(tooMuch);

  try {
    const documents = parseAllDocuments(text, {
      version: '1.2',
      schema: 'core',
      merge: false, // done by valueOf, within limits
      uniqueKeys: false, // checked below: the parser compares every key with every other
      strict: true,
      prettyErrors: false, // a pretty error quotes the line
      logLevel: 'silent',
    });
    if (!Array.isArray(documents)) return null;
    for (const document of documents) {
      const [first] = document.errors;
      // The parser's own words may quote the text, so only its code and the place are passed on.
      if (first !== undefined) throw fail(`not valid YAML: ${first.code}, ${placeOf(text, first.pos[0])}`);
      const twice = keyGivenTwice(document);
      if (twice !== undefined) throw fail(`a key is given twice, ${placeOf(text, twice)}`);
    }
    const values = documents
      .map((document) => valueOf(document, yaml, { values: YAML_LIMITS.tokens, depth: YAML_LIMITS.depth }))
      .filter((value) => value !== null);
    if (values.length > 1) throw fail(`holds ${values.length} documents, expected one`);
    return values[0] ?? null;
  } catch (error) {
    if (error instanceof KubeError) throw error;
    if (error instanceof YamlRefusal) throw fail(`${error.message}, ${placeOf(text, error.at)}`);
    const cause = new Error(`the YAML parser failed with ${safeCause(error).name}`);
    throw fail('not valid YAML', cause);
  }
}

/** The first limit that the text breaks, if any. One pass, no recursion. */
function check(tokens: Iterable<string>): string | undefined {
  /** Columns of the block collections around the current place: their number is the depth. */
  const columns: number[] = [];
  let column = 0;
  let flow = 0;
  let count = 0;
  let aliases = 0;
  let isScalar = false;
  for (const token of tokens) {
    count += 1;
    if (count > YAML_LIMITS.tokens) return `more than ${YAML_LIMITS.tokens} pieces of YAML`;
    if (token === SCALAR_NEXT) {
      isScalar = true;
      continue;
    }
    const [first = ''] = token;
    if (!isScalar) {
      if (first === '*' && (aliases += 1) > YAML_LIMITS.aliases) return `more than ${YAML_LIMITS.aliases} YAML aliases`;
      if (first === '!' && !PLAIN_TAGS.has(token)) return 'a YAML tag that is not plain data (such as !!str)';
      if (first === '%' && !token.startsWith('%YAML')) return 'a YAML directive, expected none';
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

/** What the lexer sends ahead of a scalar, so that a text such as "[" is not taken for a bracket. */
const SCALAR_NEXT = '\u{1f}';

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
