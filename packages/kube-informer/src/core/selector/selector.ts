import { requireOption } from '../errors.ts';
import {
  A_FIELD,
  A_KEY,
  A_VALUE,
  compareBySelectorSyntax,
  type FieldRequirement,
  parseInt64InSelectorSyntax,
  isFieldPathInSelectorSyntax,
  isLabelKeyInSelectorSyntax,
  isLabelValueInSelectorSyntax,
  type LabelOperator,
  selectorSyntaxRequirement,
  type LabelRequirement,
  parseFieldSelectorSyntax,
  parseLabelSelectorSyntax,
  printFieldSelectorSyntax,
  printLabelSelectorSyntax,
} from './selector-syntax.ts';

export type { FieldRequirement, LabelOperator, LabelRequirement };

export type Labels = Readonly<Record<string, string>>;

/** A selector in API objects, such as `spec.selector` of a Deployment. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** Everything accepted as a label selector. */
export type LabelSelectorLike = LabelSelector | Labels | string;

/**
 * A condition on labels, in the syntax of the API: `app=shop,tier in (a,b),!legacy`.
 *
 * Promises: the server accepts every selector as printed by `toString`; that text is
 * the same for the same requirements in any order, and parsing it gives the same
 * selector. Bad input throws INVALID_OPTION. Immutable.
 *
 * Does not promise to detect requirements that contradict each other.
 *
 * Room rule: sees labels only, never an object.
 */
export class LabelSelector {
  static readonly everything: LabelSelector = new LabelSelector([]);
  /**
   * Matches no labels. The syntax has no selector for that, and an empty one matches
   * everything, so it is printed as a contradiction.
   */
  static readonly nothing: LabelSelector = new LabelSelector([
    selectorSyntaxRequirement('nothing', '!', []),
    selectorSyntaxRequirement('nothing', 'exists', []),
  ]);

  /** Sorted by key. All must match. */
  readonly requirements: readonly LabelRequirement[];
  readonly #text: string;

  private constructor(requirements: readonly LabelRequirement[]) {
    const printed = requirements.map((one) => ({ one, text: printLabelSelectorSyntax(one) }));
    // Equal keys are sorted by text, so that the order of the input does not matter.
    printed.sort((a, b) => compareBySelectorSyntax(a.one.key, b.one.key) || compareBySelectorSyntax(a.text, b.text));
    this.requirements = printed.map(({ one }) => one);
    this.#text = printed.map(({ text }) => text).join(',');
  }

  static parse(text: string): LabelSelector {
    requireOption(typeof text === 'string', 'label selector', 'a string', text);
    return new LabelSelector(parseLabelSelectorSyntax(text));
  }

  /** Makes a selector from a selector, a text, or a map of required labels. */
  static of(input: LabelSelectorLike): LabelSelector {
    if (input instanceof LabelSelector) return input;
    if (typeof input === 'string') return LabelSelector.parse(input);
    // An instance from another copy of this package: its text means the same here.
    if (isForeignSelector(input)) return LabelSelector.parse((input as object as LabelSelector).toString());
    requireOption(isSelectorMap(input), 'label selector', 'a text, a map of labels or a LabelSelector', input);
    return new LabelSelector(
      Object.entries(input).map(([key, value]) => checkedSelectorRequirement(key, '=', [value])),
    );
  }

  /** Makes a selector from its form in API objects, where an empty one matches everything and a missing one nothing. */
  static from(spec: LabelSelectorSpec | null | undefined): LabelSelector {
    if (spec === undefined || spec === null) return LabelSelector.nothing;
    const { matchLabels = {}, matchExpressions = [] } = spec;
    requireOption(isSelectorMap(matchLabels), 'matchLabels', 'a map of labels', matchLabels);
    requireOption(Array.isArray(matchExpressions), 'matchExpressions', 'an array', matchExpressions);
    const requirements = Object.entries(matchLabels).map(([key, value]) =>
      checkedSelectorRequirement(key, '=', [value]),
    );
    for (const expression of matchExpressions) {
      requireOption(isSelectorMap(expression), 'matchExpressions', 'objects with a key and an operator', expression);
      const { key, operator, values = [] } = expression;
      requireOption(Object.hasOwn(OPERATORS, operator), 'operator', 'In, NotIn, Exists or DoesNotExist', operator);
      requirements.push(checkedSelectorRequirement(key, OPERATORS[operator], values));
    }
    return new LabelSelector(requirements);
  }

