import type { Call, Expr, Fold } from './ast.ts';
import type { Issue } from './source.ts';

/** Names that no expression can write. */
export const ACCUMULATOR = '@result';
const UNUSED = '#unused';

type Expansion = Expr | Issue;

/** The loop that a macro stands for; undefined where the call is no macro, an issue where it is used wrongly. */
export function expandMacro(call: Call): Expansion | undefined {
  const { name, target, args } = call;
  if (target === undefined) return name === 'has' && args.length === 1 ? expandHas(args[0] as Expr, call) : undefined;
  return MACROS.get(`${name} ${args.length}`)?.(target, args, call);
}

type Expand = (target: Expr, args: readonly Expr[], call: Call) => Expansion;

const MACROS: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['all 2', (target, args, call) => quantifier(target, args, call, 'all')],
  ['exists 2', (target, args, call) => quantifier(target, args, call, 'exists')],
  ['exists_one 2', (target, args, call) => quantifier(target, args, call, 'one')],
  ['existsOne 2', (target, args, call) => quantifier(target, args, call, 'one')],
  ['all 3', (target, args, call) => quantifier(target, args, call, 'all')],
  ['exists 3', (target, args, call) => quantifier(target, args, call, 'exists')],
  ['exists_one 3', (target, args, call) => quantifier(target, args, call, 'one')],
  ['existsOne 3', (target, args, call) => quantifier(target, args, call, 'one')],
  ['map 2', (target, [v, f], call) => collector(target, [v], undefined, f as Expr, call)],
  ['map 3', (target, [v, p, f], call) => collector(target, [v], p, f as Expr, call)],
  ['filter 2', (target, [v, p], call) => collector(target, [v], p, v as Expr, call)],
  ['transformList 3', (target, [k, v, f], call) => collector(target, [k, v], undefined, f as Expr, call)],
  ['transformList 4', (target, [k, v, p, f], call) => collector(target, [k, v], p, f as Expr, call)],
  ['transformMap 3', (target, [k, v, f], call) => mapCollector(target, [k, v], undefined, f as Expr, call, false)],
  ['transformMap 4', (target, [k, v, p, f], call) => mapCollector(target, [k, v], p, f as Expr, call, false)],
  ['transformMapEntry 3', (target, [k, v, f], call) => mapCollector(target, [k, v], undefined, f as Expr, call, true)],
  ['transformMapEntry 4', (target, [k, v, p, f], call) => mapCollector(target, [k, v], p, f as Expr, call, true)],
  ['optMap 2', (target, args, call) => optionalMap(target, args, call, true)],
  ['optFlatMap 2', (target, args, call) => optionalMap(target, args, call, false)],
  ['sortBy 2', (target, args, call) => sortBy(target, args, call)],
]);

function expandHas(argument: Expr, { at }: Call): Expansion {
  if (argument.kind === 'select' && !argument.isTest) return { ...argument, at, isTest: true };
  return { at: argument.at, message: 'invalid argument to has() macro' };
}

const ident = (at: number, name: string): Expr => ({ kind: 'ident', at, name });
const literal = (at: number, value: boolean | bigint): Expr => ({ kind: 'literal', at, value });
const list = (at: number, ...items: Expr[]): Expr => ({ kind: 'list', at, items, optional: new Set() });
const invoke = (at: number, name: string, ...args: Expr[]): Expr => ({
  kind: 'call',
  at,
  name,
  target: undefined,
  args,
});

interface Variables {
  readonly variable: string;
  readonly variable2: string | undefined;
}

/** The names of one or two loop variables, or what is wrong with them. */
function variables(given: readonly (Expr | undefined)[], isAlone = given.length === 1): Variables | Issue {
  const names: string[] = [];
  for (const one of given) {
    if (one?.kind !== 'ident' || one.name.startsWith('.'))
      return {
        at: one?.at ?? 0,
        message: isAlone ? 'argument must be a simple name' : 'argument must be an identifier',
      };
    if (one.name === ACCUMULATOR || one.name === '__result__')
      return { at: one.at, message: 'iteration variable overwrites accumulator variable' };
    if (names.includes(one.name)) return { at: one.at, message: `duplicate variable name: ${one.name}` };
    names.push(one.name);
  }
  return { variable: names[0] as string, variable2: names[1] };
}

