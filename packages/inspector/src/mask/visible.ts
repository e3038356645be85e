import { printableText } from 'kube-informer/core';

/** Replaces characters that would hide or reverse other text with escapes. Line breaks and tabs are kept. */
export const visibleText: (text: string) => string = printableText;

/** Makes a text one line of at most `max` characters. */
export function visibleBrief(text: string, max = 300): string {
  const line = visibleText(text.length > max ? `${text.slice(0, max)}…` : text).replaceAll(/[\n\t]+/g, ' ');
  return line;
}
