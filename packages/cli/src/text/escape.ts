/**
 * What must never reach a terminal as it is: control characters (escape sequences begin with one), marks that turn the
 * direction of text or cannot be seen, line separators, and halves of characters.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The same inside JSON text, whose own line breaks stay and whose strings have no control characters left. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Any text, safe to be printed on one line. What was a control character is shown, not obeyed. */
export function escapeText(text: string): string {
  return isPlain(text) ? text : text.replace(UNSAFE, (found) => SHORT[found] ?? visible(found));
}

/** The same for a text of several lines, which stay lines. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeText).join('\n');
}

/** JSON text that means the same and shows everything. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, (found) => [...utf16(found)].map((unit) => `\\u${hex(unit, 4)}`).join(''));
}

/** Text of YAML in which only double-quoted scalars hold what is unsafe. */
export function escapeYaml(yaml: string): string {
  return yaml.replace(UNSAFE_IN_JSON, (found) => {
    const code = found.codePointAt(0) ?? 0;
    return code > 0xff_ff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

export function isUnsafe(text: string): boolean {
  UNSAFE.lastIndex = 0;
  return !isPlain(text) && UNSAFE.test(text);
}

/** Nearly everything in a cluster is printable ASCII, and then nothing needs to be looked for. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  return true;
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xff_ff ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 0)}}`;
}

function* utf16(text: string): Generator<number> {
  for (let i = 0; i < text.length; i += 1) yield text.charCodeAt(i);
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
