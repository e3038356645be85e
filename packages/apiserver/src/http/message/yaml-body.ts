import { parseDocument, type ParseOptions, type DocumentOptions, type ScalarTag, type SchemaOptions } from 'yaml';
import { duplicateFields } from '../../api/schema/unknown-fields.ts';
import { goQuoted } from '../../core/go/quoted.ts';
import type { Json } from '../../core/json.ts';
import { checkDepth, DepthError, isTooDeep, MAX_DEPTH } from './depth.ts';

/** A YAML text as the JSON it stands for. */
export interface YamlBody {
  readonly value: Json;
  /** Messages about duplicate keys: `line 7: key "k" already set in map`. The last one counts. */
  readonly duplicates: readonly string[];
}

/** A text that is no YAML, or has a value that JSON does not. The message is the parser's. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

/**
 * Reads YAML as a server does: version 1.1 where that matters, so `y` and `off` are booleans and `0777` is octal, but
 * times stay texts and nothing is in base 60. JSON is YAML. Throws YamlError.
 */
export function readYamlBody(text: string): YamlBody {
  try {
    checkDepth(text);
    const body = parseYamlBody(text);
    if (!isTooDeep(body.value)) {
      checkYamlBodyNumbers(body.value);
      return body;
    }
  } catch (error) {
    if (error instanceof YamlError) throw error;
    // Few words that stand for many more: a text of aliases of aliases.
    if (error instanceof ReferenceError) throw new YamlError('yaml: document contains excessive aliasing');
    if (!(error instanceof DepthError || error instanceof RangeError)) throw error;
  }
  throw new YamlError(`yaml: exceeded max depth of ${MAX_DEPTH}`);
}

function parseYamlBody(text: string): YamlBody {
  const json = parseYamlBodyAsJson(text);
  if (json !== undefined) return { value: json, duplicates: [] };
  const document = parseDocument(text, OPTIONS);
  const repeated = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  // Only the first document of a stream is read.
  const fault = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY' && code !== 'MULTIPLE_DOCS');
  if (fault !== undefined) {
    const [first = ''] = fault.message.split(' at line ', 1);
    throw new YamlError(
      `yaml: line ${fault.linePos?.[0].line ?? 1}: ${first.charAt(0).toLowerCase()}${first.slice(1)}`,
    );
  }
  const duplicates = repeated.map(({ linePos, pos: [from, to] }) => {
    const key = /^(?:"([^"]*)"|'([^']*)'|([^:,}\s]+))/.exec(text.slice(from, Math.max(to, from + 256)));
    return `line ${linePos?.[0].line ?? 1}: key ${goQuoted(key?.[1] ?? key?.[2] ?? key?.[3] ?? '')} already set in map`;
  });
  return { value: (document.toJS() ?? null) as Json, duplicates };
}

/** The quick way, for texts that are JSON without duplicate keys. */
function parseYamlBodyAsJson(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return duplicateFields(text).length === 0 ? value : undefined;
  } catch {
    // A flow mapping with YAML freedoms: the slow parser decides.
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

/** `-0b1_1` → -3 */
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
};

function checkYamlBodyNumbers(value: Json): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
    throw new YamlError(`json: unsupported value: ${name}`);
  }
  if (value !== null && typeof value === 'object') for (const item of Object.values(value)) checkYamlBodyNumbers(item);
}
