/** Sets of characters: what one step of an expression may match. */

export type CharTest = (code: number) => boolean;

type Ranges = readonly (readonly [from: number, to: number])[];

const code = (text: string): number => text.codePointAt(0) as number;
const ranges = (...pairs: readonly string[]): Ranges => pairs.map((pair) => [code(pair), code(pair.slice(-1))]);

const DIGIT = ranges('09');
const UPPER = ranges('AZ');
const LOWER = ranges('az');
const ALPHA = [...UPPER, ...LOWER];
const WORD = [...ALPHA, ...DIGIT, ...ranges('__')];
const PUNCTUATION = ranges('!/', ':@', '[`', '{~');

/** `[[:alpha:]]`: always ASCII. */
const POSIX: ReadonlyMap<string, Ranges> = new Map([
  ['alnum', [...ALPHA, ...DIGIT]],
  ['alpha', ALPHA],
  ['ascii', [[0, 0x7f]]],
  ['blank', ranges('\t\t', '  ')],
  ['cntrl', [[0, 0x1f], [0x7f, 0x7f]]],
  ['digit', DIGIT],
  ['graph', ranges('!~')],
  ['lower', LOWER],
  ['print', ranges(' ~')],
  ['punct', PUNCTUATION],
  ['space', [...ranges('\t\r'), ...ranges('  ')]],
  ['upper', UPPER],
  ['word', WORD],
  ['xdigit', [...DIGIT, ...ranges('AF', 'af')]],
]); // prettier-ignore

/** `\d` and its like: ASCII too, and `\s` without the vertical tab. */
const PERL: ReadonlyMap<string, Ranges> = new Map([
  ['d', DIGIT],
  ['s', [...ranges('\t\n'), ...ranges('\f\r'), ...ranges('  ')]],
  ['w', WORD],
]);

const CATEGORY = /^(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/;

export const isWord = (char: number): boolean => inRanges(char, WORD);

export function posixClass(name: string, isFolded: boolean): CharTest | undefined {
  const isNegated = name.startsWith('^');
  const found = POSIX.get(isNegated ? name.slice(1) : name);
  return found === undefined ? undefined : negatedIf(isNegated, folded(rangeTest(found), isFolded));
}

export function perlClass(letter: string, isFolded: boolean): CharTest | undefined {
  const found = PERL.get(letter.toLowerCase());
  return found === undefined
    ? undefined
    : negatedIf(letter !== letter.toLowerCase(), folded(rangeTest(found), isFolded));
}

/** `\pL`, `\p{Greek}`, `\p{^Lu}`: a general category or a script. */
export function unicodeClass(name: string, isFolded: boolean): CharTest | undefined {
  const isNegated = name.startsWith('^');
  const plain = isNegated ? name.slice(1) : name;
  const source = plain === 'Any' ? '[^]' : CATEGORY.test(plain) ? `\\p{${plain}}` : `\\p{Script=${plain}}`;
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, 'u');
  } catch {
    return undefined;
  }
  return negatedIf(
    isNegated,
    folded((char) => pattern.test(String.fromCodePoint(char)), isFolded),
  );
}

export const rangeClass = (from: number, to: number, isFolded: boolean): CharTest =>
  folded(rangeTest([[from, to]]), isFolded);

export const anyOf =
  (tests: readonly CharTest[]): CharTest =>
  (char) =>
    tests.some((test) => test(char));

export const negatedIf = (isNegated: boolean, test: CharTest): CharTest => (isNegated ? (char) => !test(char) : test);

const rangeTest =
  (list: Ranges): CharTest =>
  (char) =>
    inRanges(char, list);

const inRanges = (char: number, list: Ranges): boolean => list.some(([from, to]) => char >= from && char <= to);

/** With `(?i)` a character is as good as its other cases. */
function folded(test: CharTest, isFolded: boolean): CharTest {
  if (!isFolded) return test;
  return (char) => {
    if (test(char)) return true;
    const text = String.fromCodePoint(char);
    return [text.toLowerCase(), text.toUpperCase()].some((other) => isOne(other) && test(code(other)));
  };
}

const isOne = (text: string): boolean => text.length === (code(text) > 0xff_ff ? 2 : 1);
