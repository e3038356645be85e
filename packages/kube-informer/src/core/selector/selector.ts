import { requireOption } from '../errors.ts';
import {
  A_FIELD,
  A_KEY,
  A_VALUE,
  compareText,
  type FieldRequirement,
  int64,
  isFieldPath,
  isLabelKey,
  isLabelValue,
  type LabelOperator,
  labelRequirement,
  type LabelRequirement,
  parseFields,
  parseLabels,
  printField,
  printLabel,
} from './selector-syntax.ts';

export type { FieldRequirement, LabelOperator, LabelRequirement };

export type Labels = Readonly<Record<string, string>>;

/** The selector inside API objects, such as `spec.selector` of a Deployment. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** What a caller may write where a label selector is asked for. */
export type LabelSelectorLike = LabelSelector | Labels | string;

/**
 * A condition on labels, in the language of the API: `app=shop,tier in (a,b),!legacy`.
 *
 * Promises: what was accepted here, the server accepts as printed; `toString` gives
 * the same text for the same requirements in any order, and parsing that text gives
 * the same selector back. Bad input is INVALID_OPTION. Immutable.
 *
 * Does not promise to notice that requirements contradict each other.
 *
 * Room rule: looks at labels and nothing else; never at an object.
 */
export class LabelSelector {
  static readonly everything: LabelSelector = new LabelSelector([]);
  /**
   * Matches no labels. The language has no word for that, and an empty text means
   * everything, so it prints as a demand nobody can meet.
   */
  static readonly nothing: LabelSelector = new LabelSelector([
    labelRequirement('nothing', '!', []),
    labelRequirement('nothing', 'exists', []),
  ]);

  /** All of them must hold. Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  readonly #text: string;

  private constructor(requirements: readonly LabelRequirement[]) {
    const printed = requirements.map((one) => ({ one, text: printLabel(one) }));
    // Between equal keys the text decides, so that the order of writing leaves no trace.
    printed.sort((a, b) => compareText(a.one.key, b.one.key) || compareText(a.text, b.text));
    this.requirements = printed.map(({ one }) => one);
    this.#text = printed.map(({ text }) => text).join(',');
  }

  static parse(text: string): LabelSelector {
    requireOption(typeof text === 'string', 'label selector', 'a string', text);
    return new LabelSelector(parseLabels(text));
  }

  /** From a selector, a text, or a map of labels that all have to be there. */
  static of(input: LabelSelectorLike): LabelSelector {
    if (input instanceof LabelSelector) return input;
    if (typeof input === 'string') return LabelSelector.parse(input);
    // One of another copy of this package: its text means the same here.
    if (isForeignSelector(input)) return LabelSelector.parse((input as object as LabelSelector).toString());
    requireOption(isMap(input), 'label selector', 'a text, a map of labels or a LabelSelector', input);
    return new LabelSelector(Object.entries(input).map(([key, value]) => checked(key, '=', [value])));
  }

  /** From the form inside API objects, where an empty selector means everything and a missing one nothing. */
  static from(spec: LabelSelectorSpec | null | undefined): LabelSelector {
    if (spec === undefined || spec === null) return LabelSelector.nothing;
    const { matchLabels = {}, matchExpressions = [] } = spec;
    requireOption(isMap(matchLabels), 'matchLabels', 'a map of labels', matchLabels);
    requireOption(Array.isArray(matchExpressions), 'matchExpressions', 'an array', matchExpressions);
    const requirements = Object.entries(matchLabels).map(([key, value]) => checked(key, '=', [value]));
    for (const expression of matchExpressions) {
      requireOption(isMap(expression), 'matchExpressions', 'objects with a key and an operator', expression);
      const { key, operator, values = [] } = expression;
      requireOption(Object.hasOwn(OPERATORS, operator), 'operator', 'In, NotIn, Exists or DoesNotExist', operator);
      requirements.push(checked(key, OPERATORS[operator], values));
    }
    return new LabelSelector(requirements);
  }

  get isEverything(): boolean {
    return this.requirements.length === 0;
  }

  /** Whether this is `nothing`, so that no object needs to be asked. */
  get isNothing(): boolean {
    return this.#text === LabelSelector.nothing.#text;
  }

