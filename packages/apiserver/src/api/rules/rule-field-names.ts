/** Reserved words of the language, which cannot be names of fields. */
const RESERVED: ReadonlySet<string> = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop',
  'package', 'namespace', 'return', 'var', 'void', 'while',
]); // prettier-ignore

const WORDS: ReadonlyMap<string, string> = new Map(Object.entries({ __: 'underscores', '.': 'dot', '-': 'dash', '/': 'slash' })); // prettier-ignore
const LETTERS = new Map([...WORDS].map(([letter, word]) => [word, letter]));

/** The name of a field in expressions (`foo-bar` is `foo__dash__bar`); undefined if it has none. */
export function ruleFieldName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (letter) => `__${WORDS.get(letter)}__`);
}

/** The field that a name in an expression refers to. */
export function fieldOfRuleName(name: string): string {
  return name.replace(/__([^_]+)__/g, (whole, word: string) =>
    RESERVED.has(word) ? word : (LETTERS.get(word) ?? whole),
  );
}

export const isReservedRuleFieldName = (name: string): boolean => RESERVED.has(name);
