import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KubeError } from '../../../src/core/errors.ts';
import {
  type LabelExpression,
  type LabelOperator,
  LabelSelector,
  type LabelSelectorSpec,
} from '../../../src/core/selector/selector.ts';

/** What a call threw, which must be a KubeError with INVALID_OPTION. */
function refusal(call: () => unknown): KubeError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(KubeError);
    expect((error as KubeError).code).toBe('INVALID_OPTION');
    return error as KubeError;
  }
  throw new Error('expected an INVALID_OPTION error, but the input was accepted');
}

// — what the property tests draw ——————————————————————————————————————————

interface Drawn {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

const letters = 'abcxyzABCXYZ0189'.split('');
const nameArb = fc
  .tuple(
    fc.constantFrom(...letters),
    fc.string({ unit: fc.constantFrom(...letters, '-', '_', '.'), maxLength: 61 }),
    fc.constantFrom(...letters),
  )
  .map(([first, inner, last]) => first + inner + last);
const prefixArb = fc
  .array(fc.constantFrom('a', 'io', 'k8s', 'x-y', '0'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('.'));
// Few keys and values, so that selectors and labels meet; some of the words are traps.
const keyArb = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'in', 'notin', 'constructor', 'toString', 'k8s.io/a', 'nothing') },
  { weight: 1, arbitrary: nameArb },
  { weight: 1, arbitrary: fc.tuple(prefixArb, nameArb).map(([prefix, name]) => `${prefix}/${name}`) },
);
const valueArb = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'a', 'b', 'in', 'notin', 'constructor') },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 12 }).map(String) },
  { weight: 1, arbitrary: nameArb },
);
const requirementArb: fc.Arbitrary<Drawn> = fc.oneof(
  fc.record({ key: keyArb, operator: fc.constantFrom('exists', '!'), values: fc.constant([]) }),
  fc.record({ key: keyArb, operator: fc.constantFrom('=', '!='), values: valueArb.map((value) => [value]) }),
  fc.record({
    key: keyArb,
    operator: fc.constantFrom('in', 'notin'),
    values: fc.uniqueArray(valueArb, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    key: keyArb,
    operator: fc.constantFrom('<', '>'),
    values: fc.integer({ min: 0, max: 12 }).map((bound) => [String(bound)]),
  }),
);
const labelsArb = fc.dictionary(
  fc.oneof({ weight: 6, arbitrary: keyArb }, { weight: 1, arbitrary: fc.constant('__proto__') }),
  fc.oneof({ weight: 6, arbitrary: valueArb }, { weight: 1, arbitrary: fc.constantFrom('-3', '+4', '5x', ' 6', '07') }),
  { maxKeys: 4 },
);

function write({ key, operator, values }: Drawn, space: string): string {
  if (operator === 'exists') return space + key;
  if (operator === '!') return `!${space}${key}`;
  const list = values.join(`${space},${space}`);
  if (operator === 'in' || operator === 'notin') return `${key} ${space}${operator}${space}(${space}${list}${space})`;
  return key + space + operator + space + list + space;
}

/** The meaning of a requirement, spelled out as slowly as the API's documentation does. */
function naive({ key, operator, values }: Drawn, labels: Record<string, string>): boolean {
  const value = new Map(Object.entries(labels)).get(key);
  if (operator === 'exists') return value !== undefined;
  if (operator === '!') return value === undefined;
  if (operator === '=' || operator === 'in') return value !== undefined && values.includes(value);
  if (operator === '!=' || operator === 'notin') return value === undefined || !values.includes(value);
  if (value === undefined || !/^[-+]?\d+$/.test(value)) return false;
  return operator === '<' ? Number(value) < Number(values[0]) : Number(value) > Number(values[0]);
}

function shown(selector: LabelSelector): unknown {
  return selector.requirements.map(({ key, operator, values }) => [key, operator, [...values]]);
}

describe('LabelSelector', () => {
  test('every form of requirement is read, and printed sorted by key with sorted values', () => {
    const selector = LabelSelector.parse('tier in (b,a),app=shop,!x,env!=prod,env notin (a),partition,n>5,n<7,z==1');
    expect(shown(selector)).toEqual([
      ['app', '=', ['shop']],
      ['env', 'notin', ['a']],
      ['env', '!=', ['prod']],
      ['n', '<', ['7']],
      ['n', '>', ['5']],
      ['partition', 'exists', []],
      ['tier', 'in', ['a', 'b']],
      ['x', '!', []],
      ['z', '=', ['1']],
    ]);
    expect(String(selector)).toBe('app=shop,env notin (a),env!=prod,n<7,n>5,partition,tier in (a,b),!x,z=1');
  });

  test.each([
    ['', ''],
    [' \t\r\n', ''],
    ['x=', 'x='],
    ['x= ,z= ', 'x=,z='],
    ['\rx', 'x'],
    ['! x', '!x'],
    ['foo  in\t (abc)', 'foo in (abc)'],
    ['x notin\n (abc)', 'x notin (abc)'],
    ['x in(a)', 'x in (a)'],
    ['x in ()', 'x in ()'],
    ['x in (abc,)', 'x in (,abc)'],
    ['x notin (abc,,def)', 'x notin (,abc,def)'],
    ['x in (b,a,b)', 'x in (a,b)'],
    ['notin=in', 'notin=in'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['notin', 'notin'],
    ['x=a,a=x', 'a=x,x=a'],
    ['0.1.2.domain/99 notin (10.10.100.1, tick.tack.clock)', '0.1.2.domain/99 notin (10.10.100.1,tick.tack.clock)'],
  ])('the text %j is accepted and printed as %j', (text, printed) => {
    expect(String(LabelSelector.parse(text))).toBe(printed);
  });

  test.each([
    ['x=a||y=b', 2, 'a label value'],
    ['x==a==b', 4, '"," or the end'],
    ['!x=a', 2, '"," or the end'],
    ['!!x', 1, 'a label key'],
    ['x,', 2, 'a label key'],
    [',x', 0, 'a label key'],
    ['x,,y', 2, 'a label key'],
    ['x y', 2, 'an operator'],
    ['x!y', 1, 'an operator'],
    ['x<a', 2, 'an integer'],
    ['x>', 2, 'an integer'],
    ['x>-1', 2, 'a label value'],
    ['x>9223372036854775808', 2, 'an integer'],
    ['x in', 4, '"("'],
    ['x in a', 5, '"("'],
    ['x in (a', 7, '"," or ")"'],
    ['x in (a b)', 8, '"," or ")"'],
    ['x in (a=b)', 7, '"," or ")"'],
    ['x in ((a))', 6, 'a label value'],
    ['x in (a)y', 8, '"," or the end'],
    ['x=a b', 4, '"," or the end'],
    ['x=)', 2, '"," or the end'],
    ['-x', 0, 'a label key'],
    ['x-=a', 0, 'a label key'],
    ['/x', 0, 'a label key'],
    ['a/', 0, 'a label key'],
    ['a/b/c', 0, 'a label key'],
    ['A.io/x', 0, 'a label key'],
    ['a..b/x', 0, 'a label key'],
    ['-a.b/x', 0, 'a label key'],
    ['a-.b/x', 0, 'a label key'],
    ['a.-b/x', 0, 'a label key'],
    ['a./x', 0, 'a label key'],
    ['a_b/x', 0, 'a label key'],
    ['__proto__', 0, 'a label key'],
    ['ключ', 0, 'a label key'],
    ['x=.a', 2, 'a label value'],
    ['x=a_', 2, 'a label value'],
    ['x=a/b', 2, 'a label value'],
    ['x=\0', 2, 'a label value'],
  ])('the text %j is refused at position %i, naming what was expected: %s', (text, position, expected) => {
    const { message } = refusal(() => LabelSelector.parse(text));
    expect(message).toContain(`expected ${expected}`);
    expect(message).toContain(`at position ${position}, got `);
  });

  test('lengths are those of the API: prefix 253, name 63, value 63', () => {
    const [prefix, name] = ['p'.repeat(253), 'n'.repeat(63)];
    expect(String(LabelSelector.parse(`${prefix}/${name}=${name}`))).toBe(`${prefix}/${name}=${name}`);
    refusal(() => LabelSelector.parse(`p${prefix}/x`));
    refusal(() => LabelSelector.parse(`${name}n`));
    refusal(() => LabelSelector.parse(`x/${name}n`));
    refusal(() => LabelSelector.parse(`x=${name}n`));
  });

  test('S36: a refused text is quoted in part and escaped', () => {
    const { message } = refusal(() => LabelSelector.parse(`x=\u001b]0;owned\u0007${'y'.repeat(1_000_000)}`));
    expect(message).toContain(String.raw`got "\u001b]0;owned\u0007`);
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(1_000);
  });

  test.each([
    ['x', { x: '' }, true],
    ['x', {}, false],
    ['!x', {}, true],
    ['!x', { x: '' }, false],
    ['x=a', { x: 'a', y: 'b' }, true],
    ['x=a', { x: 'b' }, false],
    ['x=a', {}, false],
    ['x==a', { x: 'a' }, true],
    ['x=', {}, false],
    ['x=', { x: '' }, true],
    ['x!=a', { x: 'b' }, true],
    ['x!=a', { x: 'a' }, false],
    ['x!=a', {}, true],
    ['x in (a,b)', { x: 'b' }, true],
    ['x in (a,b)', { x: 'c' }, false],
    ['x in ()', {}, false],
    ['x notin (a,b)', { x: 'c' }, true],
    ['x notin (a,b)', { x: 'a' }, false],
    ['x notin (a,b)', {}, true],
    ['x>5', { x: '6' }, true],
    ['x>5', { x: '5' }, false],
    ['x>5', {}, false],
    ['x>5', { x: '6a' }, false],
    ['x>5', { x: '' }, false],
    ['x>5', { x: '5.5' }, false],
    ['x>5', { x: '0x10' }, false],
    ['x<5', { x: '4' }, true],
    ['x<5', { x: '-4' }, true],
    ['x<5', { x: '-' }, false],
    ['x<5', { x: '0004' }, true],
    ['x<05', { x: '4' }, true],
    ['x<5', { x: '5' }, false],
    ['x>9007199254740992', { x: '9007199254740993' }, true],
    ['x>5', { x: '9223372036854775807' }, true],
    ['x>5', { x: '9223372036854775808' }, false],
    ['x<5', { x: '-9223372036854775808' }, true],
    ['x<5', { x: '-9223372036854775809' }, false],
    ['x=a,y=b', { x: 'a', y: 'b' }, true],
    ['x=a,y=b', { x: 'a', y: 'c' }, false],
    ['x!=a,x', { x: 'b' }, true],
    ['x!=a,x', {}, false],
  ])('%j on %j is %s', (text, labels, expected) => {
    expect(LabelSelector.parse(text).matches(labels as Record<string, string>)).toBe(expected);
  });

  test('S31: what a label map inherits is not a label', () => {
    for (const key of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      expect(LabelSelector.parse(key).matches({})).toBe(false);
      expect(LabelSelector.parse(`!${key}`).matches({})).toBe(true);
      expect(LabelSelector.parse(`${key}=v`).matches({ [key]: 'v' })).toBe(true);
    }
    const inherited = Object.create({ x: 'a' }) as Record<string, string>;
    expect(LabelSelector.parse('x=a').matches(inherited)).toBe(false);
    const hostile = JSON.parse('{"__proto__": {"x": "a"}, "y": "b"}') as Record<string, string>;
    expect(LabelSelector.parse('x').matches(hostile)).toBe(false);
    expect(LabelSelector.parse('y=b').matches(hostile)).toBe(true);
    refusal(() => LabelSelector.of(JSON.parse('{"__proto__": "x"}') as Record<string, string>));
  });

  test('labels that are missing altogether are no labels', () => {
    expect(LabelSelector.parse('!x').matches(undefined)).toBe(true);
    expect(LabelSelector.parse('x').matches(undefined)).toBe(false);
  });

  test('LIS-01: isNothing distinguishes the two, and nothing can be printed and parsed again', () => {
    const { everything, nothing } = LabelSelector;
    expect([everything.isEverything, everything.isNothing, everything.matches({}), String(everything)]).toEqual([
      true,
      false,
      true,
      '',
    ]);
    expect([nothing.isEverything, nothing.isNothing]).toEqual([false, true]);
    for (const labels of [{}, { nothing: '' }, { a: 'b' }]) {
      expect(nothing.matches(labels)).toBe(false);
      expect(LabelSelector.parse(String(nothing)).matches(labels)).toBe(false);
    }
    expect(LabelSelector.parse(String(nothing)).isNothing).toBe(true);
    expect(LabelSelector.parse('').isEverything).toBe(true);
    expect([LabelSelector.parse('a').isEverything, LabelSelector.parse('a').isNothing]).toEqual([false, false]);
  });

  test('of() takes a map of labels, a text or a selector', () => {
    const selector = LabelSelector.of({ tier: 'front', app: 'shop' });
    expect(String(selector)).toBe('app=shop,tier=front');
    expect(LabelSelector.of(selector)).toBe(selector);
    expect(String(LabelSelector.of('b,a'))).toBe('a,b');
    expect(LabelSelector.of({}).isEverything).toBe(true);
    const impossible: unknown[] = [
      undefined,
      null,
      5,
      ['a'],
      { app: 5 },
      { app: undefined },
      { 'a b': 'c' },
      { a: 'b,c' },
    ];
    for (const input of impossible) refusal(() => LabelSelector.of(input as string));
    refusal(() => LabelSelector.parse(5 as unknown as string));
  });

  test('from() takes the form inside API objects: empty is everything, missing is nothing', () => {
    const spec: LabelSelectorSpec = {
      matchLabels: { app: 'shop' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['b', 'a', 'b'] },
        { key: 'env', operator: 'NotIn', values: ['prod'] },
        { key: 'x', operator: 'Exists' },
        { key: 'y', operator: 'DoesNotExist', values: [] },
      ],
    };
    expect(String(LabelSelector.from(spec))).toBe('app=shop,env notin (prod),tier in (a,b),x,!y');
    expect(LabelSelector.from({}).isEverything).toBe(true);
    expect(LabelSelector.from(undefined).isNothing).toBe(true);
    expect(LabelSelector.from(null).isNothing).toBe(true);
  });

  test.each<[string, unknown]>([
    ['an operator of another kind', { key: 'x', operator: 'Gt', values: ['1'] }],
    ['an operator from the prototype', { key: 'x', operator: 'toString', values: ['1'] }],
    ['In without values', { key: 'x', operator: 'In', values: [] }],
    ['NotIn without values', { key: 'x', operator: 'NotIn' }],
    ['Exists with values', { key: 'x', operator: 'Exists', values: ['a'] }],
    ['DoesNotExist with values', { key: 'x', operator: 'DoesNotExist', values: ['a'] }],
    ['a bad key', { key: '-x', operator: 'Exists' }],
    ['no key', { operator: 'Exists' }],
    ['a bad value', { key: 'x', operator: 'In', values: ['a', 'b c'] }],
    ['a value that is no text', { key: 'x', operator: 'In', values: [1] }],
    ['values that are no list', { key: 'x', operator: 'In', values: 'abc' }],
    ['no expression at all', null],
  ])('from() refuses %s', (_, expression) => {
    refusal(() => LabelSelector.from({ matchExpressions: [expression as LabelExpression] }));
  });

  test('property: a selector parses to the same requirements, whatever the spacing', () => {
    fc.assert(
      fc.property(fc.array(requirementArb, { maxLength: 6 }), fc.constantFrom('', ' ', '\t\n'), (drawn, space) => {
        const selector = LabelSelector.parse(drawn.map((one) => write(one, space)).join(`${space},${space}`));
        const meant = drawn.map(({ key, operator, values }) => JSON.stringify([key, operator, values.toSorted()]));
        expect(
          selector.requirements.map((one) => JSON.stringify([one.key, one.operator, [...one.values]])).sort(),
        ).toEqual(meant.sort());
      }),
    );
  });

  test('property: parse(toString(x)) is x, whatever the order of requirements', () => {
    fc.assert(
      fc.property(fc.array(requirementArb, { maxLength: 6 }), fc.infiniteStream(fc.nat()), (drawn, dice) => {
        const selector = LabelSelector.parse(drawn.map((one) => write(one, '')).join(','));
        const again = LabelSelector.parse(String(selector));
        expect(again.requirements).toEqual(selector.requirements);
        expect(String(again)).toBe(String(selector));
        expect(again.isNothing).toBe(selector.isNothing);
        const keys = selector.requirements.map(({ key }) => key);
        expect(keys).toEqual(keys.toSorted());
        const shuffled = drawn.map((one) => ({ one, at: dice.next().value ?? 0 })).sort((a, b) => a.at - b.at);
        const other = LabelSelector.parse(shuffled.map(({ one }) => write(one, ' ')).join(','));
        expect(String(other)).toBe(String(selector));
      }),
    );
  });

  test('property: matching agrees with a naive evaluator', () => {
    fc.assert(
      fc.property(fc.array(requirementArb, { maxLength: 3 }), labelsArb, (drawn, labels) => {
        const selector = LabelSelector.parse(drawn.map((one) => write(one, '')).join(','));
        expect(selector.matches(labels)).toBe(drawn.every((one) => naive(one, labels)));
      }),
      { numRuns: 2_000 },
    );
  });
});
