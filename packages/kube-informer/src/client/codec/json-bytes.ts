import { requireOption } from '../../core/errors.ts';
import type { Slices } from '../../core/async/slices.ts';
import { JsonScanner, TOO_DEEP } from './json-scan.ts';

/** etcd refuses objects of more than 1.5 MB; twenty times that is no object but a mistake or an attack. */
export const MAX_OBJECT_BYTES = 33_554_432;
/** Real objects nest about 20 deep. From some 5,000 on, recursive code (clone, freeze, diff) overflows its stack. */
export const MAX_DEPTH = 512;

/** Why bytes are not a value. `reason` and `cause` say nothing of their content, which may be a Secret. */
export interface JsonFailure {
  readonly reason: 'not valid UTF-8' | 'not valid JSON' | 'nested too deep';
  readonly cause: Error | undefined;
  readonly bytes: Uint8Array;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The value that `bytes` spell, by the rules of `JSON.parse`: numbers become doubles, so an int64 above 2^53 is
 * rounded and `1e400` is Infinity; of equal keys the last wins; `__proto__` is a key like any other. One leading
 * byte order mark is ignored. `failed` gets the reason when there is no such value, and throws.
 *
 * A function that throws instead of a result to look at: this is the hot path of every event and every item.
 */
export function parseJson(bytes: Uint8Array, maxDepth: number, failed: (failure: JsonFailure) => never): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    return failed({ reason: 'not valid UTF-8', cause: cause as Error, bytes });
  }
  if (mayNestDeeper(text, maxDepth) && new JsonScanner(maxDepth).scan(bytes) === TOO_DEEP) {
    return failed({ reason: 'nested too deep', cause: undefined, bytes });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The engine's own error quotes the text around the mistake.
    return failed({ reason: 'not valid JSON', cause: new SyntaxError('not valid JSON'), bytes });
  }
}

/** Cheap and on the safe side: only a text with more opening brackets than `maxDepth` can be deeper. */
function mayNestDeeper(text: string, maxDepth: number): boolean {
  // Every level opens and closes.
  if (text.length <= 2 * maxDepth) return false;
  let opened = 0;
  // Two native searches are many times faster than one loop over all characters.
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    opened += 1;
    if (opened > maxDepth) return true;
  }
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) {
    opened += 1;
    if (opened > maxDepth) return true;
  }
  return false;
}

/** Nothing but white space, after a byte order mark if there is one: says nothing. */
export function isBlank(bytes: Uint8Array): boolean {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  for (let at = hasMark ? 3 : 0; at < bytes.length; at += 1) if (!isSpace(bytes[at] as number)) return false;
  return true;
}

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Whether a pause is due after work on so many bytes: a step counts a kilobyte, so that big objects count as much. */
export function dueAfter(slices: Slices, bytes: number): boolean {
  // 64 steps are certain to look at the clock; more would only cost.
  for (let steps = Math.min(64, 1 + (bytes >>> 10)); steps > 0; steps -= 1) if (slices.due()) return true;
  return false;
}

export function requireLimit(name: string, value: number): void {
  requireOption(Number.isSafeInteger(value) && value > 0, name, 'a whole number > 0', value);
}
