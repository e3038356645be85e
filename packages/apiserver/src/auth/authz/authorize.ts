import type { RequestInfo } from '../../core/request-info.ts';
import type { User } from '../../core/user.ts';

/** The decision whether a user may do an action. */
export interface Decision {
  readonly allowed: boolean;
  /** Explanation for people: the rule that allowed the request, or why roles were not found. Often empty. */
  readonly reason: string;
}

/** The parts of a request that authorization rules use. */
export type Action = Pick<
  RequestInfo,
  'verb' | 'path' | 'isResource' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name'
>;

/** One rule of a role. Its fields are in the order of the wire. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Everything a user may do in a namespace. */
export interface RuleSet {
  readonly rules: readonly PolicyRule[];
  /** Message about roles that could not be found; empty if none is missing. */
  readonly error: string;
}

export interface Authorizer {
  allows(user: User, action: Action): Decision;
  rulesFor(user: User, namespace: string): RuleSet;
}

const EVERYTHING: RuleSet = {
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
  error: '',
};

/** An authorizer that allows every authenticated request. */
export const allowAll: Authorizer = {
  allows: () => ({ allowed: true, reason: '' }),
  rulesFor: () => EVERYTHING,
};
