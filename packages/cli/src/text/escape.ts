import { keptSafe, type Safe } from './safe.ts';

/**
 * Characters that must not reach a terminal: control characters (they start escape sequences), characters that are
 * invisible or change the direction of text, line separators, and lone surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The same for JSON text: its line breaks are allowed, and its strings contain no control characters. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

const SHORT: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({ '\n': '\\n', '\r': '\\r', '\t': '\\t' }),
);

/** Makes a text safe to print on one line: control characters are shown as escapes. */
export function escapeText(text: string): Safe {
  return keptSafe(
    needsNoEscape(text) ? text : text.replace(UNSAFE, (found) => SHORT.get(found) ?? escapeCharacter(found)),
  );
}

/** Like `escapeText`, for a text of several lines. */
export function escapeLines(text: string): Safe {
  return keptSafe(text.split('\n').map(escapeText).join('\n'));
}

/** Escapes JSON text so that it parses to the same value and hides nothing. */
export function escapeJson(json: string): Safe {
  return keptSafe(
    json.replace(UNSAFE_IN_JSON, (found) =>
      [...escapeUtf16Units(found)].map((unit) => `\\u${escapeHex(unit, 4)}`).join(''),
    ),
  );
}

/** Escapes YAML text in which unsafe characters occur in double-quoted scalars only. */
export function escapeYaml(yaml: string): Safe {
  return keptSafe(
    yaml.replace(UNSAFE_IN_JSON, (found) => {
      const code = found.codePointAt(0) ?? 0;
      return code > 0xff_ff ? `\\U${escapeHex(code, 8)}` : `\\u${escapeHex(code, 4)}`;
    }),
  );
}

export function needsEscape(text: string): boolean {
  UNSAFE.lastIndex = 0;
  return !needsNoEscape(text) && UNSAFE.test(text);
}

/** Fast path: nearly all text in a cluster is printable ASCII. */
function needsNoEscape(text: string): boolean {
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
