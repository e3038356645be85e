import type { YamlValue } from './safe-yaml.ts';

/** Maximum number of levels, below YAML_LIMITS.depth. */
const MAX_DEPTH = 32;
/** Maximum number of characters outside of texts. The lexer makes at most two tokens of one, so that YAML_LIMITS.tokens holds. */
const MAX_STRUCTURE = 40_000;
/** A text, and the colon of a key. The end of the input ends it too, so that no input is searched twice. */
const TEXT = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"(\s*:)?|\\?$)/g;
/** Keys of arrays come first in an object, and long keys are refused by YAML. */
const UNUSUAL_KEY = /^[0-9]+$|^.{256}/s;

/** Reads a JSON object. Returns undefined for what is not JSON, or what a parser of YAML might read in another way. */
export function readPlainJson(text: string): YamlValue | undefined {
  // YAML knows it only before a line feed.
  if (text.includes('\r')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // The YAML parser tells what is wrong with it.
  }
  let keys = 0;
  let rest = text.length;
  for (const { 0: found, 1: colon } of text.matchAll(TEXT)) {
    rest -= found.length - 1;
    if (colon !== undefined) keys += 1;
  }
  if (rest > MAX_STRUCTURE) return undefined;

  let read = 0;
  const convert = (given: unknown, depth: number): YamlValue | undefined => {
    if (depth > MAX_DEPTH) return undefined;
    if (Array.isArray(given)) {
      const items = given.map((item) => convert(item, depth + 1));
      return items.includes(undefined) ? undefined : (items as YamlValue[]);
    }
    if (typeof given !== 'object' || given === null) return given as YamlValue;
    const entries = new Map<string, YamlValue>();
    for (const [key, item] of Object.entries(given)) {
      const converted = convert(item, depth + 1);
      if (converted === undefined || UNUSUAL_KEY.test(key)) return undefined;
      entries.set(key, converted);
      read += 1;
    }
    return entries;
  };
  const converted = convert(value, 0);
  // Fewer keys than colons: one of them occurs twice.
  return read === keys ? converted : undefined;
}