  get isEverything(): boolean {
    return this.requirements.length === 0;
  }

  /** Whether this is `nothing`, so that objects need not be checked. */
  get isNothing(): boolean {
    return this.#text === LabelSelector.nothing.#text;
  }

  matches(labels: Labels | undefined): boolean {
    return this.requirements.every((one) => labelMatchesSelector(one, selectedLabelOrField(labels, one.key)));
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

function labelMatchesSelector({ operator, values }: LabelRequirement, value: string | undefined): boolean {
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
      const [left, right] = [
        typeof value === 'string' ? parseInt64InSelectorSyntax(value) : undefined,
        parseInt64InSelectorSyntax(bound),
      ];
      if (left === undefined || right === undefined) return false;
      return operator === '<' ? left < right : left > right;
    }
  }
}

/** Checks a requirement given as data. The parser makes the same checks, with positions. */
function checkedSelectorRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  requireOption(typeof key === 'string' && isLabelKeyInSelectorSyntax(key), 'label selector', A_KEY, key);
  const name = `label selector "${key}"`;
  const wantsValues = operator !== 'exists' && operator !== '!';
  const fits = Array.isArray(values) && values.length > 0 === wantsValues;
  requireOption(fits, name, wantsValues ? 'at least one value' : 'no values', values);
  for (const value of values)
    requireOption(typeof value === 'string' && isLabelValueInSelectorSyntax(value), name, A_VALUE, value);
  return selectorSyntaxRequirement(key, operator, values);
}

/** The fields of one object, by path. A missing field has the value "". */
export type FieldValues = Readonly<Record<string, string>> | ((field: string) => string | undefined);

/** Everything accepted as a field selector. */
export type FieldSelectorLike = FieldSelector | Readonly<Record<string, string>> | string;

/**
 * A condition on fields: `metadata.name=shop,status.phase!=Running`. In values, `\`
 * escapes `\`, `,` and `=`.
 *
 * Promises: parsing the text of `toString` gives the same selector. Bad input throws
 * INVALID_OPTION. Immutable.
 *
 * Does not promise that the server supports these fields.
 *
 * Room rule: compares values; the caller finds the fields in an object.
 */
export class FieldSelector {
  static readonly everything: FieldSelector = new FieldSelector([]);

  /** Sorted as printed. All must match. */
  readonly requirements: readonly FieldRequirement[];
  readonly #text: string;

  private constructor(requirements: readonly FieldRequirement[]) {
    const printed = requirements.map((one) => ({ one, text: printFieldSelectorSyntax(one) }));
    printed.sort((a, b) => compareBySelectorSyntax(a.text, b.text));
    this.requirements = printed.map(({ one }) => one);
    this.#text = printed.map(({ text }) => text).join(',');
  }

  static parse(text: string): FieldSelector {
    requireOption(typeof text === 'string', 'field selector', 'a string', text);
    return new FieldSelector(parseFieldSelectorSyntax(text));
  }

  /** Makes a selector from a selector, a text, or a map of fields to required values. */
  static of(input: FieldSelectorLike): FieldSelector {
    if (input instanceof FieldSelector) return input;
    if (isForeignSelector(input)) return FieldSelector.parse((input as object as FieldSelector).toString());
    if (typeof input === 'string') return FieldSelector.parse(input);
    requireOption(isSelectorMap(input), 'field selector', 'a text, a map of fields or a FieldSelector', input);
    const requirements = Object.entries(input).map(([field, value]): FieldRequirement => {
      requireOption(isFieldPathInSelectorSyntax(field), 'field selector', A_FIELD, field);
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
      const actual = (typeof fields === 'function' ? fields(field) : selectedLabelOrField(fields, field)) ?? '';
      return (actual === value) === (operator === '=');
    });
  }

  toString(): string {
    return this.#text;
  }
}

/** The value of a label or field. Inherited properties are ignored: labels and fields are data. */
function selectedLabelOrField(map: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return map !== undefined && map !== null && Object.hasOwn(map, key) ? map[key] : undefined;
}

function isSelectorMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether it is a selector of another copy of this package: maps of labels or fields contain only strings,
 * selectors have functions.
 */
function isForeignSelector(input: unknown): boolean {
  return typeof (input as { matches?: unknown } | null | undefined)?.matches === 'function';
}
