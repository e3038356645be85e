import { type Fields, fieldsAt, isFields, textField } from '../api/kinds/common/fields.ts';
import { metaErrors } from '../api/meta/meta-errors.ts';
import { defined } from 'kube-informer/core';
import { copyJson, type Json, type JsonObject } from '../core/json.ts';
import type { ApiObject, ObjectMeta } from '../core/kube-object.ts';
import { aggregateFieldErrors } from '../core/field-error.ts';
import { type StatusError, unknownStatusError } from '../core/status-error.ts';

const GROUP = 'apiextensions.k8s.io';
const VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

/** One object to be converted to another version. */
export interface ConversionRequest {
  readonly uid: string;
  /** `group/version` to convert to. */
  readonly to: string;
  /** The object, with kind and apiVersion. */
  readonly object: ApiObject;
  /** Versions of ConversionReview that the webhook supports, in its order of preference. */
  readonly reviewVersions: readonly string[];
}

/** The subject of failures: `example.com/v1, Kind=CronTab`. */
const conversionReviewSubject = ({ object }: ConversionRequest): string => `${object.apiVersion}, Kind=${object.kind}`;

/** A failure as worded by a real server, which gives it no reason. */
export const conversionReviewFailed = (request: ConversionRequest, why: string): StatusError =>
  unknownStatusError(`conversion webhook for ${conversionReviewSubject(request)} failed: ${why}`);

const invalidConversionReview = (request: ConversionRequest, what: string, why: string): StatusError =>
  unknownStatusError(`conversion webhook for ${conversionReviewSubject(request)} returned invalid ${what}: ${why}`);

/** The ConversionReview to send. Throws when the webhook supports no version that exists. */
export function conversionReview({ uid, to, object, reviewVersions }: ConversionRequest): JsonObject {
  const version = reviewVersions.find((one) => VERSIONS.has(one));
  if (version === undefined)
    throw unknownStatusError(`unsupported conversion review versions: [${reviewVersions.join(' ')}]`);
  return {
    kind: 'ConversionReview',
    apiVersion: `${GROUP}/${version}`,
    request: { uid, desiredAPIVersion: to, objects: [copyJson(object) as JsonObject] },
  };
}

/** The converted object of a response. Throws the error of a real server for a response that it does not accept. */
export function objectInConversionReview(request: ConversionRequest, sent: JsonObject, answer: Json): ApiObject {
  const objects = objectsInConversionReview(request, sent, answer);
  if (objects.length !== 1)
    throw unknownStatusError(
      `conversion webhook for ${conversionReviewSubject(request)} returned ${objects.length} objects, expected 1`,
    );
  const converted = (isFields(objects[0]) ? objects[0] : {}) as ApiObject;
  const { object, to } = request;
  const refuse = (why: string): StatusError => invalidConversionReview(request, 'object at index 0', why);
  if (converted.apiVersion !== to)
    throw refuse(`invalid groupVersion (expected ${to}, received ${converted.apiVersion ?? ''})`);
  if (converted.kind !== object.kind)
    throw refuse(`invalid kind (expected ${object.kind}, received ${converted.kind ?? ''})`);
  requireIdentityAfterConversionReview(request, converted);
  return { ...converted, metadata: metadataAfterConversionReview(request, converted) };
}

function objectsInConversionReview(request: ConversionRequest, sent: JsonObject, answer: Json): readonly Json[] {
  const review: Fields = isFields(answer) ? answer : {};
  const isV1 = sent['apiVersion'] === `${GROUP}/v1`;
  const type = `${textField(review, 'apiVersion') || '/'}, Kind=${textField(review, 'kind')}`;
  const expected = `${GROUP}/v1, Kind=ConversionReview`;
  // Reviews of v1beta1 are checked less strictly.
  if (isV1 && type !== expected)
    throw conversionReviewFailed(request, `expected webhook response of ${expected}, got ${type}`);
  if (!isFields(review['response'])) throw conversionReviewFailed(request, 'no response provided');
  const { response } = review as { response: Fields };
  const uid = textField(response, 'uid');
  if (isV1 && uid !== request.uid)
    throw conversionReviewFailed(
      request,
      `expected response.uid=${JSON.stringify(request.uid)}, got ${JSON.stringify(uid)}`,
    );
  const result = fieldsAt(response, 'result');
  const status = textField(result, 'status');
  if (status !== 'Success')
    throw conversionReviewFailed(
      request,
      textField(result, 'message') || `response.result.status was '${status}', not 'Success'`,
    );
  const objects = response['convertedObjects'];
  return Array.isArray(objects) ? (objects as Json[]) : [];
}

/** Throws unless a converted object is the same object: nothing that identifies it may differ. */
function requireIdentityAfterConversionReview(request: ConversionRequest, { metadata = {} }: ApiObject): void {
  const { metadata: own = {} } = request.object;
  const names = { name: 'name', namespace: 'namespace', uid: 'UID' } as const;
  for (const key of ['name', 'namespace', 'uid'] as const) {
    const [is, was] = [metadata[key] ?? '', own[key] ?? ''];
    if (is !== was)
      throw invalidConversionReview(request, 'object', `must have the same ${names[key]}: ${was} != ${is}`);
  }
}

/** The metadata after a conversion: a webhook may change labels and annotations, and no other metadata. */
function metadataAfterConversionReview(request: ConversionRequest, converted: ApiObject): ObjectMeta {
  const refuse = (why: string): StatusError => invalidConversionReview(request, 'metadata', why);
  if (converted.metadata === undefined) throw refuse('missing metadata in converted object');
  const metadata = copyJson(request.object.metadata ?? {});
  for (const field of ['labels', 'annotations'] as const) {
    const value: unknown = converted.metadata[field];
    delete metadata[field];
    if (value === undefined || value === null) continue;
    if (!isFields(value))
      throw refuse(`invalid metadata.${field} of type ${goTypeInConversionReview(value)} in converted object`);
    for (const [key, text] of Object.entries(value))
      if (typeof text !== 'string')
        throw refuse(
          `metadata.${field}[${key}] must be a string, but is ${goTypeInConversionReview(text)} in converted object`,
        );
    metadata[field] = value as Record<string, string>;
  }
  const { labels, annotations } = metadata;
  const errors = metaErrors(NAMELESS, { name: 'x', ...defined({ labels, annotations }) });
  if (errors.length > 0) throw refuse(aggregateFieldErrors(errors));
  return metadata;
}

/** A stand-in resource for checking metadata without checking the name again. */
const NAMELESS = { group: '', resource: 'objects', namespaced: false, custom: true } as const;

function goTypeInConversionReview(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (value === null) return '<nil>';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
