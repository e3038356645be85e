import type { Call, Expr, Fold } from './ast.ts';
import type { Issue } from './source.ts';

/** Names that cannot be written in an expression. */
export const ACCUMULATOR = '@result';
const UNUSED = '#unused';

type Expansion = Expr | Issue;

/** The loop that a macro expands to; undefined if the call is not a macro, an issue if it is used wrongly. */
export function expandMacro(call: Call): Expansion | undefined {
  const { name, target, args } = call;
  if (target === undefined)
    return name === 'has' && args.length === 1 ? expandHasMacro(args[0] as Expr, call) : undefined;
  return MACROS.get(`${name} ${args.length}`)?.(target, args, call);
}

type Expand = (target: Expr, args: readonly Expr[], call: Call) => Expansion;

const MACROS: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['all 2', (target, args, call) => quantifierMacro(target, args, call, 'all')],
  ['exists 2', (target, args, call) => quantifierMacro(target, args, call, 'exists')],
  ['exists_one 2', (target, args, call) => quantifierMacro(target, args, call, 'one')],
  ['all 3', (target, args, call) => quantifierMacro(target, args, call, 'all')],
  ['exists 3', (target, args, call) => quantifierMacro(target, args, call, 'exists')],
  ['exists_one 3', (target, args, call) => quantifierMacro(target, args, call, 'one')],
  ['existsOne 3', (target, args, call) => quantifierMacro(target, args, call, 'one')],
  ['map 2', (target, [v, f], call) => collectorMacro(target, [v], undefined, f as Expr, call)],
  ['map 3', (target, [v, p, f], call) => collectorMacro(target, [v], p, f as Expr, call)],
  ['filter 2', (target, [v, p], call) => collectorMacro(target, [v], p, v as Expr, call)],
  ['transformList 3', (target, [k, v, f], call) => collectorMacro(target, [k, v], undefined, f as Expr, call)],
  ['transformList 4', (target, [k, v, p, f], call) => collectorMacro(target, [k, v], p, f as Expr, call)],
  ['transformMap 3', (target, [k, v, f], call) => mapCollectorMacro(target, [k, v], undefined, f as Expr, call, false)],
  ['transformMap 4', (target, [k, v, p, f], call) => mapCollectorMacro(target, [k, v], p, f as Expr, call, false)],
  [
    'transformMapEntry 3',
    (target, [k, v, f], call) => mapCollectorMacro(target, [k, v], undefined, f as Expr, call, true),
  ],
  ['transformMapEntry 4', (target, [k, v, p, f], call) => mapCollectorMacro(target, [k, v], p, f as Expr, call, true)],
  ['optMap 2', (target, args, call) => optionalMapMacro(target, args, call, true)],
  ['optFlatMap 2', (target, args, call) => optionalMapMacro(target, args, call, false)],
  ['sortBy 2', (target, args, call) => sortByMacro(target, args, call)],
]);

function expandHasMacro(argument: Expr, { at }: Call): Expansion {
  if (argument.kind === 'select' && !argument.isTest) return { ...argument, at, isTest: true };
  return { at: argument.at, message: 'invalid argument to has() macro' };
}

