const NAMES: ReadonlyMap<string, string> = new Map<string, string>(Object.entries({
  '\u001b[A': 'up', '\u001bOA': 'up',
  '\u001b[B': 'down', '\u001bOB': 'down',
  '\u001b[C': 'right', '\u001bOC': 'right',
  '\u001b[D': 'left', '\u001bOD': 'left',
  '\u001b[5~': 'pageup', '\u001b[6~': 'pagedown',
  '\u001b[H': 'home', '\u001b[1~': 'home', '\u001bOH': 'home',
  '\u001b[F': 'end', '\u001b[4~': 'end', '\u001bOF': 'end',
  '\r': 'enter', '\n': 'enter', '\t': 'tab', '\u001b': 'escape', '\u007f': 'backspace', '\b': 'backspace',
  '\u0003': 'interrupt', '\u001a': 'suspend',
})); // prettier-ignore

/** Letters that move the view, as in `less`, while no text is being typed. */
const LETTERS: ReadonlyMap<string, string> = new Map<string, string>(Object.entries({
  k: 'up', j: 'down', b: 'pageup', ' ': 'pagedown', g: 'home', G: 'end', h: 'left', l: 'right',
})); // prettier-ignore

/** One key: an escape sequence (CSI or SS3), or a character. */
// oxlint-disable-next-line no-control-regex
const KEY = /\u001b\[[0-?]*[ -/]*[@-~]|\u001bO[ -~]|[\s\S]/gu;

/**
 * The keys of a chunk, in order. A terminal may send several keys in one chunk: three arrows, or an arrow and
 * Ctrl-C. Keys that are not characters have names: `up`, `enter`, `escape` …; unknown escape sequences are
 * left out.
 */
export function terminalKeysOfChunk(chunk: string): string[] {
  return [...chunk.matchAll(KEY)].flatMap(([key]) => {
    const name = NAMES.get(key);
    if (name !== undefined) return [name];
    return key.startsWith('\u001b') ? [] : [key];
  });
}

/** The name of a letter that moves; every other key is itself. */
export const movingTerminalKey = (key: string): string => LETTERS.get(key) ?? key;
