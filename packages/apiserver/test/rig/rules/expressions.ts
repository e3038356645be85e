/** Expressions about one object, each a rule at its root: what the language and its libraries do. */

const text = { type: 'string' };
const whole = { type: 'integer' };
const texts = { type: 'array', items: text };

/** A schema with a field of every type. */
export const SPEC_SCHEMA = {
  type: 'object',
  properties: {
    name: { ...text, maxLength: 20 },
    count: whole,
    ratio: { type: 'number' },
    on: { type: 'boolean' },
    when: { ...text, format: 'date-time' },
    day: { ...text, format: 'date' },
    wait: { ...text, format: 'duration' },
    data: { ...text, format: 'byte' },
    port: { 'x-kubernetes-int-or-string': true },
    tags: { ...texts, maxItems: 10 },
    set: { ...texts, 'x-kubernetes-list-type': 'set', maxItems: 10 },
    numbers: { type: 'array', items: whole, maxItems: 10 },
    labels: { type: 'object', additionalProperties: text, maxProperties: 10 },
    items: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: text, size: whole, note: { ...text, nullable: true } } },
    },
    inner: { type: 'object', properties: { 'dash-ed': text, namespace: text, __both: text, 'a.b/c': text, deep: { type: 'object', properties: { x: whole } } } },
    missing: text,
    nothing: { ...text, nullable: true },
    raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
} as const; // prettier-ignore

export const SPEC = {
  name: 'Grüße 😀',
  count: 7,
  ratio: 2.5,
  on: true,
  when: '2026-03-04T05:06:07.89+01:00',
  day: '2026-03-04',
  wait: '1h30m',
  data: 'aGVsbG8=',
  port: 'http',
  tags: ['a', 'b', 'c'],
  set: ['x', 'y'],
  numbers: [3, 1, 2],
  labels: { app: 'web', 'example.com/tier': 'front' },
  items: [
    { name: 'one', size: 1 },
    { name: 'two', size: 2, note: null },
  ],
  inner: { 'dash-ed': 'd', namespace: 'ns', __both: 'u', 'a.b/c': 'p', deep: { x: 1 } },
  nothing: null,
  raw: { anything: 1 },
} as const;

