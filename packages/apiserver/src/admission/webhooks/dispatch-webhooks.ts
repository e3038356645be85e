import type { Env } from 'kube-informer/core';
import { type NamedExpression, policyVerdictApplies, policyEvaluationWork } from '../../api/policies/policies.ts';
import { jsonPatch } from '../../api/patch/json-patch.ts';
import type { Authorizer } from '../../auth/authz/authorize.ts';
import { isSameJson, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { badRequestStatusError, forbiddenStatusError, internalStatusError } from '../../core/status-error.ts';
import { uuid } from '../../core/uuid.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Attributes } from '../../verbs/admission-gate.ts';
import { afterRecordsConverted, whenRecordsConverted } from '../../verbs/converted-records.ts';
import { decodeKnownRequestFields } from '../../verbs/request/decode-request.ts';
import { awaitedStep, type Steps } from '../../verbs/steps.ts';
import { Configurations } from '../matching/configurations.ts';
import { matchAdmission } from '../matching/admission-match.ts';
import { RequestValues } from '../policies/policy-values.ts';
import type { Reinvocation } from '../matching/reinvocation.ts';
import type { Version } from '../matching/admission-request.ts';
import type { WebhookCaller } from './call-webhook.ts';
import type { InProcessHooks } from './in-process-webhook.ts';
import {
  admissionReview,
  CallError,
  deniedByAdmissionReview,
  readWebhookReviewVerdict,
  type Review,
  type Verdict,
} from './admission-review.ts';
import { webhooksInUse, type Webhook } from './webhook.ts';

const NEVER = new AbortController().signal;

const dispatchesAtOnce = ({ target }: Attributes): boolean => target.admits === 'at once';

/** Passes on the warnings of a webhook, and throws its refusal. */
function heededVerdictOfDispatchedWebhook({ name }: Webhook, { target }: Attributes, verdict: Verdict): Verdict {
  for (const text of verdict.warnings) target.warn(text);
  if (!verdict.isAllowed) throw deniedByAdmissionReview(name, verdict.status);
  return verdict;
}

export interface WebhookParts {
  readonly env: Env;
  readonly registry: Registry;
  readonly authorizer: Authorizer;
  readonly caller: WebhookCaller;
  readonly hooks: InProcessHooks;
}

/** Mutating and validating webhooks. */
export class Webhooks {
  readonly #parts: WebhookParts;
  readonly #mutating: Configurations<readonly Webhook[]>;
  readonly #validating: Configurations<readonly Webhook[]>;

  constructor(parts: WebhookParts) {
    const { registry, caller } = parts;
    const make = (object: ApiObject): readonly Webhook[] => webhooksInUse(object, caller.at);
    this.#parts = parts;
    this.#mutating = new Configurations(registry, 'mutatingwebhookconfigurations', make);
    this.#validating = new Configurations(registry, 'validatingwebhookconfigurations', make);
  }

  /** Calls mutating webhooks one after the other: each sees the changes of those before it. */
  *mutate(attributes: Attributes, again: Reinvocation): Steps<ApiObject | undefined> {
    again.begin(attributes.object);
    let { object } = attributes;
    for (const webhook of [...this.#parts.hooks.webhooks(true), ...this.#mutating.all().flat()]) {
      const now: Attributes = { ...attributes, object };
      const as = yield* whenRecordsConverted(() => this.#wanted(webhook, now));
      if (as === undefined || again.skips(webhook.id)) continue;
      const verdict = dispatchesAtOnce(attributes)
        ? this.#callNow(webhook, now, as, true)
        : yield* awaitedStep(this.#call(webhook, now, as, true));
      const patch = verdict?.patch;
      const next =
        patch === undefined ? object : yield* whenRecordsConverted(() => this.#patched(webhook, now, as, patch));
      if (!isSameJson(next, object)) again.changed();
      if (webhook.isReinvoked) again.called(webhook.id);
      object = next;
    }
    again.end(object);
    return object;
  }

  /** Calls all validating webhooks at once. Throws the first refusal in their order. */
  *validate(attributes: Attributes): Steps<void> {
    const all = [...this.#parts.hooks.webhooks(false), ...this.#validating.all().flat()];
    const calls = yield* whenRecordsConverted(() =>
      all.flatMap((webhook) => {
        const as = this.#wanted(webhook, attributes);
        return as === undefined ? [] : [{ webhook, as }];
      }),
    );
    if (calls.length === 0) return;
    if (dispatchesAtOnce(attributes)) {
      for (const { webhook, as } of calls) this.#callNow(webhook, attributes, as, false);
      return;
    }
    const results = yield* awaitedStep(
      Promise.allSettled(calls.map(({ webhook, as }) => this.#call(webhook, attributes, as, false))),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** The version in which a webhook handles the request; undefined if it does not match. */
  #wanted(webhook: Webhook, attributes: Attributes): Version | undefined {
    const { registry } = this.#parts;
    const { rules, criteria, conditions } = webhook;
    // Without rules nothing is matched; a policy's binding without rules matches all.
    const as = rules.length === 0 ? undefined : matchAdmission(registry, attributes, { rules, criteria });
    if (as === undefined || conditions.length === 0) return as;
    return this.#meets(webhook, conditions, attributes, as) ? as : undefined;
  }

  #meets(
    { ignoresFailures }: Webhook,
    conditions: readonly NamedExpression[],
    attributes: Attributes,
    as: Version,
  ): boolean {
    const { registry, authorizer } = this.#parts;
    const values = new RequestValues(registry, authorizer, attributes, as).withParams(undefined).all;
    const met = policyVerdictApplies(conditions, { values, work: policyEvaluationWork() });
    if (typeof met === 'boolean') return met;
    if (ignoresFailures) return false;
    throw forbiddenStatusError(attributes.target.served.resource, attributes.name, met.error);
  }

  /** Calls a webhook. Undefined if the call failed and the failure policy ignores that. Throws refusals. */
  async #call(
    webhook: Webhook,
    attributes: Attributes,
    as: Version,
    isMutating: boolean,
  ): Promise<Verdict | undefined> {
    const { name, timeoutSeconds, ignoresFailures, hasSideEffects, reviewVersions } = webhook;
    if (attributes.dryRun && hasSideEffects)
      throw badRequestStatusError(`admission webhook ${JSON.stringify(name)} does not support dry run`);
    try {
      const review = await afterRecordsConverted(() => this.#review(attributes, as, reviewVersions));
      const { caller } = this.#parts;
      const answer = await caller.inTime(timeoutSeconds, (signal) => webhook.call(review.body, signal));
      return heededVerdictOfDispatchedWebhook(
        webhook,
        attributes,
        readWebhookReviewVerdict(review, answer, isMutating),
      );
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (ignoresFailures) return undefined;
      throw internalStatusError(`failed calling webhook ${JSON.stringify(name)}: ${error.message}`);
    }
  }

  /** Calls a webhook for a write that cannot wait: only functions of this process that return at once take part. */
  #callNow(webhook: Webhook, attributes: Attributes, as: Version, isMutating: boolean): Verdict | undefined {
    if (!webhook.isInProcess) return undefined;
    const review = this.#review(attributes, as, webhook.reviewVersions);
    const answer = webhook.call(review.body, NEVER);
    if (!(answer instanceof Promise))
      return heededVerdictOfDispatchedWebhook(
        webhook,
        attributes,
        readWebhookReviewVerdict(review, answer, isMutating),
      );
    // The result is too late for this write.
    answer.catch(() => {});
    return undefined;
  }

  #review(attributes: Attributes, as: Version, versions: readonly string[]): Review {
    const { env } = this.#parts;
    return admissionReview(attributes, as, versions, uuid(() => env.random())); // prettier-ignore
  }

  /** The object after a webhook's patch, without fields that its kind does not have. */
  #patched({ name }: Webhook, attributes: Attributes, as: Version, patch: Json): ApiObject | undefined {
    if (Array.isArray(patch) && patch.length === 0) return attributes.object;
    const { object, kind, target } = attributes;
    if (object === undefined)
      throw internalStatusError(
        `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
      );
    const shown = as.convert?.(object) ?? kind.named(object);
    let next: ApiObject;
    try {
      next = jsonPatch(shown as JsonObject, patch) as ApiObject;
    } catch (error) {
      throw internalStatusError((error as Error).message);
    }
    const restored = as.restore?.(next) ?? next;
    const options = {
      registry: this.#parts.registry,
      served: kind,
      fieldValidation: 'Ignore',
      warn: target.warn,
    } as const;
    return decodeKnownRequestFields(kind.named(restored), options, [], () => internalStatusError('unknown fields'));
  }
}
