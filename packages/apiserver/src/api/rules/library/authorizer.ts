import { type Library, memberFunction, type Overload } from '../../../cel/check/environment.ts';
import { type CallCost, UNIT_ESTIMATE } from '../../../cel/cost/call-cost.ts';
import { costArgument, sizeForCost, traversalCost, traversalCostRange } from '../../../cel/cost/costs.ts';
import { fixedRange, scaleCostRange, sumOfRanges } from '../../../cel/cost/cost-range.ts';
import { BOOL, opaqueType, STRING, type Type } from '../../../cel/types/type.ts';
import { fail, OpaqueValue, type Value } from '../../../cel/values/cel-value.ts';

/** A request of an expression to the server's authorizer. */
export interface AuthorizerQuestion {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The account to check instead of the request's user. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

/** The server's authorizer as expressions see it. */
export type AskAuthorizer = (question: AuthorizerQuestion) => { readonly allowed: boolean; readonly reason: string };

const NAME = 'kubernetes.authorization';
export const AUTHORIZER: Type = opaqueType(`${NAME}.Authorizer`);
const PATH_CHECK = opaqueType(`${NAME}.PathCheck`);
const GROUP_CHECK = opaqueType(`${NAME}.GroupCheck`);
export const RESOURCE_CHECK: Type = opaqueType(`${NAME}.ResourceCheck`);
const DECISION = opaqueType(`${NAME}.Decision`);

const AUTHORIZER_TYPES = [AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION];

/** Cost of a check, as on a real server, where it may be a request to another program. */
const CHECK_COST = 350_000;
const COST_OF_CHECK: CallCost = {
  actual: () => CHECK_COST,
  estimate: () => ({ cost: fixedRange(CHECK_COST) }),
};

/**
 * Cost of parsing a selector, a list of requirements: the shortest requirement has two characters, and
 * becomes an object with a list.
 */
const SELECTOR = { list: 10, requirement: 50, perCharacter: 0.5 };
const COST_OF_SELECTOR: CallCost = {
  actual: ([, selector = '']) => {
    const size = sizeForCost(selector);
    return SELECTOR.list + traversalCost(size) + Math.ceil(size * SELECTOR.perCharacter) * SELECTOR.requirement;
  },
  estimate: (args) => {
    const { size } = costArgument(args, 1);
    const requirements = scaleCostRange(scaleCostRange(size, SELECTOR.perCharacter), SELECTOR.requirement);
    return { cost: sumOfRanges([fixedRange(SELECTOR.list), traversalCostRange(size), requirements]) };
  },
};

type Part = Omit<AuthorizerQuestion, 'verb'>;

/** A check that is not complete yet. */
class CheckValue extends OpaqueValue {
  readonly type: Type;
  readonly ask: AskAuthorizer;
  readonly part: Part;

