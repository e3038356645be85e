import { UNPRINTABLE } from 'kube-informer/core';
import { keptSafe, type Safe } from './safe.ts';

/** More than eight accents on one letter. They would be drawn over the lines around it, and take no width. */
const TOO_MANY_MARKS = /(\p{M}{8})(\p{M}+)/gu;

const SHORT: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({ '\n': '\\n', '\r': '\\r', '\t': '\\t' }),
);

/**
 * Makes a text safe to print on one line: control characters are shown as escapes. A value that is not a text
 * is shown as JSON: a server may send anything, such as a list as the name of an object.
 */
export function escapeText(given: string): Safe {
  const text = typeof given === 'string' ? given : (JSON.stringify(given) ?? '');
  return keptSafe(
    isEscapeFree(text)
      ? text
      : text
          .replace(UNPRINTABLE, (found) => SHORT.get(found) ?? escapeCharacter(found))
          .replace(
            TOO_MANY_MARKS,
            (_, kept: string, more: string) => kept + Array.from(more).map(escapeCharacter).join(''),
          ),
  );
}

/** Like `escapeText`, for a text of several lines. */
export function escapeLines(text: string): Safe {
  return keptSafe(text.split('\n').map(escapeText).join('\n'));
}

/** Like `escapeLines`, with the tabs that a template puts between values. */
export function escapeColumns(text: string): Safe {
  return keptSafe(text.split('\t').map(escapeLines).join('\t'));
}

/** Escapes JSON text so that it parses to the same value and hides nothing. */
export function escapeJsonText(json: string): Safe {
  return keptSafe(
    escapeInText(json, (found) => [...escapeUtf16Units(found)].map((unit) => `\\u${escapeHex(unit, 4)}`).join('')),
  );
}

/** Escapes YAML text in which unsafe characters occur in double-quoted scalars only. */
export function escapeYamlText(yaml: string): Safe {
  return keptSafe(
    escapeInText(yaml, (found) => {
      const code = found.codePointAt(0) ?? 0;
      return code > 0xff_ff ? `\\U${escapeHex(code, 8)}` : `\\u${escapeHex(code, 4)}`;
    }),
  );
}

/** Escapes inside the strings of a text whose own line breaks stay. */
const escapeInText = (text: string, escape: (found: string) => string): string =>
  text
    .replace(UNPRINTABLE, (found) => (found === '\n' ? found : escape(found)))
    .replace(TOO_MANY_MARKS, (_, kept: string, more: string) => kept + Array.from(more).map(escape).join(''));

export function mustEscape(text: string): boolean {
  return !isEscapeFree(text) && escapeText(text) !== text;
}

/** Fast path: nearly all text in a cluster is printable ASCII. */
function isEscapeFree(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  return true;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${escapeHex(code, 2)}`;
  return code <= 0xff_ff ? `\\u${escapeHex(code, 4)}` : `\\u{${escapeHex(code, 0)}}`;
}

function* escapeUtf16Units(text: string): Generator<number> {
  for (let i = 0; i < text.length; i += 1) yield text.charCodeAt(i);
}

const escapeHex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
