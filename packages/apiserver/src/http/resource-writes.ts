import { managerName } from '../api/apply/manager-name.ts';
import { duplicateFields } from '../api/schema/unknown-fields.ts';
import { goQuoted } from '../core/go/go-quoted.ts';
import type { JsonObject } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { badRequest } from '../core/status-error.ts';
import type { Served } from '../registry/served.ts';
import type { Written } from '../verbs/api-context.ts';
import { create } from '../verbs/create.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { deleteObject } from '../verbs/delete.ts';
import type { Patch } from '../verbs/patch.ts';
import { type Body, type Decodable, decodeRequestObject } from '../verbs/request/decode-request.ts';
import {
  checkDeleteOptions,
  DELETE_OPTIONS,
  readDeleteOptions,
  type DeleteOptions,
} from '../verbs/request/delete-options.ts';
import { queryOfList, queryOfWrite, type WriteQuery } from '../verbs/request/query.ts';
import { runVerbSteps } from '../verbs/steps.ts';
import { bindPodSubresource, DONE } from '../verbs/subresources.ts';
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
import { sendResourceObject, sendResourcePage, sendWrittenResource } from './resource-reads.ts';

export async function handleResourceCreate(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const { group, resource } = target.served.resource;
  const options = readWriteOptionsForHandler(exchange, 'CreateOptions');
  const body = await readResourceBody(exchange, target.served.resource);
  const review = await findReview(group, resource);
  const object = decodeResourceForHandler(call, body, options);
  if (review !== undefined) {
    const { api, authorizer, users } = backend;
    const { user, namespace } = target;
    return sendResourceObject(
      call,
      201,
      review({ object, user, namespace, authorizer, users, now: api.env.wallNow() }),
    );
  }
  if (group === '' && resource === 'bindings') {
    if ((object.metadata?.name ?? '') === '') throw badRequest('Name parameter required.');
    const pods = backend.api.registry.find('', 'v1', 'pods') as Served;
    const pod = { ...target, served: pods, name: object.metadata?.name ?? '' };
    await runVerbSteps(bindPodSubresource(backend.api, pod, object, options));
    return backend.responder.value(exchange, 201, DONE, exchange.accepted());
  }
  return sendWrittenResource(call, await runVerbSteps(create(backend.api, target, object, options)));
}

/** The parts that few requests need are loaded by the first that does: a server starts faster without them. */
const loadPatchForWrites = async () => import('../verbs/patch.ts');

export async function handleResourceUpdate(call: Call): Promise<Written> {
  const { exchange, backend, target } = call;
  const options = readWriteOptionsForHandler(exchange, 'UpdateOptions');
  const body = await readResourceBody(exchange, target.served.resource);
  return runVerbSteps(update(backend.api, target, decodeResourceForHandler(call, body, options), options));
}

export async function handleResourcePatch(call: Call): Promise<void> {
  const { backend, target } = call;
  const { request, options } = await readPatchToWrite(call);
  requireFewBodyValues(request.value);
  const { patch } = await loadPatchForWrites();
  return sendWrittenResource(call, await runVerbSteps(patch(backend.api, target, request, options)));
}

export async function readPatchToWrite({ exchange, target }: Call): Promise<{ request: Patch; options: WriteQuery }> {
  const { patchType } = await loadPatchForWrites();
  const type = patchType(mediaType(exchange.header('content-type')), target.served.resource.custom);
  const isApply = type === 'application/apply-patch+yaml';
  const options = readWriteOptionsForHandler(exchange, 'PatchOptions', isApply);
  const { force, fieldValidation } = options;
  const text = (await readRequestBody(exchange.request)).toString();
  if (isApply) {
    const { readYamlBody, YamlError } = await import('./message/yaml-body.ts');
    try {
      return { request: { type, ...readYamlBody(text), force }, options };
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
    }
  }
  try {
    const value = parseJsonRequestBody(text);
    const duplicates =
      fieldValidation === 'Ignore' ? [] : duplicateFields(text).map((path) => duplicateFieldInWrite(type, path));
    return { request: { type, value, force, duplicates }, options };
  } catch (error) {
    const why = jsonRequestBodyFault(text, error);
    throw badRequest(type === 'application/strategic-merge-patch+json' ? why : `error decoding patch: ${why}`);
  }
}

const duplicateFieldInWrite = (type: Patch['type'], path: string): string =>
  `${type === 'application/json-patch+json' ? 'json patch ' : ''}duplicate field ${goQuoted(path)}`;

export async function handleResourceDelete(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const answer = await runVerbSteps(deleteObject(backend.api, target, await readDeleteToWrite(exchange)));
  if ('object' in answer) return sendResourceObject(call, answer.status, answer.object);
  return backend.responder.value(exchange, 200, answer.success, exchange.accepted());
}

export async function handleResourceDeleteCollection(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const query = queryOfList(exchange.query, { isWatch: false, watchList: backend.watchList });
  const page = await deleteCollection(backend.api, target, query, await readDeleteToWrite(exchange), exchange.gone);
  return sendResourcePage(call, page);
}

async function readDeleteToWrite(exchange: Exchange): Promise<DeleteOptions> {
  const bytes = await readRequestBody(exchange.request);
  if (bytes.length === 0) return readDeleteOptions(exchange.query, undefined);
  const type = negotiateBodyMediaType(exchange.header('content-type'));
  const { value } = await parseRequestBody(bytes, type, DELETE_OPTIONS, (why) => why);
  checkDeleteOptions(value);
  return readDeleteOptions(exchange.query, value);
}

export function readWriteOptionsForHandler(exchange: Exchange, kind: string, isApply = false): WriteQuery {
  const options = queryOfWrite(exchange.query, kind, isApply);
  const { query } = exchange;
  const sent: JsonObject = {};
  for (const name of ['fieldManager', 'fieldValidation']) if (query.has(name)) sent[name] = query.get(name);
  return { ...options, sent, fieldManager: managerName(options.fieldManager, exchange.userAgent) };
}

export async function readResourceBody(exchange: Exchange, expected: Expected): Promise<Body> {
  const type = negotiateBodyMediaType(exchange.header('content-type'));
  return decodeRequestBody(await readRequestBody(exchange.request), type, expected);
}

export function decodeResourceForHandler(
  { backend, target }: Call,
  body: Body,
  { fieldValidation }: WriteQuery,
  served: Decodable = target.served,
): ApiObject {
  const { registry } = backend.api;
  return decodeRequestObject(body, { registry, served, fieldValidation, warn: target.warn });
}
