/** Breaks of the estimated cost of rules. See engine.mjs. */
const ESTIMATES = ['api/rules/estimates.test.ts'];

export const celMutants = [
  m('S133', 'a loop costs as much as one round', 'cel/estimate/estimate-cost.ts', 'end, multiplyRanges(count, each)]', 'end, each]'), // prettier-ignore
  m('S133', 'items of a list have no path', 'cel/estimate/estimate-cost.ts', "isList ? '@items' : '@values'", "isList ? '@values' : '@none'"), // prettier-ignore
  m('S133', 'both branches of a condition are counted', 'cel/estimate/estimate-cost.ts', 'addRanges(a, unionOfRanges(b, c))', 'addRanges(a, addRanges(b, c))'), // prettier-ignore
  m('S133', 'paths do not share their memory', 'cel/estimate/estimate-path.ts', 'isFull ? slots.slice(0, length) : slots', 'slots.slice(0, length)'), // prettier-ignore
  m('S133', 'numbers exceed 64 bits', 'cel/cost/cost-range.ts', 'value > MAX_RANGE ? MAX_RANGE : value', 'value'),
  m('S133', 'a text is as long as its bound', 'api/rules/schema-sizes.ts', 'const BYTES_PER_CHARACTER = 4;', 'const BYTES_PER_CHARACTER = 1;'), // prettier-ignore
  m('S133', 'required fields take no room', 'api/rules/schema-sizes.ts', 'size + minPropertyOfSchemaSize(schema, name)', 'size + 0 * minPropertyOfSchemaSize(schema, name)'), // prettier-ignore
  m('S133', 'a rule is evaluated once', 'api/rules/definition-rules.ts', 'definitionCostTimes(program.estimate(sizes).max, times)', 'definitionCostTimes(program.estimate(sizes).max, times && 1n)'), // prettier-ignore
  m('S133', 'bounds of outer lists do not multiply', 'api/rules/definition-cost.ts', 'definitionCostTimes(own, BigInt(bound))', 'BigInt(bound)'), // prettier-ignore
  m('S133', 'a tie is rounded up', 'api/rules/definition-cost.ts', 'Number(below.at(-1)) % 2 === 0 ? below', 'false ? below'), // prettier-ignore
  m('S133', 'all expensive rules are named', 'api/rules/definition-cost.ts', 'const MAX_NAMED = 4;', 'const MAX_NAMED = 5;'), // prettier-ignore
  m('S134', 'a stored rule may not stay', 'api/rules/definition-cost.ts', 'if (this.#isUnchanged || cost', 'if (cost'), // prettier-ignore
];

function m(rule, what, file, find, replace) {
  return { rule, what, file, find, replace, tests: ESTIMATES, home: 'apiserver' };
}
