import { type Fields, fieldsAt, isFields, textField, textsField } from '../../api/kinds/common/fields.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { type Status, StatusError } from '../../core/status-error.ts';
import type { Attributes } from '../../verbs/admission-gate.ts';
import { admissionRequestFields, type Version } from '../matching/admission-request.ts';

/**
 * Thrown for a webhook that could not be called, or whose response cannot be used. The failure policy decides
 * about the request.
 */
export class CallError extends Error {
  override readonly name = 'CallError';
}

const GROUP = 'admission.k8s.io';
const VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

export interface Review {
  readonly version: string;
  readonly uid: string;
  readonly body: JsonObject;
}

/** The AdmissionReview of a request, in the first of these versions that the server knows. */
export function admissionReview(attributes: Attributes, as: Version, versions: readonly string[], uid: string): Review {
  const version = versions.find((one) => VERSIONS.has(one));
  if (version === undefined)
    throw new CallError(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    );
  const { dryRun, options, ...request } = admissionRequestFields(attributes, as);
  const shown = (object: ApiObject | undefined): Json =>
    object === undefined ? null : ((as.convert?.(object) ?? attributes.kind.named(object)) as Json);
  const { object, oldObject } = attributes;
  const all = { object: shown(object), oldObject: shown(oldObject), dryRun: dryRun as Json, options: options as Json };
  return {
    version,
    uid,
    body: { kind: 'AdmissionReview', apiVersion: `${GROUP}/${version}`, request: { uid, ...request, ...all } },
  };
}

/** The decision of a webhook. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** The `status` of the response; undefined: none. */
  readonly status: Fields | undefined;
  readonly warnings: readonly string[];
  /** A JSON patch; undefined: nothing is changed. */
  readonly patch: Json | undefined;
}

/** Reads the response to a review. Throws `CallError`. */
export function readWebhookReviewVerdict({ version, uid }: Review, answer: Json, isMutating: boolean): Verdict {
  const refuse = (why: string): CallError => new CallError(`received invalid webhook response: ${why}`);
  const review = isFields(answer) ? answer : {};
  if (!isFields(review['response'])) throw refuse('webhook response was absent');
  const response = review['response'];
  if (version === 'v1') checkWebhookReviewResponse(review, response, uid, isMutating, refuse);
  const patch = textField(response, 'patch');
  return {
    isAllowed: response['allowed'] === true,
    status: isFields(response['status']) ? response['status'] : undefined,
    warnings: textsField(response, 'warnings'),
    patch: isMutating && patch !== '' ? decodeWebhookReviewPatch(patch) : undefined,
  };
}

function checkWebhookReviewResponse(
  review: Fields,
  response: Fields,
  uid: string,
  isMutating: boolean,
  refuse: (why: string) => CallError,
): void {
  if (textField(review, 'apiVersion') === `${GROUP}/v1beta1`)
    throw new CallError(
      'failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
    );
  const given = textField(response, 'uid');
  if (given !== uid) throw refuse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  const kind = `${textField(review, 'apiVersion')}, Kind=${textField(review, 'kind')}`;
  if (kind !== `${GROUP}/v1, Kind=AdmissionReview`)
    throw refuse(
      `expected webhook response of ${GROUP}/v1, Kind=AdmissionReview, got ${kind === ', Kind=' ? '/, Kind=' : kind}`,
    );
  const [patch, type] = [textField(response, 'patch'), response['patchType']];
  const hasType = type !== undefined && type !== null;
  if (!isMutating) {
    if (patch !== '') throw refuse('validating webhook may not return response.patch');
    if (hasType) throw refuse('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && !hasType) throw refuse('webhook returned response.patch but not response.patchType');
  if (patch === '' && hasType) throw refuse('webhook returned response.patchType but not response.patch');
  if (type === '') throw refuse('webhook returned invalid response.patchType of ""');
  if (hasType && type !== 'JSONPatch') throw new CallError(`unsupported patch type ${JSON.stringify(type)}`);
}

function decodeWebhookReviewPatch(text: string): Json {
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString()) as Json;
  } catch (error) {
    throw new CallError(`received undecodable patch in webhook response: ${(error as Error).message}`);
  }
}

const MIN_REFUSAL = 400;

/** The refusal of a webhook: its own status, with its name before the message. */
export function deniedByAdmissionReview(name: string, status: Fields = {}): StatusError {
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const [message, reason] = [textField(status, 'message'), textField(status, 'reason')];
  const why = message || reason;
  const code = typeof status['code'] === 'number' ? status['code'] : 0;
  const details = fieldsAt(status, 'details');
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: fieldsAt(status, 'metadata') as JsonObject,
    status: 'Failure',
    message: why === '' ? `${by} without explanation` : `${by}: ${why}`,
    ...(reason === '' ? {} : { reason }),
    ...(Object.keys(details).length === 0 ? {} : { details: details as NonNullable<Status['details']> }),
    code: Math.max(code, MIN_REFUSAL),
  });
}
