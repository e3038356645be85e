import { aggregateFieldErrors, type FieldError, invalidFieldError } from '../../core/field-error.ts';
import { badRequestStatusError, type StatusError } from '../../core/status-error.ts';
import { selectorWork } from './selector-work.ts';
import { labelTokens, type Token } from './label-tokens.ts';
import { labelKeySyntaxComplaints, labelValueSyntaxComplaints } from './name-syntax.ts';

type Labels = Readonly<Record<string, string>>;

/** Selects objects by their labels. */
export interface LabelSelector {
  /** A text that is the same for selectors with the same requirements, in any order and spelling. */
  readonly text: string;
  readonly everything: boolean;
  matches(labels: Labels | undefined): boolean;
}

type Operator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';

interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  /** The values, sorted. */
  readonly values: ReadonlySet<string>;
}

const BINARY_OPERATORS: ReadonlySet<string> = new Set(['in', 'notin', '=', '==', '!=', '>', '<']);
const NO_LABELS: Labels = {};
const NO_VALUES: ReadonlySet<string> = new Set();

/**
 * Reads a `labelSelector`:
 *
 *     selector    = [ requirement { "," requirement } ]
 *     requirement = [ "!" ] KEY | KEY ( "=" | "==" | "!=" | ">" | "<" ) [ VALUE ] | KEY ( "in" | "notin" ) "(" values ")"
 *     values      = [ VALUE ] { "," [ VALUE ] }
 *
 * A value that is left out is the empty one. Throws a 400 with the server's message.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = new Parser(labelTokens(text)).selector();
  return {
    text: requirements.map(labelSelectorRequirementText).sort(compareLabelSelectorTexts).join(','),
    everything: requirements.length === 0,
    matches: (labels = NO_LABELS) =>
      requirements.every((requirement) => isLabelSelectorRequirementMet(requirement, labels)),
  };
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  selector(): Requirement[] {
    const requirements: Requirement[] = [];
    const work = selectorWork();
    for (;;) {
      work.spend();
      const first = this.#peek();
      if (first.kind === 'end') return requirements;
      if (!beginsLabelSelectorRequirement(first))
        throw unexpectedInLabelSelector(first, ", expected: !, identifier, or 'end of string'");
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.kind === 'end') return requirements;
      if (next.text !== ',') throw unexpectedInLabelSelector(next, ", expected: ',' or 'end of string'");
      if (!beginsLabelSelectorRequirement(this.#peek()))
        throw unexpectedInLabelSelector(this.#peek(), ", expected: identifier after ','");
    }
  }

  #requirement(): Requirement {
    const isNegated = this.#peek().text === '!';
    if (isNegated) this.#take();
    const key = this.#take();
    if (key.kind !== 'word') throw malformedLabelSelector(key, ', expected: identifier');
    const complaints = labelKeySyntaxComplaints(key.text);
    if (complaints.length > 0)
      throw refusedLabelSelector([invalidFieldError('<nil>', key.text, complaints.join('; '))]);
    // The text after `!key` is not checked here: the caller expects the comma.
    if (isNegated) return { key: key.text, operator: '!', values: NO_VALUES };
    const next = this.#peek();
    if (next.kind === 'end' || next.text === ',') return { key: key.text, operator: 'exists', values: NO_VALUES };
    this.#take();
    if (!BINARY_OPERATORS.has(next.text))
      throw malformedLabelSelector(next, ', expected: in, notin, =, ==, !=, gt, lt');
    const operator = next.text as Operator;
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#value()];
    const requirement = { key: key.text, operator, values: new Set(values.sort(compareLabelSelectorTexts)) };
    const errors = labelSelectorRequirementErrors(requirement);
    if (errors.length > 0) throw refusedLabelSelector(errors);
    return requirement;
  }

  #value(): string {
    const next = this.#peek();
    if (next.kind === 'end' || next.text === ',') return '';
    if (next.kind !== 'word') throw malformedLabelSelector(next, ', expected: identifier');
    return this.#take().text;
  }

  #values(): string[] {
    const open = this.#take();
    if (open.text !== '(') throw malformedLabelSelector(open, " expected: '('");
    const first = this.#peek();
    if (first.kind !== 'word' && first.text !== ',' && first.text !== ')') {
      throw malformedLabelSelector(first, ", expected: ',', ')' or identifier");
    }
    const values: string[] = [];
    let isValueDue = true;
    for (;;) {
      const token = this.#take();
      if (token.kind === 'word') {
        if (!isValueDue) throw malformedLabelSelector(token, ", expected: ',' or ')'");
        values.push(token.text);
        isValueDue = false;
      } else if (token.text === ',' || token.text === ')') {
        if (isValueDue) values.push('');
        if (token.text === ')') return values;
        isValueDue = true;
      } else {
        throw malformedLabelSelector(token, isValueDue ? ", expected: ',', or identifier" : ", expected: ',' or ')'");
      }
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #take(): Token {
    return this.#tokens[this.#at++] as Token;
  }
}

const beginsLabelSelectorRequirement = (token: Token): boolean => token.kind === 'word' || token.text === '!';

function labelSelectorRequirementErrors({ key, operator, values }: Requirement): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === '>' || operator === '<') {
    for (const [index, value] of [...values].entries()) {
      if (labelSelectorInteger(value) !== undefined) continue;
      errors.push(
        invalidFieldError(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"),
      );
    }
  }
  for (const [index, value] of [...values].entries()) {
    const complaints = labelValueSyntaxComplaints(value);
    if (complaints.length > 0) errors.push(invalidFieldError(`values[${index}][${key}]`, value, complaints.join('; ')));
  }
  return errors;
}

function isLabelSelectorRequirementMet({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.has(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.has(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '>':
    case '<': {
      const [left, right] = [labelSelectorInteger(value ?? ''), labelSelectorInteger([...values].join())];
      if (left === undefined || right === undefined) return false;
      return operator === '>' ? left > right : left < right;
    }
  }
}

function labelSelectorRequirementText({ key, operator, values: chosen }: Requirement): string {
  const values = [...chosen];
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case '==':
      return `${key}=${values.join(',')}`;
    case '=':
    case '!=':
    case '>':
    case '<':
      return `${key}${operator}${values.join(',')}`;
  }
}

const INT64_MAX = 2n ** 63n - 1n;

/** A whole number of 64 bits. */
function labelSelectorInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace('+', ''));
  return value > INT64_MAX || value < -INT64_MAX - 1n ? undefined : value;
}

/** Compares by UTF-16 code unit, which is byte order for all valid keys and values. */
const compareLabelSelectorTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const unexpectedInLabelSelector = ({ text }: Token, expectation: string): StatusError =>
  badRequestStatusError(`found '${text}'${expectation}`);

const malformedLabelSelector = ({ text }: Token, expectation: string): StatusError =>
  badRequestStatusError(`unable to parse requirement: found '${text}'${expectation}`);

const refusedLabelSelector = (errors: readonly FieldError[]): StatusError =>
  badRequestStatusError(`unable to parse requirement: ${aggregateFieldErrors(errors)}`);