const macroIdent = (at: number, name: string): Expr => ({ kind: 'ident', at, name });
const macroLiteral = (at: number, value: boolean | bigint): Expr => ({ kind: 'literal', at, value });
const macroList = (at: number, ...items: Expr[]): Expr => ({ kind: 'list', at, items, optional: new Set() });
const macroCall = (at: number, name: string, ...args: Expr[]): Expr => ({
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

/** The names of one or two loop variables, or the issue with them. */
function macroVariables(given: readonly (Expr | undefined)[]): Variables | Issue {
  const names: string[] = [];
  for (const one of given) {
    if (one?.kind !== 'ident' || one.name.startsWith('.'))
      return { at: one?.at ?? 0, message: 'argument must be a simple name' };
    if (one.name === ACCUMULATOR || one.name === '__result__')
      return { at: one.at, message: 'iteration variable overwrites accumulator variable' };
    if (names.includes(one.name)) return { at: one.at, message: `duplicate variable name: ${one.name}` };
    names.push(one.name);
  }
  return { variable: names[0] as string, variable2: names[1] };
}

function foldMacro(
  range: Expr,
  names: Variables,
  { at }: Call,
  rest: Pick<Fold, 'initial' | 'condition' | 'step' | 'result'>,
): Expr {
  return { kind: 'fold', at, range, ...names, accumulator: ACCUMULATOR, ...rest };
}

function quantifierMacro(target: Expr, args: readonly Expr[], call: Call, kind: 'all' | 'exists' | 'one'): Expansion {
  const { at } = call;
  const names = macroVariables(args.slice(0, -1));
  if ('message' in names) return names;
  const predicate = args.at(-1) as Expr;
  const result = macroIdent(at, ACCUMULATOR);
  if (kind === 'one')
    return foldMacro(target, names, call, {
      initial: macroLiteral(at, 0n),
      condition: macroLiteral(at, true),
      step: macroCall(at, '_?_:_', predicate, macroCall(at, '_+_', result, macroLiteral(at, 1n)), result),
      result: macroCall(at, '_==_', result, macroLiteral(at, 1n)),
    });
  const isAll = kind === 'all';
  return foldMacro(target, names, call, {
    initial: macroLiteral(at, isAll),
    condition: macroCall(at, '@not_strictly_false', isAll ? result : macroCall(at, '!_', result)),
    step: macroCall(at, isAll ? '_&&_' : '_||_', result, predicate),
    result,
  });
}

function collectorMacro(
  target: Expr,
  given: readonly (Expr | undefined)[],
  predicate: Expr | undefined,
  transform: Expr,
  call: Call,
): Expansion {
  const { at } = call;
  const names = macroVariables(given);
  if ('message' in names)
    return given.length === 1 && names.message.startsWith('argument must be a simple')
      ? { ...names, message: 'argument is not an identifier' }
      : names;
  const result = macroIdent(at, ACCUMULATOR);
  const added = macroCall(at, '_+_', result, macroList(at, transform));
  return foldMacro(target, names, call, {
    initial: macroList(at),
    condition: macroLiteral(at, true),
    step: predicate === undefined ? added : macroCall(at, '_?_:_', predicate, added, result),
    result,
  });
}

function mapCollectorMacro(
  target: Expr,
  given: readonly (Expr | undefined)[],
  predicate: Expr | undefined,
  transform: Expr,
  call: Call,
  isEntry: boolean,
): Expansion {
  const { at } = call;
  const names = macroVariables(given);
  if ('message' in names) return names;
  const result = macroIdent(at, ACCUMULATOR);
  const added = isEntry
    ? macroCall(at, 'cel.@mapInsert', result, transform)
    : macroCall(at, 'cel.@mapInsert', result, macroIdent(at, names.variable), transform);
  return foldMacro(target, names, call, {
    initial: { kind: 'map', at, entries: [] },
    condition: macroLiteral(at, true),
    step: predicate === undefined ? added : macroCall(at, '_?_:_', predicate, added, result),
    result,
  });
}

/** A loop over nothing that binds a name for its result. */
function bindMacro(at: number, name: string, value: Expr, result: Expr): Expr {
  return {
    kind: 'fold', at, range: macroList(at), variable: UNUSED, variable2: undefined, accumulator: name, initial: value,
    condition: macroLiteral(at, false), step: macroIdent(at, name), result,
  }; // prettier-ignore
}

function optionalMapMacro(
  target: Expr,
  [variable, transform]: readonly Expr[],
  call: Call,
  isWrapped: boolean,
): Expansion {
  const { at } = call;
  const [name] = [variable as Expr];
  if (name.kind !== 'ident') {
    const macro = isWrapped ? 'optMap' : 'optFlatMap';
    return { at: name.at, message: `${macro}() variable name must be a simple identifier` };
  }
  const member = (method: string): Expr => ({ kind: 'call', at, name: method, target, args: [] });
  const content = bindMacro(at, name.name, member('value'), transform as Expr);
  return macroCall(
    at,
    '_?_:_',
    member('hasValue'),
    isWrapped ? macroCall(at, 'optional.of', content) : content,
    macroCall(at, 'optional.none'),
  );
}

function sortByMacro(target: Expr, [variable, key]: readonly Expr[], call: Call): Expansion {
  const { at } = call;
  if (target.kind === 'literal' || target.kind === 'map' || target.kind === 'struct') {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    return { at: target.at, message };
  }
  const name = '@__sortBy_input__';
  const keys = collectorMacro(macroIdent(at, name), [variable], undefined, key as Expr, call);
  if ('message' in keys) return keys;
  return bindMacro(at, name, target, {
    kind: 'call',
    at,
    name: '@sortByAssociatedKeys',
    target: macroIdent(at, name),
    args: [keys],
  });
}
