import {
  type Fields,
  fieldsAt,
  itemsField,
  nameField,
  numberField,
  textField,
  textsField,
} from '../../api/kinds/common/fields.ts';
import { compilePolicyConditions, type NamedExpression } from '../../api/policies/policies.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';

/**
 * Sends a review to a webhook and returns its response, without a promise if it is a function that returns at
 * once. Throws the error of the call.
 */
export type CallWebhook = (review: JsonObject, signal: AbortSignal) => Json | Promise<Json>;

/** One webhook of a configuration, or a function of this process. */
export interface Webhook {
  /** Identifier, unique among the webhooks of the server. */
  readonly id: string;
  /** The name in refusals. */
  readonly name: string;
  readonly rules: readonly Fields[];
  /** The criteria `namespaceSelector`, `objectSelector` and `matchPolicy`. */
  readonly criteria: Fields;
  readonly conditions: readonly NamedExpression[];
  readonly ignoresFailures: boolean;
  readonly timeoutSeconds: number;
  /** Whether it is called again after a later mutation changed the object. */
  readonly isReinvoked: boolean;
  readonly hasSideEffects: boolean;
  /** Versions of AdmissionReview in the order of preference. */
  readonly reviewVersions: readonly string[];
  readonly call: CallWebhook;
  /** Whether the webhook is a function of this process, which may return at once. */
  readonly isInProcess: boolean;
}

/** The parts of a configured webhook that a call needs. */
export interface Address {
  readonly clientConfig: Fields;
  readonly timeoutSeconds: number;
}

const DEFAULT_TIMEOUT = 10;
const NO_SIDE_EFFECTS: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun']);

/** The webhooks of a configuration, in the form that dispatch uses. */
export const webhooksInUse = (object: ApiObject, callAt: (address: Address) => CallWebhook): readonly Webhook[] =>
  itemsField(object, 'webhooks').map((webhook, index) => {
    const timeoutSeconds = numberField(webhook, 'timeoutSeconds') ?? DEFAULT_TIMEOUT;
    return {
      id: `${nameField(object)}/${textField(webhook, 'name')}/${index}`,
      name: textField(webhook, 'name'),
      rules: itemsField(webhook, 'rules'),
      criteria: webhook,
      conditions: compilePolicyConditions(itemsField(webhook, 'matchConditions'), false),
      ignoresFailures: textField(webhook, 'failurePolicy') === 'Ignore',
      timeoutSeconds,
      isReinvoked: textField(webhook, 'reinvocationPolicy') === 'IfNeeded',
      hasSideEffects: !NO_SIDE_EFFECTS.has(textField(webhook, 'sideEffects')),
      reviewVersions: textsField(webhook, 'admissionReviewVersions'),
      isInProcess: false,
      call: callAt({ clientConfig: fieldsAt(webhook, 'clientConfig'), timeoutSeconds }),
    };
  });
