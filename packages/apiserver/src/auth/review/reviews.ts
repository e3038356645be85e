import { defined } from 'kube-informer/core';
import type { JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { badRequestStatusError } from '../../core/status-error.ts';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import type { User } from '../../core/user.ts';
import type { Authorizer, Decision } from '../authz/authorize.ts';
import type { UserTable } from '../user/user-table.ts';
import {
  reviewSpecAction,
  reviewSpecObject,
  reviewSpecAttributeErrors,
  localReviewSpecErrors,
  reviewSpecMetadataErrors,
  readReviewSpec,
  refuseReviewSpec,
  reviewSpecSubjectErrors,
  reviewSpecSubject,
  reviewSpecText,
} from './review-spec.ts';
import { tokenReviewStatus, tokenReviewUserInfo } from './token-review.ts';

/** A posted review, and what is needed to decide it. */
export interface ReviewRequest {
  readonly object: ApiObject;
  /** The user that sent the request. */
  readonly user: User;
  /** Namespace from the path; empty in cluster scope. */
  readonly namespace: string;
  readonly authorizer: Authorizer;
  readonly users: UserTable;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Decides a review: returns the posted object with a `status`. Nothing is stored. Throws a StatusError for an invalid review. */
export type Review = (request: ReviewRequest) => ApiObject;

const AUTHORIZATION = 'authorization.k8s.io/v1';
const AUTHENTICATION = 'authentication.k8s.io/v1';

/** Decides whether the user that sends the request may do an action. */
export const selfSubjectAccessReview: Review = ({ object, user, authorizer }) => {
  const spec = readReviewSpec(object);
  const { resourceAttributes, nonResourceAttributes } = spec.echo;
  refuseReviewSpec([...reviewSpecAttributeErrors(spec), ...reviewSpecMetadataErrors(object, 'must be empty')]);
  return reviewResponse(AUTHORIZATION, 'SelfSubjectAccessReview', object, {
    spec: {
      ...defined({ resourceAttributes, nonResourceAttributes }),
    },
    status: accessReviewStatus(authorizer.allows(user, reviewSpecAction(spec))),
  });
};

/** Decides whether another user may do an action. */
export const subjectAccessReview: Review = ({ object, authorizer }) => {
  const spec = readReviewSpec(object);
  refuseReviewSpec([
    ...reviewSpecAttributeErrors(spec),
    ...reviewSpecSubjectErrors(spec),
    ...reviewSpecMetadataErrors(object, 'must be empty'),
  ]);
  return reviewResponse(AUTHORIZATION, 'SubjectAccessReview', object, {
    spec: spec.echo,
    status: accessReviewStatus(authorizer.allows(reviewSpecSubject(spec), reviewSpecAction(spec))),
  });
};

/** Decides whether another user may do an action in the namespace of the path. */
export const localSubjectAccessReview: Review = ({ object, namespace, authorizer }) => {
  const spec = readReviewSpec(object);
  refuseReviewSpec([
    ...reviewSpecAttributeErrors(spec),
    ...reviewSpecSubjectErrors(spec),
    ...reviewSpecMetadataErrors(object, 'must be empty except for namespace'),
    ...localReviewSpecErrors(spec, namespace),
  ]);
  const local = { ...object, metadata: { namespace, ...object.metadata } };
  return reviewResponse(AUTHORIZATION, 'LocalSubjectAccessReview', local, {
    spec: spec.echo,
    status: accessReviewStatus(authorizer.allows(reviewSpecSubject(spec), reviewSpecAction(spec))),
  });
};

/** Returns the rules of the requesting user in one namespace. */
export const selfSubjectRulesReview: Review = ({ object, user, authorizer }) => {
  const namespace = reviewSpecText(reviewSpecObject(object['spec'])?.['namespace']);
  if (namespace === '') throw badRequestStatusError('no namespace on request');
  const { rules, error } = authorizer.rulesFor(user, namespace);
  const status = {
    resourceRules: rules.flatMap(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
      resources.length === 0
        ? []
        : [{ verbs, apiGroups, resources, ...(resourceNames.length === 0 ? {} : { resourceNames }) }],
    ),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
    incomplete: false,
    ...(error === '' ? {} : { evaluationError: error }),
  };
  // The spec is not repeated in this response.
  return reviewResponse(AUTHORIZATION, 'SelfSubjectRulesReview', {}, { spec: {}, status });
};

/** Returns the requesting user: `kubectl auth whoami`. */
export const selfSubjectReview: Review = ({ user, now }) =>
  reviewResponse(
    AUTHENTICATION,
    'SelfSubjectReview',
    { metadata: { creationTimestamp: serverTimestamp(now) } },
    { status: { userInfo: tokenReviewUserInfo(user) } },
  );

/** Returns the user of a token. */
export const tokenReview: Review = ({ object, users }) => {
  const spec = reviewSpecObject(object['spec']) ?? {};
  const token = reviewSpecText(spec['token']);
  if (token === '') throw badRequestStatusError('token is required for TokenReview in authentication');
  const audiences = Array.isArray(spec['audiences']) ? spec['audiences'].map(reviewSpecText) : [];
  return reviewResponse(AUTHENTICATION, 'TokenReview', object, {
    spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
    status: tokenReviewStatus(users, token, audiences),
  });
};

/** Reviews by group and resource, as in the path. */
export const reviews: ReadonlyMap<string, Review> = new Map([
  ['authorization.k8s.io/selfsubjectaccessreviews', selfSubjectAccessReview],
  ['authorization.k8s.io/subjectaccessreviews', subjectAccessReview],
  ['authorization.k8s.io/localsubjectaccessreviews', localSubjectAccessReview],
  ['authorization.k8s.io/selfsubjectrulesreviews', selfSubjectRulesReview],
  ['authentication.k8s.io/selfsubjectreviews', selfSubjectReview],
  ['authentication.k8s.io/tokenreviews', tokenReview],
]);

function reviewResponse(apiVersion: string, kind: string, { metadata }: ApiObject, rest: object): ApiObject {
  return { kind, apiVersion, metadata: metadata ?? {}, ...rest };
}

const accessReviewStatus = ({ allowed, reason }: Decision): JsonObject => ({
  allowed,
  ...(reason === '' ? {} : { reason }),
});
