import {
  type DocumentOptions,
  isCollection,
  isMap,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  type ParseOptions,
  type ScalarTag,
  type SchemaOptions,
} from 'yaml';
import { duplicateAndUnknownFields } from '../../api/schema/unknown-fields.ts';
import { goQuoted } from '../../core/go/go-quoted.ts';
import type { Json } from '../../core/json.ts';
import { Work } from '../../core/work.ts';
import { checkDepth, DepthError, exceedsMessageDepth, MAX_DEPTH } from './depth.ts';

/** Maximum number of tokens of a YAML text: some 20,000 lines. JSON has no such limit, and most clients send it. */
const MAX_TOKENS = 150_000;
const MAX_ALIASES = 100;
/** The token that the lexer emits before a plain text or a block of text. */
const SCALAR_NEXT = '\u001F';

/** A YAML text as its JSON value. */
export interface YamlBody {
  readonly value: Json;
  /** Messages about duplicate keys: `line 7: key "k" already set in map`. The last one counts. */
  readonly duplicates: readonly string[];
}

/** Thrown for a text that is not YAML, or has a value that JSON does not have, with the parser's message. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

/**
 * Reads YAML as a server does: by version 1.1, so `y` and `off` are booleans and `0777` is octal, but times
 * stay texts and there is no base 60. JSON is YAML. Throws YamlError.
 */
export function readYamlBody(text: string): YamlBody {
  try {
    checkDepth(text);
    const body = parseYamlBody(text);
    if (!exceedsMessageDepth(body.value)) {
      checkYamlBodyNumbers(body.value);
      return body;
    }
  } catch (error) {
    if (error instanceof YamlError) throw error;
    // A short text that expands to a huge one: aliases of aliases.
    if (error instanceof ReferenceError) throw new YamlError('yaml: document contains excessive aliasing');
    if (!(error instanceof DepthError || error instanceof RangeError)) throw error;
  }
  throw new YamlError(`yaml: exceeded max depth of ${MAX_DEPTH}`);
}

function parseYamlBody(text: string): YamlBody {
  const json = parseYamlBodyAsJson(text);
  if (json !== undefined) return { value: json, duplicates: [] };
  checkYamlBodyTokens(text);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { ...OPTIONS, lineCounter });
  // Only the first document of a stream is read.
  const fault = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
  if (fault !== undefined) {
    const { line } = lineCounter.linePos(fault.pos[0]);
    throw new YamlError(`yaml: line ${line}: ${fault.message.charAt(0).toLowerCase()}${fault.message.slice(1)}`);
  }
  const duplicates = [...repeatedYamlBodyKeys(document.contents)].map(
    ({ key, at }) => `line ${lineCounter.linePos(at).line}: key ${goQuoted(key)} already set in map`,
  );
  return { value: (document.toJS() ?? null) as Json, duplicates };
}

/**
 * Refuses texts that take long to parse, by their number of tokens: the parser takes microseconds for each,
 * and walks the whole document for every alias. The lexer itself is quick, and stops at the limit.
 */
function checkYamlBodyTokens(text: string): void {
  const work = new Work('the YAML', MAX_TOKENS);
  let [aliases, previous] = [0, ''];
  for (const token of new Lexer().lex(text)) {
    work.spend();
    // A text that begins with a star is not an alias.
    if (token.startsWith('*') && previous !== SCALAR_NEXT) aliases += 1;
    if (aliases > MAX_ALIASES) throw new YamlError('yaml: document contains excessive aliasing');
    previous = token;
  }
}

/** Duplicate keys of maps. The parser's own check compares every key with every other. */
function* repeatedYamlBodyKeys(root: Node | null): Generator<{ readonly key: string; readonly at: number }> {
  const waiting: unknown[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isPair(next)) waiting.push(next.value, next.key);
    if (!isCollection(next)) continue;
    waiting.push(...next.items.toReversed());
    if (!isMap(next)) continue;
    const keys = new Set<unknown>();
    for (const { key } of next.items) {
      if (!isScalar(key)) continue;
      if (keys.has(key.value)) yield { key: String(key.source ?? key.value), at: key.range?.[0] ?? 0 };
      keys.add(key.value);
    }
  }
}

/** Parses a text that is JSON without duplicate keys, which is faster; undefined for any other. */
function parseYamlBodyAsJson(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return duplicateAndUnknownFields(text).length === 0 ? value : undefined;
  } catch {
    // A flow mapping with syntax that JSON does not have: the slow parser decides.
    return undefined;
  }
}

const TRUE = /^(?:y|Y|yes|Yes|YES|on|On|ON)$/;
const BOOL = 'tag:yaml.org,2002:bool';
const INT = 'tag:yaml.org,2002:int';

const yamlBodyScalar = (tag: string, test: RegExp, resolve: (text: string) => unknown): ScalarTag => ({
  tag,
  default: true,
  test,
  resolve,
});

/** Parses an integer: `-0b1_1` → -3 */
function yamlBodyInteger(text: string, prefix: RegExp, base: number): number {
  const size = Number.parseInt(text.replaceAll('_', '').replace(/^[-+]/, '').replace(prefix, ''), base);
  return text.startsWith('-') ? -size : size;
}

const OLD_SCALARS: readonly ScalarTag[] = [
  yamlBodyScalar(BOOL, /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/, (text) => TRUE.test(text)),
  yamlBodyScalar(INT, /^[-+]?0b[01][01_]*$/, (text) => yamlBodyInteger(text, /^0b/, 2)),
  yamlBodyScalar(INT, /^[-+]?0[0-7_]+$/, (text) => yamlBodyInteger(text, /^0/, 8)),
  yamlBodyScalar(INT, /^[-+]?0x[0-9a-fA-F][0-9a-fA-F_]*$/, (text) => yamlBodyInteger(text, /^0x/, 16)),
  yamlBodyScalar(INT, /^[-+]?[1-9][0-9]*_[0-9_]*$/, (text) => yamlBodyInteger(text, /^$/, 10)),
];

const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  schema: 'core',
  customTags: (tags) => [...OLD_SCALARS, ...tags],
  // Both take quadratic time.
  uniqueKeys: false,
  prettyErrors: false,
};

function checkYamlBodyNumbers(value: Json): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
    throw new YamlError(`json: unsupported value: ${name}`);
  }
  if (value !== null && typeof value === 'object') for (const item of Object.values(value)) checkYamlBodyNumbers(item);
}
