import type { RuleQuestion } from './questions.ts';

/** Rules whose cost is estimated: every function, with values that have bounds and values that have none. */

const text = { type: 'string' };
const whole = { type: 'integer' };
const short = { ...text, maxLength: 5 };
const listOf = (items: object, maxItems?: number): object => ({
  type: 'array',
  items,
  ...(maxItems === undefined ? {} : { maxItems }),
});
const mapOf = (values: object, maxProperties?: number): object => ({
  type: 'object',
  additionalProperties: values,
  ...(maxProperties === undefined ? {} : { maxProperties }),
});
const fieldsOf = (properties: object, own: object = {}): object => ({ type: 'object', properties, ...own });

/** A field of every type, with a bound and without one. */
const ESTIMATE_SCHEMA: object = fieldsOf({
  s: text,
  s5: short,
  s0: { ...text, maxLength: 0 },
  color: { ...text, enum: ['red', 'grün', 'blue'] },
  both: { ...text, enum: ['red', 'green'], maxLength: 3 },
  when: { ...text, format: 'date-time' },
  day: { ...text, format: 'date' },
  wait: { ...text, format: 'duration' },
  data: { ...text, format: 'byte' },
  data9: { ...text, format: 'byte', maxLength: 9 },
  ip4: { ...text, format: 'ipv4' },
  n: whole,
  d: { type: 'number' },
  b: { type: 'boolean' },
  port: { 'x-kubernetes-int-or-string': true },
  port8: { 'x-kubernetes-int-or-string': true, maxLength: 8 },
  list: listOf(text),
  list3: listOf(short, 3),
  list3s: listOf(text, 3),
  ints: listOf(whole),
  ints4: listOf(whole, 4),
  doubles4: listOf({ type: 'number' }, 4),
  times4: listOf({ ...text, format: 'date-time' }, 4),
  waits4: listOf({ ...text, format: 'duration' }, 4),
  bytes4: listOf({ ...text, format: 'byte', maxLength: 7 }, 4),
  ports4: listOf({ 'x-kubernetes-int-or-string': true }, 4),
  lists: listOf(listOf(short, 3), 4),
  open: listOf(listOf(text)),
  map: mapOf(text),
  map2: mapOf(short, 2),
  maps: mapOf(mapOf(listOf(whole, 5), 3), 2),
  objects: listOf(fieldsOf({ name: short, list: listOf(short, 6), other: listOf(text), inner: fieldsOf({ deep: listOf(fieldsOf({ a: short, b: text, c: whole })) }) }, { required: ['name'] }), 10),
  plenty: listOf(fieldsOf({ name: text, size: whole, wait: { ...text, format: 'duration' }, on: { type: 'boolean', default: true } }, { required: ['name', 'size', 'wait', 'on'] })),
  object: fieldsOf({ a: short, b: fieldsOf({ c: fieldsOf({ d: listOf(fieldsOf({ e: listOf(fieldsOf({ g: short, h: text })), f: short, 'dash-ed': short, namespace: short })) }) }) }),
  raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
}); // prettier-ignore

