import { globalFunction, type Library, memberFunction } from '../../../cel/check/environment.ts';
import { COST_OF_FIND, COST_OF_MATCH } from '../../../cel/cost/costs.ts';
import { BOOL, INT, listType, STRING } from '../../../cel/types/type.ts';
import { ArrayList, Failure, type Value } from '../../../cel/values/cel-value.ts';
import { spendWork } from '../../../cel/values/work-meter.ts';
import { Work } from '../../../core/work.ts';
import { Re2, Re2SyntaxError } from '../../schema/re2/re2.ts';

/** Compiled patterns. The oldest is dropped when there are too many. */
const known = new Map<string, Re2>();
const MAX_KNOWN = 500;

function compiledRegex(pattern: string): Re2 {
  let regex = known.get(pattern);
  if (regex !== undefined) return regex;
  try {
    regex = new Re2(pattern);
  } catch (error) {
    if (error instanceof Re2SyntaxError) throw new Failure(`error parsing regexp: ${error.message}`);
    throw error;
  }
  const [oldest] = known.keys();
  if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  known.set(pattern, regex);
  return regex;
}

/** Number of steps of a regular expression that count as one step of an evaluation. */
const STEPS_PER_STEP = 8;

/** Searches with one budget, and counts the work: the language itself counts `matches(a, b)` as one. */
function searchingRegex<T>(search: (work: Work) => T): T {
  const work = new Work('the pattern');
  const result = search(work);
  spendWork(work.spent * STEPS_PER_STEP);
  return result;
}

const matchesRegex = ([text, pattern]: readonly Value[]): Value =>
  searchingRegex((work) => compiledRegex(pattern as string).test(text as string, work));

function findRegex([text, pattern]: readonly Value[]): Value {
  const found = searchingRegex((work) => compiledRegex(pattern as string).find(text as string, 0, work));
  return found === undefined ? '' : (text as string).slice(found.start, found.end);
}

const findAllRegex = (args: readonly Value[]): Value => searchingRegex((work) => allRegexMatches(args, work));

function allRegexMatches([given, pattern, limit = -1n]: readonly Value[], work: Work): Value {
  const [text, regex, all] = [given as string, compiledRegex(pattern as string), [] as string[]];
  const most = limit as bigint;
  let [from, lastEnd] = [0, -1];
  while (from <= text.length && (most < 0n || BigInt(all.length) < most)) {
    const found = regex.find(text, from, work);
    if (found === undefined) break;
    const { start, end } = found;
    // As in Go: an empty match right after the last match does not count.
    if (end > start || start !== lastEnd) all.push(text.slice(start, end));
    lastEnd = end;
    from = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xff_ff ? 2 : 1);
  }
  return new ArrayList(all);
}

/** Functions of regular expressions, with Go's syntax. */
export const regex: Library = {
  functions: {
    matches: [
      { ...globalFunction('matches', [STRING, STRING], BOOL, matchesRegex), pattern: 1 },
      memberFunction('matches_string', [STRING, STRING], BOOL, matchesRegex, COST_OF_MATCH),
    ],
    find: [{ ...memberFunction('string_find_string', [STRING, STRING], STRING, findRegex, COST_OF_FIND), pattern: 1 }],
    findAll: [
      {
        ...memberFunction('string_find_all_string', [STRING, STRING], listType(STRING), findAllRegex, COST_OF_FIND),
        pattern: 1,
      },
      {
        ...memberFunction(
          'string_find_all_string_int',
          [STRING, STRING, INT],
          listType(STRING),
          findAllRegex,
          COST_OF_FIND,
        ),
        pattern: 1,
      },
    ],
  },
};
