/** Without the `char`s at its end. A regular expression would look at every run of them, in quadratic time. */
export function trimEnd(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end -= 1;
  return text.slice(0, end);
}
