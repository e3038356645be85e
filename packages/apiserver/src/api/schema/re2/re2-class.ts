/** A set of characters that one step of an expression may match. */

export type CharTest = (code: number) => boolean;

type Ranges = readonly (readonly [from: number, to: number])[];

const re2ClassCode = (text: string): number => text.codePointAt(0) as number;
const classRanges = (...pairs: readonly string[]): Ranges =>
  pairs.map((pair) => [re2ClassCode(pair), re2ClassCode(pair.slice(-1))]);

const DIGIT = classRanges('09');
const UPPER = classRanges('AZ');
const LOWER = classRanges('az');
const ALPHA = [...UPPER, ...LOWER];
const WORD = [...ALPHA, ...DIGIT, ...classRanges('__')];
const PUNCTUATION = classRanges('!/', ':@', '[`', '{~');

/** POSIX classes such as `[[:alpha:]]`, which are always ASCII. */
const POSIX: ReadonlyMap<string, Ranges> = new Map([
  ['alnum', [...ALPHA, ...DIGIT]],
  ['alpha', ALPHA],
  ['ascii', [[0, 0x7f]]],
  ['blank', classRanges('\t\t', '  ')],
  ['cntrl', [[0, 0x1f], [0x7f, 0x7f]]],
  ['digit', DIGIT],
  ['graph', classRanges('!~')],
  ['lower', LOWER],
  ['print', classRanges(' ~')],
  ['punct', PUNCTUATION],
  ['space', [...classRanges('\t\r'), ...classRanges('  ')]],
  ['upper', UPPER],
  ['word', WORD],
  ['xdigit', [...DIGIT, ...classRanges('AF', 'af')]],
]); // prettier-ignore

/** Perl classes such as `\d`, which are ASCII too; `\s` does not include the vertical tab. */
const PERL: ReadonlyMap<string, Ranges> = new Map([
  ['d', DIGIT],
  ['s', [...classRanges('\t\n'), ...classRanges('\f\r'), ...classRanges('  ')]],
  ['w', WORD],
]);

const CATEGORY = /^(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/;

export const isWordClass = (char: number): boolean => isInClassRanges(char, WORD);

export function posixClass(name: string, isFolded: boolean): CharTest | undefined {
  const isNegated = name.startsWith('^');
  const found = POSIX.get(isNegated ? name.slice(1) : name);
  return found === undefined ? undefined : negateClassIf(isNegated, foldClass(classRangeTest(found), isFolded));
}

export function perlClass(letter: string, isFolded: boolean): CharTest | undefined {
  const found = PERL.get(letter.toLowerCase());
  return found === undefined
    ? undefined
    : negateClassIf(letter !== letter.toLowerCase(), foldClass(classRangeTest(found), isFolded));
}

/** A Unicode class such as `\pL`, `\p{Greek}` or `\p{^Lu}`: a general category or a script. */
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
  return negateClassIf(
    isNegated,
    foldClass((char) => pattern.test(String.fromCodePoint(char)), isFolded),
  );
}

export const rangeClass = (from: number, to: number, isFolded: boolean): CharTest =>
  foldClass(classRangeTest([[from, to]]), isFolded);

export const anyOfClasses =
  (tests: readonly CharTest[]): CharTest =>
  (char) =>
    tests.some((test) => test(char));

export const negateClassIf = (isNegated: boolean, test: CharTest): CharTest =>
  isNegated ? (char) => !test(char) : test;

const classRangeTest =
  (list: Ranges): CharTest =>
  (char) =>
    isInClassRanges(char, list);

const isInClassRanges = (char: number, list: Ranges): boolean => list.some(([from, to]) => char >= from && char <= to);

/** With `(?i)`, a class that matches characters in any case. */
function foldClass(test: CharTest, isFolded: boolean): CharTest {
  if (!isFolded) return test;
  return (char) => {
    if (test(char)) return true;
    const text = String.fromCodePoint(char);
    return [text.toLowerCase(), text.toUpperCase()].some(
      (other) => isOneClassCharacter(other) && test(re2ClassCode(other)),
    );
  };
}

const isOneClassCharacter = (text: string): boolean => text.length === (re2ClassCode(text) > 0xff_ff ? 2 : 1);