  matches(labels: Labels | undefined): boolean {
    return this.requirements.every((one) => holds(one, ownValue(labels, one.key)));
  }

  toString(): string {
    return this.#text;
  }
}

const OPERATORS: Readonly<Record<LabelExpression['operator'], LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

function holds({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '=':
    case 'in':
      return value !== undefined && values.has(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.has(value);
    case '<':
    case '>': {
      const [bound = ''] = values;
      const [left, right] = [typeof value === 'string' ? int64(value) : undefined, int64(bound)];
      if (left === undefined || right === undefined) return false;
      return operator === '<' ? left < right : left > right;
    }
  }
}

/** A requirement that came as data; the parser makes the same checks and knows the position. */
function checked(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  requireOption(typeof key === 'string' && isLabelKey(key), 'label selector', A_KEY, key);
  const name = `label selector "${key}"`;
  const wantsValues = operator !== 'exists' && operator !== '!';
  const fits = Array.isArray(values) && values.length > 0 === wantsValues;
  requireOption(fits, name, wantsValues ? 'at least one value' : 'no values', values);
  for (const value of values) requireOption(typeof value === 'string' && isLabelValue(value), name, A_VALUE, value);
  return labelRequirement(key, operator, values);
}

/** The fields of one object, by path. A field that is missing has the value "". */
export type FieldValues = Readonly<Record<string, string>> | ((field: string) => string | undefined);

/** What a caller may write where a field selector is asked for. */
export type FieldSelectorLike = FieldSelector | Readonly<Record<string, string>> | string;

/**
 * A condition on fields: `metadata.name=shop,status.phase!=Running`. In values, `\`
 * stands before `\`, `,` and `=`.
 *
 * Promises: `toString` and parsing go together as in `LabelSelector`. Bad input is
 * INVALID_OPTION. Immutable.
 *
 * Does not promise that a server can select by these fields: only it knows.
 *
 * Room rule: compares values; how to find a field in an object is the caller's business.
 */
export class FieldSelector {
  static readonly everything: FieldSelector = new FieldSelector([]);

  /** All of them must hold. Sorted as printed. */
  readonly requirements: readonly FieldRequirement[];
  readonly #text: string;

  private constructor(requirements: readonly FieldRequirement[]) {
    const printed = requirements.map((one) => ({ one, text: printField(one) }));
    printed.sort((a, b) => compareText(a.text, b.text));
    this.requirements = printed.map(({ one }) => one);
    this.#text = printed.map(({ text }) => text).join(',');
  }

  static parse(text: string): FieldSelector {
    requireOption(typeof text === 'string', 'field selector', 'a string', text);
    return new FieldSelector(parseFields(text));
  }

  /** From a selector, a text, or a map of fields and the values they have to have. */
  static of(input: FieldSelectorLike): FieldSelector {
    if (input instanceof FieldSelector) return input;
    if (isForeignSelector(input)) return FieldSelector.parse((input as object as FieldSelector).toString());
    if (typeof input === 'string') return FieldSelector.parse(input);
    requireOption(isMap(input), 'field selector', 'a text, a map of fields or a FieldSelector', input);
    const requirements = Object.entries(input).map(([field, value]): FieldRequirement => {
      requireOption(isFieldPath(field), 'field selector', A_FIELD, field);
      requireOption(typeof value === 'string', `field selector "${field}"`, 'a string', value);
      return { field, operator: '=', value };
    });
    return new FieldSelector(requirements);
  }

  get isEverything(): boolean {
    return this.requirements.length === 0;
  }

  matches(fields: FieldValues): boolean {
    return this.requirements.every(({ field, operator, value }) => {
      const actual = (typeof fields === 'function' ? fields(field) : ownValue(fields, field)) ?? '';
      return (actual === value) === (operator === '=');
    });
  }

  toString(): string {
    return this.#text;
  }
}

/** Labels and fields are data: what an object inherits is not one of them. */
function ownValue(map: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return map !== undefined && map !== null && Object.hasOwn(map, key) ? map[key] : undefined;
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A map of labels or fields holds strings only, so a function gives a selector away. */
function isForeignSelector(input: unknown): boolean {
  return typeof (input as { matches?: unknown } | null | undefined)?.matches === 'function';
}