function fold(
  range: Expr,
  names: Variables,
  { at }: Call,
  rest: Pick<Fold, 'initial' | 'condition' | 'step' | 'result'>,
): Expr {
  return { kind: 'fold', at, range, ...names, accumulator: ACCUMULATOR, ...rest };
}

function quantifier(target: Expr, args: readonly Expr[], call: Call, kind: 'all' | 'exists' | 'one'): Expansion {
  const { at } = call;
  const names = variables(args.slice(0, -1));
  if ('message' in names) return names;
  const predicate = args.at(-1) as Expr;
  const result = ident(at, ACCUMULATOR);
  if (kind === 'one')
    return fold(target, names, call, {
      initial: literal(at, 0n),
      condition: literal(at, true),
      step: invoke(at, '_?_:_', predicate, invoke(at, '_+_', result, literal(at, 1n)), result),
      result: invoke(at, '_==_', result, literal(at, 1n)),
    });
  const isAll = kind === 'all';
  return fold(target, names, call, {
    initial: literal(at, isAll),
    condition: invoke(at, '@not_strictly_false', isAll ? result : invoke(at, '!_', result)),
    step: invoke(at, isAll ? '_&&_' : '_||_', result, predicate),
    result,
  });
}

function collector(
  target: Expr,
  given: readonly (Expr | undefined)[],
  predicate: Expr | undefined,
  transform: Expr,
  call: Call,
): Expansion {
  const { at } = call;
  const names = variables(given);
  if ('message' in names)
    return names.message.startsWith('argument must be a simple')
      ? { ...names, message: 'argument is not an identifier' }
      : names;
  const result = ident(at, ACCUMULATOR);
  const added = invoke(at, '_+_', result, list(at, transform));
  return fold(target, names, call, {
    initial: list(at),
    condition: literal(at, true),
    step: predicate === undefined ? added : invoke(at, '_?_:_', predicate, added, result),
    result,
  });
}

function mapCollector(
  target: Expr,
  given: readonly (Expr | undefined)[],
  predicate: Expr | undefined,
  transform: Expr,
  call: Call,
  isEntry: boolean,
): Expansion {
  const { at } = call;
  const names = variables(given);
  if ('message' in names) return names;
  const result = ident(at, ACCUMULATOR);
  const added = isEntry
    ? invoke(at, 'cel.@mapInsert', result, transform)
    : invoke(at, 'cel.@mapInsert', result, ident(at, names.variable), transform);
  return fold(target, names, call, {
    initial: { kind: 'map', at, entries: [] },
    condition: literal(at, true),
    step: predicate === undefined ? added : invoke(at, '_?_:_', predicate, added, result),
    result,
  });
}

/** A loop over nothing that binds a name for its result. */
function bound(at: number, name: string, value: Expr, result: Expr): Expr {
  return {
    kind: 'fold', at, range: list(at), variable: UNUSED, variable2: undefined, accumulator: name, initial: value,
    condition: literal(at, false), step: ident(at, name), result,
  }; // prettier-ignore
}

function optionalMap(target: Expr, [variable, transform]: readonly Expr[], call: Call, isWrapped: boolean): Expansion {
  const { at } = call;
  const [name] = [variable as Expr];
  if (name.kind !== 'ident') {
    const macro = isWrapped ? 'optMap' : 'optFlatMap';
    return { at: name.at, message: `${macro}() variable name must be a simple identifier` };
  }
  const member = (method: string): Expr => ({ kind: 'call', at, name: method, target, args: [] });
  const content = bound(at, name.name, member('value'), transform as Expr);
  return invoke(
    at,
    '_?_:_',
    member('hasValue'),
    isWrapped ? invoke(at, 'optional.of', content) : content,
    invoke(at, 'optional.none'),
  );
}

function sortBy(target: Expr, [variable, key]: readonly Expr[], call: Call): Expansion {
  const { at } = call;
  if (variable?.kind !== 'ident')
    return { at: variable?.at ?? at, message: 'sortBy() variable name must be a simple identifier' };
  const name = '@__sortBy_input__';
  const keys = collector(ident(at, name), [variable], undefined, key as Expr, call);
  if ('message' in keys) return keys;
  return bound(at, name, target, {
    kind: 'call',
    at,
    name: '@sortByAssociatedKeys',
    target: ident(at, name),
    args: [keys],
  });
}
