import { managerName } from '../api/apply/manager-name.ts';
import { duplicateAndUnknownFields } from '../api/schema/unknown-fields.ts';
import { goQuoted } from '../core/go/go-quoted.ts';
import type { JsonObject } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { badRequestStatusError } from '../core/status-error.ts';
import type { Served } from '../registry/served.ts';
import type { Written } from '../verbs/api-context.ts';
import { create } from '../verbs/create.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { deleteNow } from '../verbs/delete.ts';
import type { Patch } from '../verbs/patch.ts';
import { type Body, type Decodable, decodeRequestObject } from '../verbs/request/decode-request.ts';
import {
  checkDeleteOptions,
  DELETE_OPTIONS,
  readDeleteOptions,
  type DeleteOptions,
} from '../verbs/request/delete-options.ts';
import { queryOfList, queryOfWrite, type WriteQuery } from '../verbs/request/query.ts';
import { doVerbSteps } from '../verbs/steps.ts';
import { bindingSubresource, DONE } from '../verbs/subresources.ts';
import { update } from '../verbs/update.ts';
import type { Exchange } from './http-exchange.ts';
import {
  decodeRequestBody,
  type Expected,
  jsonRequestBodyFault,
  parseRequestBody,
  parseJsonRequestBody,
  readRequestBody,
} from './message/request-body.ts';
import { requireFewBodyValues } from './message/body-values.ts';
import { negotiateBodyMediaType, mediaType } from './message/negotiate.ts';
import { findReview } from './find-review.ts';
import type { Call } from './resource-call.ts';
import { sendResourceReadObject, sendResourceReadPage, sendWrittenByResourceRead } from './resource-reads.ts';

export async function writeNewResource(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const { group, resource } = target.served.resource;
  const options = resourceWriteOptions(exchange, 'CreateOptions');
  const body = await resourceWriteBody(exchange, target.served.resource);
  const review = await findReview(group, resource);
  const object = decodeResourceWrite(call, body, options);
  if (review !== undefined) {
    const { api, authorizer, users } = backend;
    const { user, namespace } = target;
    return sendResourceReadObject(
      call,
      201,
      review({ object, user, namespace, authorizer, users, now: api.env.wallNow() }),
    );
  }
  if (group === '' && resource === 'bindings') {
    if ((object.metadata?.name ?? '') === '') throw badRequestStatusError('Name parameter required.');
    const pods = backend.api.registry.find('', 'v1', 'pods') as Served;
    const pod = { ...target, served: pods, name: object.metadata?.name ?? '' };
    await doVerbSteps(bindingSubresource(backend.api, pod, object, options));
    return backend.responder.value(exchange, 201, DONE, exchange.accepted());
  }
  return sendWrittenByResourceRead(call, await doVerbSteps(create(backend.api, target, object, options)));
}

/** Loads code that few requests need with the first of them: a server starts faster without it. */
const loadPatchForWrites = async () => import('../verbs/patch.ts');

export async function writeResourceUpdate(call: Call): Promise<Written> {
  const { exchange, backend, target } = call;
  const options = resourceWriteOptions(exchange, 'UpdateOptions');
  const body = await resourceWriteBody(exchange, target.served.resource);
  return doVerbSteps(update(backend.api, target, decodeResourceWrite(call, body, options), options));
}

export async function writeResourcePatch(call: Call): Promise<void> {
  const { backend, target } = call;
  const { request, options } = await readPatchToWrite(call);
  requireFewBodyValues(request.value);
  const { patch } = await loadPatchForWrites();
  return sendWrittenByResourceRead(call, await doVerbSteps(patch(backend.api, target, request, options)));
}

export async function readPatchToWrite({ exchange, target }: Call): Promise<{ request: Patch; options: WriteQuery }> {
  const { patchType } = await loadPatchForWrites();
  const type = patchType(mediaType(exchange.header('content-type')), target.served.resource.custom);
  const isApply = type === 'application/apply-patch+yaml';
  const options = resourceWriteOptions(exchange, 'PatchOptions', isApply);
  const { force, fieldValidation } = options;
  const text = (await readRequestBody(exchange.request)).toString();
  if (isApply) {
    const { readYamlBody, YamlError } = await import('./message/yaml-body.ts');
    try {
      return { request: { type, ...readYamlBody(text), force }, options };
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      throw badRequestStatusError(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
    }
  }
  try {
    const value = parseJsonRequestBody(text);
    const duplicates =
      fieldValidation === 'Ignore'
        ? []
        : duplicateAndUnknownFields(text).map((path) => duplicateFieldInWrite(type, path));
    return { request: { type, value, force, duplicates }, options };
  } catch (error) {
    const why = jsonRequestBodyFault(text, error);
    throw badRequestStatusError(
      type === 'application/strategic-merge-patch+json' ? why : `error decoding patch: ${why}`,
    );
  }
}

const duplicateFieldInWrite = (type: Patch['type'], path: string): string =>
  `${type === 'application/json-patch+json' ? 'json patch ' : ''}duplicate field ${goQuoted(path)}`;

export async function writeResourceDelete(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const answer = await doVerbSteps(deleteNow(backend.api, target, await readDeleteToWrite(exchange)));
  if ('object' in answer) return sendResourceReadObject(call, answer.status, answer.object);
  return backend.responder.value(exchange, 200, answer.success, exchange.accepted());
}

export async function writeResourceCollectionDelete(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const query = queryOfList(exchange.query, { isWatch: false, watchList: backend.watchList });
  const page = await deleteCollection(backend.api, target, query, await readDeleteToWrite(exchange), exchange.gone);
  return sendResourceReadPage(call, page);
}

async function readDeleteToWrite(exchange: Exchange): Promise<DeleteOptions> {
  const bytes = await readRequestBody(exchange.request);
  if (bytes.length === 0) return readDeleteOptions(exchange.query, undefined);
  const type = negotiateBodyMediaType(exchange.header('content-type'));
  const { value } = await parseRequestBody(bytes, type, DELETE_OPTIONS, (why) => why);
  checkDeleteOptions(value);
  return readDeleteOptions(exchange.query, value);
}

export function resourceWriteOptions(exchange: Exchange, kind: string, isApply = false): WriteQuery {
  const options = queryOfWrite(exchange.query, kind, isApply);
  const { query } = exchange;
  const sent: JsonObject = {};
  for (const name of ['fieldManager', 'fieldValidation']) if (query.has(name)) sent[name] = query.get(name);
  return { ...options, sent, fieldManager: managerName(options.fieldManager, exchange.userAgent) };
}

export async function resourceWriteBody(exchange: Exchange, expected: Expected): Promise<Body> {
  const type = negotiateBodyMediaType(exchange.header('content-type'));
  return decodeRequestBody(await readRequestBody(exchange.request), type, expected);
}

export function decodeResourceWrite(
  { backend, target }: Call,
  body: Body,
  { fieldValidation }: WriteQuery,
  served: Decodable = target.served,
): ApiObject {
  const { registry } = backend.api;
  return decodeRequestObject(body, { registry, served, fieldValidation, warn: target.warn });
}
