/** Brand of `Safe`, so that only the functions of this room can make one. */
declare const brand: unique symbol;

/**
 * A text that a terminal shows as it is: every control character in it is one of ours.
 *
 * Outputs accept no other text, so that printing unescaped text of a cluster does not compile. A literal of
 * the program becomes one with the tag `safe`, a text from outside with `escapeText` and the other functions
 * of `escape.ts`.
 */
export type Safe = string & { readonly [brand]: true };

/** The parts of a safe text. A number has no control characters. */
type SafePart = Safe | number;

/** The tag of safe template literals: their own characters are the program's, and their values are already safe. */
export function safe(strings: TemplateStringsArray, ...values: readonly SafePart[]): Safe {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += `${value}${strings[index + 1] ?? ''}`;
  return text as Safe;
}

export const joinSafe = (texts: readonly Safe[], separator = ''): Safe => texts.join(separator) as Safe;

export const trimSafeEnd = (text: Safe): Safe => text.trimEnd() as Safe;

export const padSafeEnd = (text: Safe, length: number): Safe => text.padEnd(length) as Safe;

export const repeatSafe = (text: Safe, times: number): Safe => text.repeat(times) as Safe;

/** Marks the rest of a safe text as safe, after a function of this room has cut it. */
export const keptSafe = (text: string): Safe => text as Safe;
