import { globalFunction, type Library, memberFunction } from '../../../cel/check/environment.ts';
import type { CallCost } from '../../../cel/cost/call-cost.ts';
import { costArgument, sizeForCost, traversalCostRange } from '../../../cel/cost/costs.ts';
import { scaleCostRange } from '../../../cel/cost/cost-range.ts';
import { listType, opaqueType, optionalType, STRING, type Type } from '../../../cel/types/type.ts';
import { ArrayList, OpaqueValue, Optional, type Value } from '../../../cel/values/cel-value.ts';
import { goQuoted } from '../../../core/go/go-quoted.ts';
import {
  labelKeySyntaxComplaints,
  labelSyntaxComplaints,
  labelValueSyntaxComplaints,
  subdomainSyntaxComplaints,
} from '../../meta/name-syntax.ts';
import { hasFormat } from '../../schema/formats/formats.ts';

const FORMAT: Type = opaqueType('kubernetes.NamedFormat');

/** The errors of a text; empty if it has the format. */
type Complain = (text: string) => readonly string[];

class FormatValue extends OpaqueValue {
  readonly type = FORMAT;
  readonly name: string;
  readonly complain: Complain;
  /** Length of a pattern with the same cost as a check. */
  readonly patternLength: number;

  constructor(name: string, complain: Complain, patternLength: number) {
    super();
    this.name = name;
    this.complain = complain;
    this.patternLength = patternLength;
  }

  equals(other: Value): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const DNS_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function label1035RuleFormat(text: string): string[] {
  const errors = text.length > 63 ? ['must be no more than 63 bytes'] : [];
  return /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text) ? errors : [...errors, DNS_1035];
}

/** A format for prefixes of names, which may end with a dash because a suffix follows. */
const prefixRuleFormat =
  (complain: Complain): Complain =>
  (text) =>
    complain(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);

const namedRuleFormat =
  (format: string, complaint: string): Complain =>
  (text) =>
    hasFormat(format, text) ? [] : [complaint];

const addressRuleFormat: Complain = (text) => {
  if (hasFormat('uri', text)) return [];
  return [`parse ${goQuoted(text)}: ${text === '' ? 'empty url' : 'invalid URI for request'}`];
};

/** Formats by name. The lengths of patterns are estimates; only the cost of a check depends on them. */
const FORMATS: ReadonlyMap<string, FormatValue> = new Map(
  (
    [
      ['dns1123Label', labelSyntaxComplaints, 30],
      ['dns1123Subdomain', subdomainSyntaxComplaints, 60],
      ['dns1035Label', label1035RuleFormat, 30],
      ['qualifiedName', labelKeySyntaxComplaints, 60],
      ['dns1123LabelPrefix', prefixRuleFormat(labelSyntaxComplaints), 30],
      ['dns1123SubdomainPrefix', prefixRuleFormat(subdomainSyntaxComplaints), 60],
      ['dns1035LabelPrefix', prefixRuleFormat(label1035RuleFormat), 30],
      ['labelValue', labelValueSyntaxComplaints, 40],
      ['uri', addressRuleFormat, 1103],
      ['uuid', namedRuleFormat('uuid', 'does not match the UUID format'), 70],
      ['byte', namedRuleFormat('byte', 'invalid base64'), 84],
      ['date', namedRuleFormat('date', 'invalid date'), 71],
      ['datetime', namedRuleFormat('datetime', 'invalid datetime'), 71],
    ] as const
  ).map(([name, complain, length]) => [name, new FormatValue(name, complain, length)]),
);

function validatedByRuleFormat([format, text]: readonly Value[]): Value {
  const complaints = (format as FormatValue).complain(text as string);
  return complaints.length === 0 ? new Optional() : new Optional(new ArrayList(complaints));
}

/** Length of the pattern that the estimate of a check assumes, because the format may be unknown. */
const LONGEST_PATTERN = 128;
const LONGEST_NAME = 64n;

const COST_OF_CHECK: CallCost = {
  actual: ([format, text = '']) =>
    Math.ceil((1 + sizeForCost(text)) * 0.1) * Math.ceil((format as FormatValue).patternLength * 0.25),
  estimate: (args) => ({
    cost: scaleCostRange(traversalCostRange(costArgument(args, 1).size), LONGEST_PATTERN * 0.25),
  }),
};

/** The functions of formats: `format.dns1123Label().validate(name)` returns the complaints about a text, or none. */
export const formats: Library = {
  types: [FORMAT],
  equality: new Map([[FORMAT.name, () => ({ cost: traversalCostRange({ min: 1n, max: LONGEST_NAME }) })]]),
  functions: {
    ...Object.fromEntries(
      [...FORMATS].map(([name, value]) => [
        `format.${name}`,
        [globalFunction(`format.${name}`, [], FORMAT, () => value)],
      ]),
    ),
    'format.named': [
      globalFunction(
        'format-named',
        [STRING],
        optionalType(FORMAT),
        ([name]) => new Optional(FORMATS.get(name as string)),
      ),
    ],
    validate: [
      memberFunction(
        'format-validate',
        [FORMAT, STRING],
        optionalType(listType(STRING)),
        validatedByRuleFormat,
        COST_OF_CHECK,
      ),
    ],
  },
};
