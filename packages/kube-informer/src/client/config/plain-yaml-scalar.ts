import type { YamlValue } from './safe-yaml.ts';

/** Thrown for a text that is left to the parser. */
export class PlainYamlRefusal extends Error {}

/** Texts that are something else in YAML's core schema. In other letters they are left to the parser. */
const CONSTANTS: ReadonlyMap<string, YamlValue> = new Map<string, YamlValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const LIKE_CONSTANT = /^(?:true|false|null)$/i;
/** Texts with only characters of numbers: `1.5`, `0x1f`, `1e-3`, `.inf`. */
const LIKE_NUMBER = /^[-+.]*(?:[0-9][0-9a-fxo_.]*(?:[-+][0-9]*)?|inf|nan)$/i;
/** Whole numbers that every reader reads alike. */
const WHOLE_NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;
/** The one kind of text that kubeconfigs have among these. */
const ADDRESS = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/;

const SINGLE_QUOTED = /^'([^']*(?:''[^']*)*)'(?: *$| +#)/;
const DOUBLE_QUOTED = /^"([^"\\]*(?:\\["\\nt][^"\\]*)*)"(?: *$| +#)/;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\"', '"'],
  ['\\\\', '\\'],
  ['\\n', '\n'],
  ['\\t', '\t'],
]);

/** Returns the value of a scalar that is on one line, typed as YAML's core schema types it. Throws PlainYamlRefusal. */
export function plainYamlScalar(text: string): YamlValue {
  const [, single] = SINGLE_QUOTED.exec(text) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  const [, double] = DOUBLE_QUOTED.exec(text) ?? [];
  if (double !== undefined) return double.replace(/\\./g, (escape) => ESCAPES.get(escape) as string);
  const plain = withoutPlainYamlComment(text);
  if (plain === '[]') return [];
  if (plain === '{}') return new Map();
  const constant = CONSTANTS.get(plain);
  if (constant !== undefined) return constant;
  if (WHOLE_NUMBER.test(plain)) return Number(plain);
  if (LIKE_CONSTANT.test(plain) || (LIKE_NUMBER.test(plain) && !ADDRESS.test(plain))) throw new PlainYamlRefusal();
  return plainYamlWords(plain);
}

/** A text that begins with no character of YAML's. Beyond ASCII there are letters only. */
const WORDS = /^(?:[\w/.+($<=]|-[^ ]|[^ -~])/;
/** A key, a comment, or spaces that would be cut off. */
const MEANING = /: | #|:$| $/;

/** Returns the text of one line without quotes, if it contains nothing with a meaning in YAML. Throws PlainYamlRefusal. */
export function plainYamlWords(text: string): string {
  if (!WORDS.test(text) || MEANING.test(text)) throw new PlainYamlRefusal();
  return text;
}

function withoutPlainYamlComment(text: string): string {
  const at = text.indexOf(' #');
  return (at < 0 ? text : text.slice(0, at)).trimEnd();
}
