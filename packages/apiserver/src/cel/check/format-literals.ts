import type { Call, Expr } from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import type { Kind, Type } from '../types/type.ts';

/** A clause of `format`: the kinds of values that it accepts, and the complaint about others. */
interface FormatClause {
  readonly kinds: ReadonlySet<Kind>;
  readonly complaint: string;
}

const formatClause = (complaint: string, ...kinds: Kind[]): FormatClause => ({ kinds: new Set(kinds), complaint });
const HEX = formatClause(
  'only integers, byte buffers, and strings can be formatted as hex',
  'int',
  'uint',
  'string',
  'bytes',
);

const CLAUSES: ReadonlyMap<string, FormatClause> = new Map(Object.entries({
  s: formatClause('string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps', 'list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'),
  d: formatClause('decimal clause can only be used on integers', 'int', 'uint'),
  f: formatClause('fixed-point clause can only be used on doubles', 'double', 'string'),
  e: formatClause('scientific clause can only be used on doubles', 'double', 'string'),
  b: formatClause('only integers and bools can be formatted as binary', 'int', 'uint', 'bool'),
  o: formatClause('octal clause can only be used on integers', 'int', 'uint'),
  x: HEX,
  X: HEX,
})); // prettier-ignore

/** Issues of `'…'.format([…])` with literal arguments: clauses that have no value, or one of a wrong type. */
export function formatLiteralIssues({ at, target, args: [list] }: Call, typeOf: (expr: Expr) => Type): Issue[] {
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list') return [];
  const pattern = target.value;
  let used = 0;
  for (let from = pattern.indexOf('%'); from !== -1; from = pattern.indexOf('%', from)) {
    if (pattern[from + 1] === '%') {
      from += 2;
      continue;
    }
    if (from + 1 >= pattern.length) return [{ at, message: 'unexpected end of string' }];
    const item = list.items[used];
    if (item === undefined) return [{ at, message: `index ${used} out of range` }];
    const { length, clause, fault } = readFormatClause(pattern.slice(from));
    if (clause === undefined) return [{ at, message: `could not parse formatting clause: ${fault}` }];
    const wrong = wrongFormatItem(item, clause, typeOf);
    if (wrong !== undefined)
      return [
        { at: wrong.at, message: `error during formatting: ${clause.complaint}, was given ${typeOf(wrong).name}` },
      ];
    from += length;
    used += 1;
  }
  if (list.items.length <= used) return [];
  const message = `too many arguments supplied to string.format (expected ${used}, got ${list.items.length})`;
  return [{ at, message }];
}

function readFormatClause(text: string): { length: number; clause?: FormatClause | undefined; fault?: string } {
  const [, dot = '', digits = '', verb = ''] = /^%(\.?)((?<=\.)\d*)?([^]?)/u.exec(text) ?? [];
  const length = 1 + dot.length + digits.length + verb.length;
  if (dot !== '' && verb === '')
    return { length, fault: 'error while parsing precision: could not find end of precision specifier' };
  if (dot !== '' && digits === '') {
    const why = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
    return { length, fault: `error while parsing precision: ${why}` };
  }
  const clause = CLAUSES.get(verb);
  return clause === undefined
    ? { length, fault: `unrecognized formatting clause "${String.fromCharCode(Buffer.from(verb)[0] ?? 0)}"` }
    : { length, clause };
}

/** The item, or for `%s` the part of it, that a clause cannot format. */
function wrongFormatItem(item: Expr, clause: FormatClause, typeOf: (expr: Expr) => Type): Expr | undefined {
  const { kind } = typeOf(item);
  if (kind !== 'dyn' && !clause.kinds.has(kind)) return item;
  if (clause !== CLAUSES.get('s')) return undefined;
  const parts = item.kind === 'list' ? item.items : item.kind === 'map' ? item.entries.flatMap(({ key, value }) => [key, value]) : []; // prettier-ignore
  for (const part of parts) {
    const wrong = wrongFormatItem(part, clause, typeOf);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
