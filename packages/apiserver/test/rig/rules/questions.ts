import { EXPRESSIONS, SPEC, SPEC_SCHEMA } from './expressions.ts';
import { MISTAKES } from './mistakes.ts';

/** A schema with rules, and an object under it, on an update with the one that it replaces. */
export interface RuleQuestion {
  readonly title: string;
  readonly schema: object;
  readonly object?: object;
  readonly old?: object;
  /** Asks for the cost that the rules of `spec` could have. */
  readonly estimate?: true;
}

const RULES = 'x-kubernetes-validations';
const text = { type: 'string', maxLength: 10 };
const whole = { type: 'integer' };
const widget = (spec: unknown, metadata: object = { name: 'w' }): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata,
  spec,
});
const rules = (...list: (string | object)[]): object => ({
  [RULES]: list.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const root = (spec: object, own: object = {}): object => ({ type: 'object', properties: { spec }, ...own });
const fields = (properties: object, own: object = {}): object => ({ type: 'object', properties, ...own });

const list = (items: object, own: object = {}): object => ({ type: 'array', maxItems: 10, items, ...own });
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };

const ofExpressions = (list: readonly string[]): readonly RuleQuestion[] =>
  list.map((rule) => ({
    title: rule,
    schema: root({ ...SPEC_SCHEMA, ...rules({ rule, message: rule.includes('\n') ? 'has lines' : undefined }) }),
    object: widget(SPEC),
  }));
const mistakes = MISTAKES.filter((rule) => !EXPRESSIONS.includes(rule));

const ask = (title: string, schema: object, spec: unknown, old?: unknown): RuleQuestion => ({
  title,
  schema,
  object: widget(spec),
  ...(old === undefined ? {} : { old: widget(old) }),
});

const changes = fields(
  {
    a: { ...whole, ...rules('self > oldSelf') },
    b: { ...text, ...rules({ rule: 'self == oldSelf', message: ' b is fixed ' }) },
    c: { ...whole, ...rules({ rule: 'oldSelf.optMap(o, o <= self).orValue(self == 0)', optionalOldSelf: true }) },
    items: list(fields({ name: text, n: { ...whole, ...rules('self >= oldSelf') } }, { required: ['name'] }), keyed),
    map: { type: 'object', maxProperties: 10, additionalProperties: { ...whole, ...rules('self >= oldSelf') } },
  },
  rules('!has(oldSelf.b) || has(self.b)'),
);

const strict = fields({
  a: { ...whole, ...rules('self > 5') },
  inner: fields({ b: { ...text, ...rules("self != 'bad'") }, free: whole }, rules('!has(self.b) || self.b.size() < 3')),
  items: list(fields({ name: text, n: { ...whole, ...rules('self < 3') } }, { required: ['name'] }), keyed),
  plain: list({ ...text, ...rules("self.startsWith('x')") }),
});

const scenarios: readonly RuleQuestion[] = [
  ask('a rule at the root sees apiVersion, kind and names', root(fields({}), rules("self.kind == 'Widget' && self.apiVersion == 'example.com/v1' && self.metadata.name == 'w'", "self.metadata.name == 'x'", 'has(self.metadata.generateName)', 'self.metadata.labels == 1')), {}),
  ask('reasons and field paths', root(fields({ a: whole, 'x.y': text, map: { type: 'object', maxProperties: 10, additionalProperties: text } }, rules({ rule: 'false', reason: 'FieldValueForbidden', message: 'no' }, { rule: 'false', reason: 'FieldValueRequired', message: 'need a', fieldPath: '.a' }, { rule: 'false', reason: 'FieldValueDuplicate' }, { rule: 'false', reason: 'FieldValueInvalid', fieldPath: ".map['k']" }, { rule: 'false', fieldPath: "['x.y']" }))), { a: 1 }),
  ask('values in messages', root(fields({ s: { ...text, ...rules('false') }, n: { ...whole, ...rules('false') }, d: { type: 'number', ...rules('false') }, b: { type: 'boolean', ...rules({ rule: 'false', reason: 'FieldValueDuplicate' }) }, l: list(text, rules('false')), o: fields({}, rules('false')) })), { s: 'x', n: 5, d: 1.5, b: true, l: ['a'], o: {} }),
  ask('message expressions', root(fields({ a: whole, s: text }, rules({ rule: 'self.a > 5', messageExpression: "'a is ' + string(self.a)" }, { rule: 'self.a > 5', message: 'plain', messageExpression: 'self.s' }, { rule: 'self.a > 5', message: 'plain', messageExpression: "''" }, { rule: 'self.a > 5', message: 'plain', messageExpression: "'a\\nb'" }, { rule: 'self.a > 5', messageExpression: "' trimmed '" }, { rule: 'self.a > 5', message: 'plain', messageExpression: 'string(self.a / 0)' }))), { a: 3 }),
  ask('wrong message expressions', root(fields({ a: whole }, rules({ rule: 'self.a > 5', messageExpression: 'self.a' }, { rule: 'self.a > 5', messageExpression: 'self.nope' }, { rule: 'self.a > 5', message: 'm', messageExpression: '1 +' }))), { a: 3 }),
  ask('a failure shows the message of the rule', root(fields({ a: whole }, rules({ rule: '1 / self.a > 0', message: 'a divides' }, "self.a == 0 && 1 / self.a > 0"))), { a: 0 }),
  ask('nulls are not checked', root(fields({ a: { ...whole, nullable: true, ...rules('self > 5') }, l: list({ ...whole, nullable: true, ...rules('self > 5') }, rules('self.exists(x, x == 1)')) })), { a: null, l: [null, 7] }),
  ask('lists, maps and items', root(fields({ l: list(fields({ n: { ...whole, ...rules('self > 0') } }, rules('has(self.n)'))), m: { type: 'object', maxProperties: 10, additionalProperties: { ...whole, ...rules('self > 0') }, ...rules('size(self) < 2') } })), { l: [{ n: 0 }, {}], m: { a: 0, 'b.c': 0 } }),
  ask('rules inside of allOf', root(fields({ a: whole }, { allOf: [rules('self.a > 5'), { properties: { a: rules('self > 6') } }] })), { a: 3 }),
  ask('an embedded object', root(fields({ t: fields({ spec: fields({ a: whole }) }, { 'x-kubernetes-embedded-resource': true, ...rules("self.kind == 'Pod'", "self.metadata.name == 'x'", 'self.spec.a == 1') }) })), { t: { apiVersion: 'v1', kind: 'Job', metadata: { name: 'y' }, spec: { a: 1 } } }),
  ask('names that cannot be written', root(fields({ '2x': text, a$: whole, ok: whole }, rules('self.ok == 1', 'self.a$ == 1'))), { '2x': 'a', a$: 1, ok: 1 }),
  ask('a create has no oldSelf', root(changes), { a: 1, b: 'x', c: 5 }),
  ask('an update has one', root(changes), { a: 1, b: 'y', c: 4, items: [{ name: 'p', n: 1 }, { name: 'new', n: 0 }], map: { k: 1, n: 0 } }, { a: 2, b: 'x', c: 5, items: [{ name: 'q', n: 9 }, { name: 'p', n: 2 }], map: { k: 2 } }),
  ask('a field that is removed', root(changes), { c: 6 }, { b: 'x', c: 5 }),
  ask('a field that is added', root(changes), { a: 1, c: 0 }, {}),
  ask('unchanged values stay allowed', root(strict), { a: 1, inner: { b: 'bad' }, items: [{ name: 'p', n: 9 }], plain: ['y'] }, { a: 1, inner: { b: 'bad' }, items: [{ name: 'p', n: 9 }], plain: ['y'] }),
  ask('changed values do not', root(strict), { a: 2, inner: { b: 'bad', free: 1 }, items: [{ name: 'q', n: 8 }, { name: 'p', n: 9 }], plain: ['y', 'x'] }, { a: 1, inner: { b: 'bad' }, items: [{ name: 'p', n: 9 }], plain: ['y'] }),
  ask('oldSelf where nothing can be found again', root(fields({ l: list({ ...whole, ...rules('self == oldSelf') }), set: list({ ...text, ...rules('self == oldSelf') }, { 'x-kubernetes-list-type': 'set' }), m: fields({ a: { ...whole, ...rules('self == oldSelf') } }, { 'x-kubernetes-map-type': 'atomic' }) })), { l: [1], set: ['a'], m: { a: 1 } }, { l: [2], set: ['b'], m: { a: 2 } }),
  ask('optionalOldSelf without oldSelf', root(fields({ a: { ...whole, ...rules({ rule: 'self > 0', optionalOldSelf: true }) } })), { a: 1 }),
  ask('a rule under a schema without a type', root(fields({ any: { 'x-kubernetes-preserve-unknown-fields': true, ...rules('true') } })), { any: 1 }),
  ask('an evaluation that costs too much', root(fields({ l: list(whole) }, rules('self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, self.l.all(e, self.l.all(f, a + b + c + d + e + f >= 0))))))'))), { l: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }),
  ask('fields of rules', root(fields({ a: whole }, rules({ rule: ' ' }, { rule: 'true', message: ' ' }, { rule: 'true', message: 'a\nb' }, { rule: 'true\n&& true' }, { rule: 'true', messageExpression: ' ' }, { rule: 'true', reason: 'Nope' }, { rule: 'true', fieldPath: ' ' }, { rule: 'true', fieldPath: '.nope' }, { rule: 'true', fieldPath: 'a' }))), { a: 1 }),
]; // prettier-ignore

export const RULE_QUESTIONS: readonly RuleQuestion[] = [
  ...ofExpressions(EXPRESSIONS),
  ...scenarios,
  ...ofExpressions(mistakes),
];