/** Each is evaluated with `self` as the spec. */
export const EXPRESSIONS: readonly string[] = [
  // Arithmetic and comparison.
  'self.count + 1 == 8', 'self.count - 10 == -3', 'self.count * 3 / 2 == 10', '-self.count / 2 == -3', 'self.count % 4 == 3', '-7 % 4 == -3',
  'self.count / 0 == 1', 'self.count % 0 == 1', '9223372036854775807 + self.count > 0', '-9223372036854775808 - self.count < 0',
  'self.ratio * 2.0 == 5.0', 'self.ratio / 0.0 > 1.0', 'self.count > 6.5', 'self.ratio >= 2', '2u < 3u', '1u - 2u == 0u', '5u / 0u == 1u', '2 < 3u && 3u > 2.5',
  'self.count == 7.0', 'dyn(7) == 7.0 && dyn(7u) == 7', 'self.count != 8', 'true > false', "'a' < 'b' && 'a' <= 'a'", "b'a' < b'b'", '0x1F == 31 && 1e3 == 1000.0 && .5 == 0.5',
  "'x' + 'y' == 'xy'", '[1] + [2] == [1, 2]', "b'ab' + b'c' == b'abc'", '-(-3) == 3', '!!true', '--self.count == 7', '!self.on',
  'self.count == 7 ? self.on : false', 'self.count > 7 || self.on', 'self.count > 7 && self.on', "(self.count / 0 == 1) || self.on", "self.on || (self.count / 0 == 1)",
  "(self.count / 0 == 1) && !self.on", '(self.count / 0 == 1) && self.on', '(self.count / 0 == 1) || (self.count % 0 == 1)',
  // Types of literals, and texts.
  "'\\u00fc\\n\\x41\\101' == 'ü\\nAA'", "r'\\d' == '\\\\d'", '"""a"b""" == \'a"b\'', "b'\\xff'.size() == 1", "size('😀') == 1", "size(b'😀') == 4", 'size(self.name) == 7',
  "self.name.size() == 7 && self.tags.size() == 3 && size(self.labels) == 2", "self.name.startsWith('Gr') && self.name.endsWith('😀')", "self.name.contains('üß')",
  "self.name.matches('^Gr.+')", "matches(self.name, '[0-9]')", "'abc'.matches('a(b|x)c$')", "self.name.matches(self.tags[0])",
  'type(self.count) == int', 'type(self) == map', "type(self.port) == string", 'type(1u) == uint && type(1.0) == double && type([]) == list && type({}) == map', 'type(null) == null_type', 'type(type(1)) == type',
  "int('12') == 12", "int('x') == 1", "int(2.9) == 2 && int(-2.9) == -2", 'int(1e19) == 1', "int('99999999999999999999') == 1", 'uint(7) == 7u', 'uint(-1) == 1u', "uint('-1') == 1u", "double('1.5') == 1.5", "double('x') == 1.0",
  "string(12) == '12'", "string(1.0) == '1'", "string(1e21) == '1e+21'", "string(0.00001) == '1e-05'", "string(true) == 'true'", "string(b'hi') == 'hi'", "string(b'\\xff') == ''", "bool('true') && !bool('f')", "bool('maybe')", "bytes('hi') == b'hi'",
  // Fields.
  'has(self.name)', 'has(self.missing)', '!has(self.missing)', "self.missing == 'x'", 'has(self.nothing)', 'self.nothing == null', 'dyn(self.nothing) == null', 'has(self.inner.deep.x)', 'self.inner.deep.x == 1',
  "self.inner.dash__dash__ed == 'd'", "self.inner.__namespace__ == 'ns'", "self.inner.namespace == 'ns'", "self.inner.__underscores__both == 'u'", "self.inner.a__dot__b__slash__c == 'p'",
  "self.labels['app'] == 'web'", "self.labels.app == 'web'", "self.labels['none'] == 'x'", "'app' in self.labels", "'none' in self.labels", "has(self.labels.app) && !has(self.labels.none)", "self.labels['example.com/tier'] == 'front'",
  "self.tags[0] == 'a'", 'self.tags[3] == \'x\'', 'self.tags[-1] == \'x\'', "'b' in self.tags", "self.tags == ['a', 'b', 'c']", "self.tags == ['b', 'a', 'c']", "self.set == ['y', 'x']", "self.set + ['x', 'z'] == ['z', 'y', 'x']", "(self.tags + ['a']).size() == 4",
  "self.items[1].name == 'two'", 'self.items[1].note == null', 'has(self.items[0].note)', 'has(self.items[1].note)', "self.items.exists(i, i.name == 'two' && i.size == 2)", "self.items == self.items", "self.port == 'http'", 'self.port > 5', "self.port.startsWith('h')", 'self.port + 1 == 2', 'type(self.port) == int ? self.port < 5 : self.port.size() == 4',
  'self.raw.anything == 1', 'has(self.raw)', 'self.inner == self.inner.deep', 'self == self',
  // Macros.
  'self.tags.all(t, t.size() == 1)', "self.tags.exists(t, t == 'z')", "self.tags.exists_one(t, t == 'a')", "self.numbers.filter(n, n > 1) == [3, 2]", 'self.numbers.map(n, n * 2) == [6, 2, 4]', 'self.numbers.map(n, n > 1, n * 2) == [6, 4]', "self.labels.all(k, self.labels[k] != '')", "self.labels.map(k, k).exists(k, k == 'app')",
  'self.numbers.all(n, 6 / (n - 1) > 0)', 'self.numbers.exists(n, 6 / (n - 1) > 2)', 'self.numbers.exists(n, 6 / (n - 1) > 9)', 'self.numbers.exists_one(n, 6 / (n - 1) == 3)', '[].all(x, false)', '[].exists(x, true)', 'self.tags.all(i, self.numbers.exists(n, n == 1))', '[[1, 2], [3]].all(l, l.exists(x, x > 2 || x == 1))',
  'self.tags.all(i, v, i < 3 && v != \'\')', "self.labels.exists(k, v, k == 'app' && v == 'web')", "self.labels.existsOne(k, v, v == 'web')", "self.numbers.transformList(i, v, i + v) == [3, 2, 4]", 'self.numbers.transformList(i, v, v > 1, v) == [3, 2]', "self.labels.transformMap(k, v, v.size())['app'] == 3", "self.labels.transformMapEntry(k, v, {v: k})['web'] == 'app'", "['a', 'a'].transformMapEntry(i, v, {v: i}).size() == 1",
  '{1: 2, 3: 4}[3] == 4', "{'a': 1}.a == 1", "{'a': 1, 'a': 2}.size() == 2", '{1: 1}.exists(k, k == 1)', "[1, 2, 3].map(x, [x, x]).all(p, p[0] == p[1])",
  // Optionals.
  "self.?missing.orValue('none') == 'none'", "self.?name.hasValue()", 'self.?missing.value() == \'x\'', "self.labels[?'none'].orValue('d') == 'd'", "self.tags[?9].orValue('d') == 'd'", "self.?inner.?deep.?x.orValue(0) == 1", "self.?inner.deep.x.optMap(v, v + 1).orValue(0) == 2", "optional.of(1).optFlatMap(v, optional.of(v + 1)).value() == 2", 'optional.none().hasValue()', "optional.ofNonZeroValue('').hasValue()", "optional.none().or(optional.of(2)).value() == 2", '[?optional.of(1), ?optional.none()].size() == 1', "{?'a': optional.none()}.size() == 0", 'self.tags.first().value() == \'a\' && self.tags.last().value() == \'c\'',
  // Times.
  "self.when == timestamp('2026-03-04T04:06:07.89Z')", 'self.when.getFullYear() == 2026 && self.when.getMonth() == 2 && self.when.getDate() == 4', 'self.when.getHours() == 4', "self.when.getHours('+02:00') == 6", "self.when.getHours('America/New_York') == 23", "self.when.getDayOfWeek() == 3 && self.when.getDayOfYear() == 62 && self.when.getDayOfMonth() == 3", 'self.when.getMilliseconds() == 890', "self.when.getHours('Nowhere/None') == 1", "self.day == timestamp('2026-03-04T00:00:00Z')",
  "self.wait == duration('90m')", 'self.wait.getMinutes() == 90 && self.wait.getHours() == 1 && self.wait.getSeconds() == 5400', "self.wait > duration('1h')", "self.when + self.wait > self.when", "self.when - self.when == duration('0')", "string(self.wait) == '5400s'", "string(timestamp('2026-03-04T05:06:07+01:00')) == '2026-03-04T05:06:07+01:00'", "duration('1.5s').getMilliseconds() == 1500", "string(duration('-1ms')) == '-0.001s'", 'int(self.when) > 0', "self.data == b'hello'", 'self.data.size() == 5',
  // Strings.
  "'abc'.charAt(1) == 'b'", "'abc'.charAt(3) == ''", "'abc'.charAt(4) == ''", "'abcabc'.indexOf('c') == 2 && 'abcabc'.indexOf('c', 3) == 5 && 'abc'.indexOf('z') == -1", "'abcabc'.lastIndexOf('c') == 5 && 'abcabc'.lastIndexOf('c', 4) == 2", "'a,b,c'.split(',') == ['a', 'b', 'c']", "'a,b,c'.split(',', 2) == ['a', 'b,c']", "'a,b,c'.split(',', 0) == []", "['a', 'b'].join('-') == 'a-b' && ['a', 'b'].join() == 'ab'", "'AbÜ'.lowerAscii() == 'abÜ' && 'abü'.upperAscii() == 'ABü'", "'aXbX'.replace('X', '-') == 'a-b-'", "'aXbX'.replace('X', '-', 1) == 'a-bX'", "'abc'.substring(1) == 'bc' && 'abc'.substring(0, 1) == 'a'", "'abc'.substring(2, 1) == ''", "'abc'.substring(9) == ''", "' \\t x\\n'.trim() == 'x'", "'%s is %d, %.2f %t'.format(['a', 1, 1.5])", "'%s is %d, %.2f%%'.format(['a', 1, 1.5]) == 'a is 1, 1.50%'", "'%s'.format([[1, 'x']]) == '[1, x]'", "'%s'.format([self.tags]) == '[a, b, c]'", "'%x %X %o %b'.format([255, 255, 8, 5]) == 'ff FF 10 101'", "'%d'.format(['x']) == ''", "'%s %s'.format(['x']) == ''", "strings.quote('a\"b') == '\"a\\\\\"b\"'", "'%s'.format([{'b': 1, 'a': true}]) == '{a: true, b: 1}'",
  // Lists and sets.
  '[1, 2, 2].isSorted() && ![2, 1].isSorted()', '[1, 2].sum() == 3 && [1.5].sum() == 1.5', '[].sum() == 0', '[3, 1].min() == 1 && [3, 1].max() == 3', '[3, 1].filter(x, false).min() == 1', '[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(9) == -1', '[1, 2, 3, 4].slice(1, 3) == [2, 3]', '[1].slice(0, 2) == [1]', '[[1], [2]].flatten() == [1, 2]', '[3, 1, 2].sort() == [1, 2, 3]', "self.items.sortBy(i, -i.size)[0].name == 'two'", '[1, 1, 2].distinct() == [1, 2]', '[1, 2].reverse() == [2, 1]', 'lists.range(3) == [0, 1, 2]',
  'sets.contains([1, 2], [2])', 'sets.intersects([1], [2])', 'sets.equivalent([1, 2, 2], [2, 1])', "sets.contains(self.tags, ['a', 'z'])",
  // Regular expressions.
  "'a1b22'.find('[0-9]+') == '1'", "'a1b22'.findAll('[0-9]+') == ['1', '22']", "'a1b22'.findAll('[0-9]+', 1) == ['1']", "'abc'.find('x') == ''", "'aaa'.find('a+?') == 'a'", "'aaa'.find('a*') == 'aaa'", "'foobar'.find('foo|foobar') == 'foo'", "'abc'.findAll('') == ['', '', '', '']", "'2026-03-04'.find('[0-9]{2}$') == '04'",
  // Kubernetes.
  "isURL('https://a.example:8080/p?q=1#f')", "isURL('../x')", "url('https://u@a.example:8080/p%20q?a=1&a=2&b=#f').getHost() == 'a.example:8080'", "url('https://a.example:8080/p').getHostname() == 'a.example' && url('https://[::1]:80/').getHostname() == '::1'", "url('https://a/p?x=1&x=2').getQuery()['x'] == ['1', '2']", "url('https://a:1/p').getPort() == '1' && url('https://a').getScheme() == 'https' && url('https://a/p%20q').getEscapedPath() == '/p%20q'", "url('no url').getHost() == ''",
  "quantity('1Gi').isGreaterThan(quantity('1G'))", "quantity('1500m').compareTo(quantity('1.5')) == 0", "quantity('50k') == quantity('50000')", "quantity('1.5').isInteger()", "quantity('50k').asInteger() == 50000", "quantity('1.5').asInteger() == 1", "quantity('1.5').asApproximateFloat() == 1.5", "quantity('1k').add(quantity('1')).sub(1) == quantity('1000')", "isQuantity('1x') || !isQuantity('1Mi')", "quantity('1x').isInteger()", 'sign(quantity(\'-1\')) == -1',
  "isIP('10.0.0.1') && isIP('::1') && !isIP('10.0.0') && !isIP('::ffff:1.2.3.4')", "ip('10.0.0.1').family() == 4 && ip('fe80::1').isLinkLocalUnicast()", "ip('127.0.0.1').isLoopback() && ip('0.0.0.0').isUnspecified() && ip('8.8.8.8').isGlobalUnicast() && ip('224.0.0.1').isLinkLocalMulticast()", "ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')", "string(ip('2001:0db8:0:0::1')) == '2001:db8::1'", "ip('x').family() == 4", "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.1.2.3'))", "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').prefixLength() == 8", "string(cidr('10.1.2.3/8').ip()) == '10.1.2.3'", "isCIDR('10.0.0.0/33') || isCIDR('x')",
  "!format.dns1123Label().validate('abc').hasValue()", "format.dns1123Label().validate('ABC').value()[0].startsWith('a lowercase RFC 1123 label')", "format.named('uuid').hasValue() && !format.named('nope').hasValue()", "format.uuid().validate('x').orValue([]) == ['does not match the UUID format']", "!format.labelValue().validate('a_b').hasValue() && format.qualifiedName().validate('a/b/c').hasValue()", "!format.dns1123LabelPrefix().validate('abc-').hasValue()", "format.date().validate('2026-02-30').hasValue() && !format.datetime().validate('2026-02-03T04:05:06Z').hasValue()",
  "semver('1.2.3').isLessThan(semver('1.10.0'))", "semver('1.0.0-rc.1').compareTo(semver('1.0.0')) == -1", "isSemver('1.2') || !isSemver('1.2.3-a.1+b')", "semver('v1.2', true) == semver('1.2.0')", "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
  // Mistakes that the compiler finds.
  'self.nope == 1', 'nope == 1', 'self.count == \'x\'', 'self.count.startsWith(\'x\')', 'self.count && true', 'self.count', "self.name + 1 == 'x'", 'self.tags.all(t, t > 1)', 'self.tags.all(1, true)', 'self.count.all(x, true)', 'has(self)', 'size(1) == 1', '[1, \'x\'] == []', "{1: 2, 'a': 3} == {}", "self.labels.nope.x == 1", 'self.name ==', 'self..name', 'self.name == "x', 'self.name = 1', 'in == 1', 'if == 1', '(self.on', 'self.on)', '[1, 2', 'self.on ? true', "duration('x') == self.wait", "timestamp('x') == self.when", "'a'.matches('(') ", 'Widget{name: 1} == self', 'self.tags.map(t, t', 'self.numbers.sum() + self.tags.sum() == 1', 'self.tags.filter(t.x, true).size() == 1', 'authorizer.path(\'/x\').check(\'get\').allowed()', 'cel.bind(x, 1, x == 1)', 'self.tags.all(t, t, true)', '999999999999999999999 == 1', "'\\q' == 'q'", 'self.count > 1 && self.nope > 1 && self.none > 1', 'namespace == 1', 'a.b.c == 1', 'self.name.foo() == 1', 'foo.bar(1) == 1', '1 + + 1 == 2', 'self.items.all(i, i.nope == 1)', "self.items[0].size == 'x'", "self.missing.?x.hasValue()", 'math.greatest(1, 2) == 2',
]; // prettier-ignore