/** Expressions of any type: each stands in a rule as `type(…) == int`, which keeps its cost. */
const PARTS: readonly string[] = [
  // Fields and literals.
  'self', 'self.s', 'self.object.b.c.d', 'self.map.x', 'self.map[\'x\']', 'self.list[0]', 'self.objects[0].name', 'self.maps.x.y[0]', 'self.port', 'self.embedded.metadata.name', 'self.embedded.kind', '1', "'x'", "b'x'", 'null', '1u', '1.5', '[]', '{}', '[self.s, self.s5]', "{self.s: self.list, 'x': self.list3}", "{'a': 1}", 'has(self.s)', 'has(self.object.b.c)', 'has(self.map.x)', 'dyn(self.s)', 'dyn(self.list3)', 'type(self.s)', 'int', 'self.object.b.c.d[0].dash__dash__ed', 'self.object.b.c.d[0].namespace', 'self.object.b.c.d[0].__namespace__',
  // Comparisons and logic.
  'self.s == self.s', 'self.s == self.s5', "self.s == 'abcdefghijkl'", 'self.s5 != self.s0', 'self.color == self.both', 'self.n == 1', 'self.d == 1.0', 'self.b == true', 'self.list == self.list', 'self.list3 == self.list', 'self.map == self.map2', 'self.object == self.object', 'self.when == self.when', 'self.wait < self.wait', 'self.day >= self.when', 'self.data == self.data9', 'self.data < self.data', 'self.s < self.s5', 'self.s5 >= self.color', 'self.port == 1', 'self.port == \'x\'', 'self.port8 == self.port8', 'self.port < 3', 'self.port8 >= \'x\'', 'self.n < 1.5', 'self.b && self.n > 1', 'self.b || self.s == self.s', 'self.b && self.s == self.s || self.list == self.list', '!self.b', 'self.b ? self.s : self.s5', '(self.b ? self.s : self.s5) == self.s', '(self.b ? self.list3 : self.list).all(x, x == x)', 'self.b ? [self.s5] : [self.s]', '(self.b ? [self.s5] : [self.color]).all(x, x == self.s)', 'self.b ? 1 : 2', "self.s5 in self.list", "self.n in self.ints4", "'x' in ['a', 'b', self.s]", "'x' in self.map", "self.s in self.map2", 'self.n in [1, 2, 3]', '1 in dyn(self.list)', 'self.port in [1]',
  // Arithmetic and conversions.
  'self.n + 1', 'self.n * self.n - self.n / 2 % 3', '-self.n', '-self.d', 'self.d + 1.0', 'self.s + self.s', 'self.s5 + self.s5', "self.s5 + 'abc' + self.color", '(self.s5 + self.s5) == self.s', 'self.data + self.data9', 'self.list + self.list3', '(self.list3 + self.list3).all(x, x == self.s)', "([self.s5] + [self.color]).all(x, x == self.s)", '([self.s] + self.list3).size()', 'self.when + self.wait', 'self.when - self.when', 'self.wait + self.wait', "self.port + self.port",
  'string(self.n)', 'string(self.data)', 'string(self.data9) == self.s', 'bytes(self.s)', 'bytes(self.s5) == self.data', 'int(self.s)', 'uint(self.n)', 'double(self.s)', 'bool(self.s)', 'duration(self.s)', 'timestamp(self.s)', 'string(self.when)', 'string(self.port)', "int('1')", "duration('1h')", 'size(self.s)', 'self.s.size()', 'self.list.size()', 'size(self.map)', 'size(self.data)', 'size(dyn(self.s))',
  'self.when.getFullYear()', "self.when.getHours('Europe/Berlin')", 'self.wait.getSeconds()', "self.when.getDayOfWeek(self.s)",
  // Texts.
  'self.s.startsWith(self.s)', "self.s.startsWith('abcdefghijklmnopqrst')", "self.s5.endsWith(self.s)", 'self.s.contains(self.s)', "self.s5.contains('abcdefghijk')", 'self.color.contains(self.s5)', "self.s.matches('^[a-z0-9]{1,20}$')", 'self.s5.matches(self.s5)', "matches(self.s, 'x')", "self.port.matches('abcdefghijk')", 'self.port8.startsWith(self.s5)',
  'self.s.charAt(1)', "self.s.indexOf('x')", "self.s5.indexOf(self.s, 1)", "self.s.lastIndexOf('x')", 'self.list.join()', "self.list3.join(', ')", 'self.list3s.join(self.s5)', 'self.list3.join(self.s) == self.s', "self.lists[0].join('-')", "self.list3.map(x, x + 'ab').join(',')", "[self.s5, 'abc'].join(self.s5) == self.s", "['a', 'bcd'].join('-')", 'self.s.lowerAscii()', 'self.s5.upperAscii() == self.s', 'self.s5.trim() == self.s', 'self.s5.substring(1) == self.s', 'self.s5.substring(1, 2)', "self.s.replace('a', 'b')", "self.s5.replace('', 'xyz') == self.s", "self.s5.replace('ab', 'c') == self.s", "self.s5.replace('a', 'bcd') == self.s", 'self.s5.replace(self.s, self.s5) == self.s', 'self.s5.replace(self.s5, self.s0) == self.s', "self.s5.replace(self.color, 'q', 2) == self.s", "self.s.replace('', self.s) == self.s", "self.s0.replace('a', 'bcd') == self.s", "'abcdef'.replace('ab', 'x') == self.s", "'abcdef'.replace('b', 'xyz') == self.s", "'abcdef'.replace('', '') == self.s", "self.s.split(',')", "self.s5.split(',').all(x, x == self.s5)", "self.s5.split(',', 2).all(x, x == self.s)", "self.s.split(',', self.n).size()", "self.s.split(',', -1).all(x, true)", "self.s5.split('') == self.list", "'a,b'.split(',').map(x, x.size())", "'%s %d'.format([self.s, self.n])", "self.s.format([1])", "self.s5.format([self.s]) == self.s", 'strings.quote(self.s)', 'strings.quote(self.s5) == self.s', 'strings.quote(self.s) == self.s', "self.s5.find('[0-9]+')", "self.s.find('[0-9]+') == self.s5", "self.s5.find(self.s5) == self.s", "self.s.findAll('[a-z]').all(x, x == 'a')", "self.s5.findAll('[a-z]', 2) == self.list", "'abc'.findAll(self.s5)",
  // Lists and sets.
  'self.list.isSorted()', 'self.list3.isSorted()', 'self.ints.isSorted()', 'self.ints4.sum()', 'self.doubles4.sum()', 'self.waits4.sum()', 'self.ints4.max()', 'self.list3.max() == self.s', 'self.times4.min()', 'self.bytes4.max()', 'self.list.indexOf(self.s)', 'self.list3.lastIndexOf(self.s5)', 'self.ints4.indexOf(1)', '[1, 2].sum()', "['a', self.s].min()", 'self.objects.map(o, o.name).isSorted()', 'self.objects.map(o, o.name).max() == self.s', 'self.port.indexOf(\'x\')', 'self.lists[0].isSorted()',
  'self.list.slice(1, 3)', 'self.list3.slice(self.n, 2).all(x, x == self.s)', 'self.list3.slice(1, self.n) == self.list', 'self.list.slice(2, self.n)', 'self.ints4.slice(0, 2).sum()', 'self.lists.flatten()', 'self.lists.flatten() == self.list', 'self.lists.flatten(3)', 'self.open.flatten().all(x, x == self.s5)', 'self.lists.flatten(self.n)', 'lists.range(5)', 'lists.range(self.n)', 'lists.range(5).all(x, x > 1)', 'lists.range(-1)', 'self.list.reverse()', 'self.list3.reverse() == self.list', 'self.list3.distinct()', 'self.list.distinct()', 'self.list3.distinct() == self.list', 'self.ints4.sort()', 'self.list3.sort() == self.list', 'self.list.sort()', 'self.bytes4.sort()', 'self.objects.sortBy(o, o.name)', 'self.objects.sortBy(o, o.list.size())', "self.objects.sortBy(o, o.name).map(o, o.name).join(',')", '[3, 1].sort()', 'self.plenty.sortBy(o, o.size)', 'sets.contains(self.list3, self.list3)', 'sets.contains(self.list, [self.s])', 'sets.intersects(self.ints4, [1, 2])', 'sets.equivalent(self.list3, self.list)', 'self.list3.first()', 'self.list.last().orValue(self.s5) == self.s',
  // Kubernetes.
  'url(self.s)', 'url(self.s5) == url(self.s5)', "url('https://a').getHost()", "url(self.s).getQuery()['x']", "url(self.s5).getScheme() == self.s", 'isURL(self.s)', "(self.b ? url(self.s5) : url(self.s)) == url('http://x')", "url('http://x') == [url(self.s5)][0]", 'quantity(self.s)', 'quantity(self.s5) == quantity(self.s5)', 'quantity(self.s5) != quantity(self.s5)', 'isQuantity(self.s5)', 'quantity(self.s5).isGreaterThan(quantity(self.s))', "quantity(self.s5).add(1).sub(quantity('1')).asInteger()", 'quantity(self.s5).asApproximateFloat()', "sign(quantity('1'))", "quantity('1').isInteger()", "quantity('1').compareTo(quantity(self.s5))", "quantity('1').isLessThan(quantity('2'))",
  'ip(self.s)', 'ip(self.s5) == ip(self.s5)', 'isIP(self.s)', 'ip.isCanonical(self.s5)', 'ip(self.ip4).family()', "ip('::1').isLoopback()", "ip('::1').isUnspecified() || ip('::1').isLinkLocalUnicast() || ip('::1').isLinkLocalMulticast() || ip('::1').isGlobalUnicast()", 'cidr(self.s5)', 'cidr(self.s5) == cidr(self.s)', 'isCIDR(self.s)', 'cidr(self.s5).containsIP(self.s)', 'cidr(self.s5).containsIP(ip(self.s5))', 'cidr(self.s5).containsCIDR(self.s5)', 'cidr(self.s5).containsCIDR(cidr(self.s5))', 'cidr(self.s5).masked().prefixLength()', 'cidr(self.s5).ip()', 'string(ip(self.s5)) == self.s', 'string(cidr(self.s5))',
  "format.dns1123Label().validate(self.s)", 'format.uuid().validate(self.s5).hasValue()', "format.named(self.s).hasValue()", 'format.uuid() == format.date()', 'format.named(self.s5).value().validate(self.s5).orValue([]) == self.list', 'semver(self.s)', 'semver(self.s5, true) == semver(self.s5)', 'isSemver(self.s5)', 'isSemver(self.s, self.b)', 'semver(self.s5).isLessThan(semver(self.s5))', "semver('1.2.3').major() + semver('1.2.3').minor() + semver('1.2.3').patch()", "semver('1.2.3').compareTo(semver('1.2.4'))", "semver('1.2.3').isGreaterThan(semver('1.2.4'))",
  // Loops.
  'self.list.all(x, true)', 'self.list.all(x, x == self.s)', 'self.list3.all(x, x == self.s)', 'self.list.exists(x, x == \'a\')', 'self.list3.exists(x, x.startsWith(self.s5))', 'self.list3.exists_one(x, x == self.s5)', 'self.list3.existsOne(x, x == self.s5)', 'self.list3.map(x, x)', 'self.list3.map(x, x.size() > 1, x + x)', 'self.list3.filter(x, x == self.s)', 'self.list3.filter(x, x == self.s5).all(y, y == self.s)', 'self.list3.map(x, x + x).all(y, y == self.s)', 'self.objects.map(o, o.list).all(l, l.all(x, x == self.s))', 'self.objects.filter(o, o.name == self.s5).all(o, o.list.all(x, x == o.name))', 'self.map.all(k, k == self.s)', 'self.map2.all(k, self.map2[k] == self.s)', 'self.map2.exists(k, self.map[k].size() > 1)', 'self.maps.all(a, self.maps[a].all(b, self.maps[a][b].all(c, c > 1)))', 'self.objects.all(a, self.objects.all(b, a.name == b.name))', 'self.objects.all(o, o.other.exists(x, x == o.name))', 'self.objects.all(o, o.inner.deep.all(x, x.a == x.b && x.c > 1))', 'self.plenty.all(x, self.plenty.exists(y, x.name == y.name))', 'self.plenty.map(x, x.size).sum()', 'self.lists.all(l, l.all(x, x == self.s5))', 'self.open.all(l, l.all(x, x == self.s5))', "[1, 2, 3].all(x, x > 1)", "['a', 'bc'].all(x, x == self.s)", "[self.s5, self.s].exists(x, x == self.color)", "{'a': 'b', 'cd': 'efg'}.all(k, k == self.s)", "{'a': self.s5}.map(k, k + k)", '[[1], [2, 3]].all(x, x.all(y, y == 1))', "[self.list3, self.list].all(l, l.exists(x, x == self.s))", '[].all(x, x == 1)', 'self.ports4.all(p, p == 1)', 'self.ports4.exists(p, p == self.s)', 'dyn(self.list3).all(x, x == self.s)', 'self.port.all(x, x == 1)',
  'self.list3.all(i, x, i < 2 && x == self.s)', 'self.list.exists(i, x, x == self.s5 && i == 0)', 'self.map2.exists_one(k, v, k == v)', 'self.map2.all(k, v, k == self.s && v == self.s)', 'self.list3.transformList(i, x, x + x)', 'self.map2.transformList(k, v, v == self.s, k + v)', 'self.map2.transformMap(k, v, v + v)', 'self.map2.transformMap(k, v, v == self.s5, v).all(k, k == self.s)', 'self.list3.transformMap(i, x, x).all(k, v, v == self.s)', 'self.list3.transformMapEntry(i, x, {x: i})', 'self.map2.transformMapEntry(k, v, v == self.s, {v: k}).size()', "{'a': 1, 'b': 2}.transformMap(k, v, v + 1)", '[1, 2].transformList(i, x, i + x)', 'self.lists.all(i, l, l.all(j, x, x == self.s))', 'self.maps.all(k, v, v.all(k2, v2, v2.all(x, x > 1)))',
  // Paths that share their memory.
  'self.object.b.c.d.all(x, x.e.all(y, x.f == y.g))', 'self.object.b.c.d.all(x, x.e.all(y, y.g == x.f && y.h == x.f))', 'self.object.b.c.d.all(x, x.f == x.f && x.e.exists(y, y.g == x.f))', 'self.objects.all(x, x.list.all(y, x.name == y) && x.other.all(y, y == x.name))', 'self.objects.all(x, x.inner.deep.all(y, x.name == y.a || x.list.exists(z, z == y.b)))', 'self.objects.all(x, [x.name, x.list.join()].all(t, t == x.name))', 'self.objects.all(x, sets.contains(x.list, x.other))', "self.objects.all(x, x.list.join(x.name) == x.other.join(x.name))", 'self.objects.map(x, {x.name: x.list}).all(m, m.all(k, m[k] == self.list))',
  // Optionals.
  'self.?s', 'self.?s.orValue(\'x\')', 'self.?s5.orValue(self.s) == self.s', 'self.?list3.orValue([]).all(x, x == self.s)', "self.map[?'x'].hasValue()", 'self.list[?0].orValue(self.s5)', 'self.?object.b.c.hasValue()', 'self.?object.?b.?c.?d[0].f.orValue(\'\') == self.s', 'self.?s5.optMap(x, x + x).orValue(self.s) == self.s', 'self.?s5.optFlatMap(x, optional.of(x)).hasValue()', 'self.?list3.optMap(l, l.all(x, x == self.s)).orValue(true)', 'self.?n.optMap(x, x + 1) == optional.of(1)', 'optional.of(self.n) == optional.none()', 'optional.of(self.s).or(self.?s5).value() == self.s', 'optional.ofNonZeroValue(self.s5).hasValue()', '[?self.?s, self.s5].all(x, x == self.s)', "{?'a': self.?s}.size()", '[self.?s, self.?s5].unwrapOpt().all(x, x == self.s)', 'optional.unwrap([self.?n]).sum()', 'self.?list3.value().first().value() == self.s',
  // oldSelf is taken for self.
  'oldSelf.s5 == self.s', 'oldSelf.list3.all(x, x in self.list)', 'oldSelf.objects.all(o, self.objects.exists(n, n.name == o.name))',
]; // prettier-ignore

