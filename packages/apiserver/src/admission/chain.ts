import type { ApiObject } from '../core/kube-object.ts';
import type { Attributes } from '../verbs/admission-gate.ts';
import { whenRecordsConverted } from '../verbs/converted-records.ts';
import type { Steps } from '../verbs/steps.ts';
import { MutatingPolicies } from './policies/mutating-policy.ts';
import { ValidatingPolicies } from './policies/validating-policy.ts';
import { Reinvocation } from './matching/reinvocation.ts';
import { isAdmittedRequest } from './matching/admission-request.ts';
import { Webhooks, type WebhookParts } from './webhooks/dispatch-webhooks.ts';

/** The policies, then the webhooks, that decide about writes, in the order of a real server. */
export class AdmissionChain {
  readonly #mutating: MutatingPolicies;
  readonly #policies: ValidatingPolicies;
  readonly #webhooks: Webhooks;

  constructor(parts: WebhookParts) {
    this.#mutating = new MutatingPolicies(parts.registry, parts.authorizer);
    this.#policies = new ValidatingPolicies(parts.registry, parts.authorizer);
    this.#webhooks = new Webhooks(parts);
  }

  *mutate(attributes: Attributes): Steps<ApiObject | undefined> {
    if (!isAdmittedRequest(attributes)) return attributes.object;
    let isAgain = false;
    const [policies, webhooks] = [new Reinvocation(() => (isAgain = true)), new Reinvocation(() => (isAgain = true))];
    const object = yield* this.#mutateOnce(attributes, policies, webhooks);
    return isAgain ? yield* this.#mutateOnce({ ...attributes, object }, policies, webhooks) : object;
  }

  *#mutateOnce(attributes: Attributes, policies: Reinvocation, webhooks: Reinvocation): Steps<ApiObject | undefined> {
    const object = yield* whenRecordsConverted(() => this.#mutating.mutate(attributes, policies));
    return yield* this.#webhooks.mutate({ ...attributes, object }, webhooks);
  }

  *validate(attributes: Attributes): Steps<void> {
    if (!isAdmittedRequest(attributes)) return;
    yield* whenRecordsConverted(() => this.#policies.validate(attributes));
    yield* this.#webhooks.validate(attributes);
  }
}