  constructor(type: Type, ask: AskAuthorizer, part: Part) {
    super();
    this.type = type;
    this.ask = ask;
    this.part = part;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}

class DecisionValue extends OpaqueValue {
  readonly type = DECISION;
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason }: { readonly allowed: boolean; readonly reason: string }) {
    super();
    this.allowed = allowed;
    this.reason = reason;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}

/** The value of the variable `authorizer`. */
export const ruleAuthorizer = (ask: AskAuthorizer): Value => new CheckValue(AUTHORIZER, ask, {});

/** The value of `authorizer.requestResource`: a check of the request's own resource. */
export const ruleAuthorizerResource = (ask: AskAuthorizer, part: Part): Value =>
  new CheckValue(RESOURCE_CHECK, ask, part);

const narrowedRuleAuthorizer =
  (type: Type, part: (text: string) => Part): Overload['run'] =>
  ([check, text]) => {
    const { ask, part: before } = check as CheckValue;
    return new CheckValue(type, ask, { ...before, ...part(text as string) });
  };

const ruleAuthorizerMember = (id: string, from: Type, to: Type, run: Overload['run'], cost?: CallCost): Overload =>
  memberFunction(id, [from, STRING], to, run, cost);

function checkedByRuleAuthorizer([check, verb]: readonly Value[]): Value {
  const { ask, part } = check as CheckValue;
  return new DecisionValue(ask({ ...part, verb: verb as string }));
}

const ruleAuthorizerCheck = (id: string, from: Type): Overload =>
  memberFunction(id, [from, STRING], DECISION, checkedByRuleAuthorizer, COST_OF_CHECK);

function ruleAuthorizerOfPath(text: string): Part {
  if (text === '') throw fail('path must not be empty');
  return { path: text };
}

/** The functions of `authorizer`: `authorizer.group('').resource('pods').namespace('a').check('create').allowed()` */
export const authorizerLibrary: Library = {
  types: AUTHORIZER_TYPES,
  equality: new Map(AUTHORIZER_TYPES.map(({ name }) => [name, () => UNIT_ESTIMATE])),
  functions: {
    path: [
      ruleAuthorizerMember(
        'authorizer_path',
        AUTHORIZER,
        PATH_CHECK,
        narrowedRuleAuthorizer(PATH_CHECK, ruleAuthorizerOfPath),
      ),
    ],
    group: [
      ruleAuthorizerMember(
        'authorizer_group',
        AUTHORIZER,
        GROUP_CHECK,
        narrowedRuleAuthorizer(GROUP_CHECK, (group) => ({ group })),
      ),
    ],
    serviceAccount: [
      memberFunction(
        'authorizer_serviceaccount',
        [AUTHORIZER, STRING, STRING],
        AUTHORIZER,
        ([from, namespace, name]) => {
          const serviceAccount = { namespace: namespace as string, name: name as string };
          return new CheckValue(AUTHORIZER, (from as CheckValue).ask, { serviceAccount });
        },
      ),
    ],
    resource: [
      ruleAuthorizerMember(
        'groupcheck_resource',
        GROUP_CHECK,
        RESOURCE_CHECK,
        narrowedRuleAuthorizer(RESOURCE_CHECK, (resource) => ({ resource })),
      ),
    ],
    subresource: [
      ruleAuthorizerMember(
        'resourcecheck_subresource',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowedRuleAuthorizer(RESOURCE_CHECK, (subresource) => ({ subresource })),
      ),
    ],
    namespace: [
      ruleAuthorizerMember(
        'resourcecheck_namespace',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowedRuleAuthorizer(RESOURCE_CHECK, (namespace) => ({ namespace })),
      ),
    ],
    name: [
      ruleAuthorizerMember(
        'resourcecheck_name',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowedRuleAuthorizer(RESOURCE_CHECK, (name) => ({ name })),
      ),
    ],
    // Rules of roles have no selectors, so these are ignored here.
    fieldSelector: [
      ruleAuthorizerMember(
        'authorizer_fieldselector',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowedRuleAuthorizer(RESOURCE_CHECK, () => ({})),
        COST_OF_SELECTOR,
      ),
    ],
    labelSelector: [
      ruleAuthorizerMember(
        'authorizer_labelselector',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowedRuleAuthorizer(RESOURCE_CHECK, () => ({})),
        COST_OF_SELECTOR,
      ),
    ],
    check: [
      ruleAuthorizerCheck('pathcheck_check', PATH_CHECK),
      ruleAuthorizerCheck('resourcecheck_check', RESOURCE_CHECK),
    ],
    errored: [memberFunction('decision_errored', [DECISION], BOOL, () => false)],
    error: [memberFunction('decision_error', [DECISION], STRING, () => '')],
    allowed: [memberFunction('decision_allowed', [DECISION], BOOL, ([a]) => (a as DecisionValue).allowed)],
    reason: [memberFunction('decision_reason', [DECISION], STRING, ([a]) => (a as DecisionValue).reason)],
  },
};
