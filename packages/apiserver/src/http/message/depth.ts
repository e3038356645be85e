/**
 * Maximum number of levels of objects and lists in a body. A real server stops at 10,000; here code that
 * walks objects is recursive, and the stack is smaller.
 */
export const MAX_DEPTH = 1000;

/** Thrown for a text with too many levels, with the message of Go's parser. */
export class DepthError extends Error {
  override readonly name = 'DepthError';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Throws DepthError for a text with too many levels. Invalid JSON is left to the parser. */
export function checkDepth(text: string): void {
  // Every level takes an opening and a closing character: most bodies are too short to be too deep.
  if (text.length <= 2 * MAX_DEPTH) return;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = skipStringForDepth(text, at);
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        if (depth > MAX_DEPTH) throw new DepthError(`invalid character '${text.charAt(at)}' exceeded max depth`);
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      default:
    }
  }
}

/** End of the string that begins at `start`. */
function skipStringForDepth(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Whether a parsed value has too many levels; counted without recursion. */
export function exceedsMessageDepth(value: unknown): boolean {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.value === null || typeof next.value !== 'object') continue;
    const depth = next.depth + 1;
    if (depth > MAX_DEPTH) return true;
    for (const field of Object.values(next.value)) waiting.push({ value: field, depth });
  }
  return false;
}
