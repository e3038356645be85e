import { type Library, memberFunction, type Overload } from '../../cel/check/environment.ts';
import { BOOL, opaque, STRING, type Type } from '../../cel/types/type.ts';
import { fail, OpaqueValue, type Value } from '../../cel/values/value.ts';

/** The question that an expression asks the server's authorizer. */
export interface AuthorizerQuestion {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Asks for this account instead of the request's user. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

/** The server's authorizer as expressions see it. */
export type AskAuthorizer = (question: AuthorizerQuestion) => { readonly allowed: boolean; readonly reason: string };

const NAME = 'kubernetes.authorization';
export const AUTHORIZER: Type = opaque(`${NAME}.Authorizer`);
const PATH_CHECK = opaque(`${NAME}.PathCheck`);
const GROUP_CHECK = opaque(`${NAME}.GroupCheck`);
export const RESOURCE_CHECK: Type = opaque(`${NAME}.ResourceCheck`);
const DECISION = opaque(`${NAME}.Decision`);

/** As on a real server, where a check may be a request to another program. */
const CHECK_COST = 350_000;

type Part = Omit<AuthorizerQuestion, 'verb'>;

/** A question that is not complete yet. */
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
export const authorizerValue = (ask: AskAuthorizer): Value => new CheckValue(AUTHORIZER, ask, {});

/** The value of `authorizer.requestResource`: a check of the request's own resource. */
export const requestResourceValue = (ask: AskAuthorizer, part: Part): Value =>
  new CheckValue(RESOURCE_CHECK, ask, part);

const narrowed =
  (type: Type, part: (text: string) => Part): Overload['run'] =>
  ([check, text]) => {
    const { ask, part: before } = check as CheckValue;
    return new CheckValue(type, ask, { ...before, ...part(text as string) });
  };

const member = (id: string, from: Type, to: Type, run: Overload['run']): Overload =>
  memberFunction(id, [from, STRING], to, run);

function checked([check, verb]: readonly Value[]): Value {
  const { ask, part } = check as CheckValue;
  return new DecisionValue(ask({ ...part, verb: verb as string }));
}

const check = (id: string, from: Type): Overload =>
  memberFunction(id, [from, STRING], DECISION, checked, () => CHECK_COST);

function withPath(text: string): Part {
  if (text === '') throw fail('path must not be empty');
  return { path: text };
}

/** `authorizer.group('').resource('pods').namespace('a').check('create').allowed()` */
export const authorizerLibrary: Library = {
  types: [AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION],
  functions: {
    path: [member('authorizer_path', AUTHORIZER, PATH_CHECK, narrowed(PATH_CHECK, withPath))],
    group: [
      member(
        'authorizer_group',
        AUTHORIZER,
        GROUP_CHECK,
        narrowed(GROUP_CHECK, (group) => ({ group })),
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
      member(
        'groupcheck_resource',
        GROUP_CHECK,
        RESOURCE_CHECK,
        narrowed(RESOURCE_CHECK, (resource) => ({ resource })),
      ),
    ],
    subresource: [
      member(
        'resourcecheck_subresource',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowed(RESOURCE_CHECK, (subresource) => ({ subresource })),
      ),
    ],
    namespace: [
      member(
        'resourcecheck_namespace',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowed(RESOURCE_CHECK, (namespace) => ({ namespace })),
      ),
    ],
    name: [
      member(
        'resourcecheck_name',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowed(RESOURCE_CHECK, (name) => ({ name })),
      ),
    ],
    // Rules of roles know no selectors, so they decide nothing here.
    fieldSelector: [
      member(
        'authorizer_fieldselector',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowed(RESOURCE_CHECK, () => ({})),
      ),
    ],
    labelSelector: [
      member(
        'authorizer_labelselector',
        RESOURCE_CHECK,
        RESOURCE_CHECK,
        narrowed(RESOURCE_CHECK, () => ({})),
      ),
    ],
    check: [check('pathcheck_check', PATH_CHECK), check('resourcecheck_check', RESOURCE_CHECK)],
    errored: [memberFunction('decision_errored', [DECISION], BOOL, () => false)],
    error: [memberFunction('decision_error', [DECISION], STRING, () => '')],
    allowed: [memberFunction('decision_allowed', [DECISION], BOOL, ([a]) => (a as DecisionValue).allowed)],
    reason: [memberFunction('decision_reason', [DECISION], STRING, ([a]) => (a as DecisionValue).reason)],
  },
};