/** A rule has to be a bool. */
const estimateRule = (part: string): string => `type(${part}) == int`;

const withRules = (schema: object, ...rules: (string | object)[]): object => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const estimated = (title: string, spec: object, ...rules: (string | object)[]): RuleQuestion => ({
  title,
  schema: fieldsOf({ spec: withRules(spec, ...rules) }),
  estimate: true,
});

const defined = (title: string, schema: object): RuleQuestion => ({ title, schema, estimate: true });
/** A rule whose cost grows with the square of a text's length. */
const twice = 'self.contains(self)';

/** Where rules stand, how often their values can be there, and what they cost together. */
const DEFINITIONS: readonly RuleQuestion[] = [
  defined('a rule at the limit', fieldsOf({ spec: withRules(fieldsOf({ s: { ...text, maxLength: 7905 } }), 'self.s.contains(self.s)') })),
  defined('a rule just above the limit', fieldsOf({ spec: withRules(fieldsOf({ s: { ...text, maxLength: 8000 } }), 'self.s.contains(self.s)') })),
  ...[7906, 7907, 9000, 9681, 9682, 9683, 11_180, 11_185, 12_000, 30_000, 79_000, 79_056, 79_060, 80_000].map((maxLength) =>
    defined(`a text of ${maxLength} characters`, fieldsOf({ spec: withRules({ ...text, maxLength }, twice) })),
  ),
  ...[1.5, 2, 2.25, 2.75, 4.25, 7.35, 99.95, 100, 100.000_001].map((factor) =>
    defined(`a factor of ${factor}`, fieldsOf({ spec: withRules(listOf(whole, Math.floor((factor * 10_000_000 - 4) / 4)), 'self.all(x, true)') })),
  ),
  defined('a cost in a tie', fieldsOf({ spec: withRules(listOf(whole, 22_500_000 - 11), '[self].all(x, x == x) && 1 in self') })),
  defined('nested lists with bounds', fieldsOf({ spec: fieldsOf({ a: listOf(fieldsOf({ b: listOf(withRules(short, twice), 100) }), 100) }) })),
  defined('nested lists without bounds', fieldsOf({ spec: fieldsOf({ a: listOf(fieldsOf({ b: listOf(withRules(short, twice)) })) }) })),
  defined('a list without a bound around one with a bound', fieldsOf({ spec: fieldsOf({ a: listOf(fieldsOf({ b: listOf(withRules(text, 'self.size() > 1'), 3) })) }) })),
  defined('nested maps', fieldsOf({ spec: fieldsOf({ a: mapOf(mapOf(withRules(whole, 'self > 1'), 1000), 1000) }) })),
  defined('a map without a bound', fieldsOf({ spec: fieldsOf({ a: mapOf(withRules(whole, 'self > 1 && self < 9 && self != 5')) }) })),
  defined('required fields make values larger', fieldsOf({ spec: fieldsOf({ a: listOf(withRules(fieldsOf({ name: text, size: whole, on: { type: 'boolean' }, when: { ...text, format: 'date-time' }, map: mapOf(text), list: listOf(text), port: { 'x-kubernetes-int-or-string': true } }, { required: ['name', 'size', 'on', 'when', 'map', 'list', 'port', 'none'] }), 'self.name != self.when.getFullYear().format([])', 'self.size > 1', '[1,2,3,4,5,6,7,8,9,10].all(x, x > self.size)')) }) })),
  defined('fields with a default need not be sent', fieldsOf({ spec: fieldsOf({ a: listOf(withRules(fieldsOf({ name: { ...text, default: 'x' }, size: { ...whole, default: 0 }, note: { ...text, nullable: true } }, { required: ['name', 'size', 'note'] }), '[1,2,3,4,5,6,7,8,9,10].all(x, x > self.size)')) }) })),
  defined('an object that preserves unknown fields', fieldsOf({ spec: fieldsOf({ a: listOf(withRules({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { n: whole } }, '[1,2,3].all(x, x > self.n)')) }) })),
  defined('additionalProperties that are anything', fieldsOf({ spec: fieldsOf({ a: { type: 'object', additionalProperties: true }, b: { type: 'object', additionalProperties: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }, { 'x-kubernetes-validations': [{ rule: 'self.b.all(k, k == k)' }, { rule: 'has(self.a)' }] }) })),
  defined('rules at the root', withRules(fieldsOf({ spec: fieldsOf({ s: text }) }), 'self.metadata.name == self.spec.s', 'self.metadata.name.contains(self.kind)', 'self.metadata.generateName.startsWith(self.apiVersion)')),
  defined('a root that bounds its names', withRules(fieldsOf({ kind: short, apiVersion: short, metadata: fieldsOf({ name: short, generateName: short }), spec: fieldsOf({}) }), 'self.metadata.name.contains(self.kind)', 'self.metadata.generateName.contains(self.apiVersion)')),
  defined('a root that bounds one name', withRules(fieldsOf({ metadata: fieldsOf({ name: short }), spec: fieldsOf({}) }), 'self.metadata.name.contains(self.metadata.name)')),
  defined('an embedded object', fieldsOf({ spec: fieldsOf({ list: listOf(withRules({ type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: fieldsOf({ s: short }) } }, 'self.metadata.name.contains(self.spec.s)', 'self.kind.contains(self.apiVersion)'), 5) }) })),
  defined('a message that costs too much', fieldsOf({ spec: withRules(fieldsOf({ l: listOf(text) }), { rule: 'true', messageExpression: "self.l.map(x, x + x).join(',')" }, { rule: 'true', messageExpression: 'string(self.l.exists(x, self.l.exists(y, x == y)))' }) })),
  defined('a message is counted once', fieldsOf({ spec: fieldsOf({ l: listOf(withRules(fieldsOf({ s: text }), { rule: 'true', messageExpression: 'self.s + self.s' })) }) })),
  defined('a rule that does not compile costs nothing', fieldsOf({ spec: withRules(fieldsOf({ l: listOf(text) }), 'self.nope.all(x, x == x)', 'self.l.all(x, self.l.all(y, x == y))', { rule: 'true', messageExpression: 'self.nope' }, { rule: 'self.l', messageExpression: 'self.l.join()' }) })),
  defined('five expensive rules', fieldsOf({ spec: withRules(listOf({ ...text, maxLength: 1000 }, 11), ...[9, 7, 11, 8, 10].map((count) => `self.all(x, [${'1,'.repeat(count)}].all(y, x.contains(x)))`)) })),
  defined('many cheap rules', fieldsOf({ spec: withRules(listOf(whole, 100_000), ...Array.from({ length: 300 }, (_, index) => `self.all(x, x > ${index})`)) })),
  defined('too many cheap rules', fieldsOf({ spec: withRules(listOf(whole, 200_000), ...Array.from({ length: 130 }, () => 'self.all(x, x > 1)')) })),
  defined('a product that is too large for 64 bits', fieldsOf({ spec: withRules(fieldsOf({ l: listOf(text) }), 'self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, self.l.all(e, a == b && c == d)))))') })),
  defined('a negative bound', fieldsOf({ spec: withRules(fieldsOf({ l: listOf(text, 0), m: mapOf(text, 0), s: { ...text, maxLength: 0 } }), 'self.l.all(x, x.contains(x))', 'self.m.all(k, self.m[k] == self.s)') })),
  defined('bounds inside of allOf do not count', fieldsOf({ spec: withRules({ ...fieldsOf({ l: { ...listOf(text), allOf: [{ maxItems: 3 }] } }), anyOf: [{ required: ['l'] }, { properties: { l: { maxItems: 2 } } }], oneOf: [{ properties: { l: { maxItems: 1 } } }], not: { properties: { l: { minItems: 9 } } } }, 'self.l.all(x, x == x)') })),
  defined('optionalOldSelf', fieldsOf({ spec: withRules(fieldsOf({ l: listOf(short, 5), s: text }), { rule: 'oldSelf.hasValue() && oldSelf.value().l.all(x, x in self.l)', optionalOldSelf: true }, { rule: 'oldSelf.optMap(o, o.s == self.s).orValue(true)', optionalOldSelf: true }, { rule: 'oldSelf.?l.orValue([]).all(x, x == self.s)', optionalOldSelf: true }) })),
  defined('oldSelf in a keyed list', fieldsOf({ spec: fieldsOf({ l: { ...listOf(withRules(fieldsOf({ name: short, s: text }, { required: ['name'] }), 'self.s == oldSelf.s')), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] } }) })),
  defined('a rule at every level', fieldsOf({ spec: withRules(fieldsOf({ a: withRules(listOf(withRules(fieldsOf({ b: withRules(mapOf(withRules(text, twice)), 'self.all(k, self[k].size() > 1)') }), 'self.b.size() > 1')), 'self.all(x, x.b.all(k, k == k))') }), 'self.a.size() > 1') })),
  defined('the list is the value itself', fieldsOf({ spec: withRules(listOf(text), "'a,b'.split(',').all(x, x == 'abc')", '[self, self].all(x, x.size() > 1)', 'self.all(x, x == x)') })),
  defined('the text is the value itself', fieldsOf({ spec: withRules({ ...text, maxLength: 9 }, "'a,b'.split(',').all(x, x == self)", "[1, 2].all(x, 'abc'.contains(string(x)))", 'self.matches(self)') })),
]; // prettier-ignore

export const ESTIMATE_QUESTIONS: readonly RuleQuestion[] = [
  ...PARTS.map((part) => estimated(part, ESTIMATE_SCHEMA, estimateRule(part))),
  ...DEFINITIONS,
];
