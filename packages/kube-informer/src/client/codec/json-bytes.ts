import { requireOption } from '../../core/errors.ts';
import type { Slices } from '../../core/async/slices.ts';
import { JsonScanner } from './json-scan.ts';

/** Default maximum size of an object. etcd refuses objects over 1.5 MB, so twenty times that is a mistake or an attack. */
export const MAX_OBJECT_BYTES = 33_554_432;

/** Why bytes could not be parsed. `reason` and `cause` quote nothing of the content, which may be a Secret. */
export interface JsonFailure {
  readonly reason: 'not valid UTF-8' | 'not valid JSON' | 'nested too deep';
  readonly cause: Error | undefined;
  readonly bytes: Uint8Array;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses `bytes` by the rules of `JSON.parse`: numbers become doubles, so an int64 above 2^53 is rounded (a write
 * refuses it, see `rounded-integer.ts`) and `1e400` is Infinity; of equal keys the last wins; `__proto__` is an ordinary
 * key. One leading byte order mark is ignored. When the bytes cannot be parsed, `failed` throws or gives what to return
 * instead.
 *
 * A callback instead of a result object: this is the hot path of every event and every item.
 */
export function parseJsonBytes(
  bytes: Uint8Array,
  maxDepth: number,
  failed: (failure: JsonFailure) => unknown,
): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    return failed({ reason: 'not valid UTF-8', cause: cause as Error, bytes });
  }
  if (mayJsonBytesNestDeeper(text, maxDepth) && nestingOfJsonBytes(bytes) > maxDepth) {
    return failed({ reason: 'nested too deep', cause: undefined, bytes });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The engine's own error would quote the text around the mistake.
    return failed({ reason: 'not valid JSON', cause: new SyntaxError('not valid JSON'), bytes });
  }
}

function nestingOfJsonBytes(bytes: Uint8Array): number {
  const scanner = new JsonScanner();
  scanner.scan(bytes);
  return scanner.deepest;
}

/** A cheap estimate: only a text with more than `maxDepth` opening brackets can nest deeper. */
function mayJsonBytesNestDeeper(text: string, maxDepth: number): boolean {
  // Each level needs two brackets.
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

/** True for white space only, with or without a byte order mark before it. */
export function isBlankBytes(bytes: Uint8Array): boolean {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  for (let at = hasMark ? 3 : 0; at < bytes.length; at += 1) if (!isSpaceByte(bytes[at] as number)) return false;
  return true;
}

export function isSpaceByte(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Whether a pause is due after `bytes` of work. Counts one step per kilobyte, so that large objects count as more. */
export function pauseDueAfterBytes(slices: Slices, bytes: number): boolean {
  // 64 steps always include a look at the clock.
  for (let steps = Math.min(64, 1 + (bytes >>> 10)); steps > 0; steps -= 1) if (slices.due()) return true;
  return false;
}

export function limitOfJsonBytes(name: string, value: number): void {
  requireOption(Number.isSafeInteger(value) && value > 0, name, 'a whole number > 0', value);
}
