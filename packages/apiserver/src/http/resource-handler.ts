import { managerName } from '../api/apply/manager-name.ts';
import { loadRulesForWrite } from '../api/rules/load.ts';
import { duplicateFields } from '../api/schema/unknown-fields.ts';
import { forbiddenRequest } from '../auth/authz/forbidden.ts';
import { goQuoted } from '../core/go/quoted.ts';
import type { ApiObject } from '../core/object.ts';
import {
  badRequest,
  internalError,
  methodNotAllowed,
  noSuchResource,
  notFound,
  verbNotSupported,
} from '../core/status.ts';
import type { Served } from '../registry/served.ts';
import type { Target, Written } from '../verbs/api.ts';
import { create, requireNamespaceForCreate } from '../verbs/create.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { deleteObject } from '../verbs/delete.ts';
import { evictPod } from '../verbs/eviction.ts';
import { list, type Page } from '../verbs/list.ts';
import type { Patch } from '../verbs/patch.ts';
import { readRecordForVerb, readFreshRecordForVerb } from '../verbs/read.ts';
import { type Body, type Decodable, decodeObject } from '../verbs/request/decode.ts';
import {
  checkDeleteOptions,
  DELETE_OPTIONS,
  readDeleteOptions,
  type DeleteOptions,
} from '../verbs/request/delete-options.ts';
import { BINDING, EVICTION, postedEvictionKind, TOKEN_REQUEST } from '../verbs/request/posted-kinds.ts';
import { queryOfList, queryOfWrite, type WriteQuery } from '../verbs/request/query.ts';
import { bindPodSubresource, DONE, finalizeNamespaceSubresource } from '../verbs/subresources.ts';
import { update } from '../verbs/update.ts';
import type { Backend } from './backend.ts';
import type { Exchange } from './exchange.ts';
import {
  decodeRequestBody,
  type Expected,
  jsonRequestBodyFault,
  parseRequestBody,
  parseJsonRequestBody,
  readRequestBody,
} from './message/body.ts';
import { requireFewBodyValues } from './message/body-values.ts';
import { type FormOptions, includeObjectInForm, listFormBytes, listForm, objectForm } from './message/forms.ts';
import { type Accepted, negotiateBodyMediaType, mediaType, PROTOBUF } from './message/negotiate.ts';
import { findReview } from './find-review.ts';
import { serveWatchStream, watchStreamQuery } from './watch-stream.ts';

/** A request that has found its resource. */
interface Call {
  readonly backend: Backend;
  readonly exchange: Exchange;
  readonly target: Target;
}

/** Handles a request for a served resource. */
export async function handleResource(backend: Backend, exchange: Exchange, served: Served): Promise<void> {
  const { info } = exchange;
  const target: Target = {
    served,
    namespace: info.namespace,
    name: info.name,
    subresource: info.subresource,
    user: exchange.user ?? { name: '', groups: [] },
    warn: (text) => exchange.warn(text),
    requireCreate: () => {
      const action = { ...info, verb: 'create' };
      const { allowed, reason } = backend.authorizer.allows(target.user, action);
      if (!allowed) throw forbiddenRequest(target.user, action, reason);
    },
    requireHere: () => {
      if (exchange.gone.aborted) throw internalError('the client is gone');
    },
  };
  if (served.deprecation !== undefined) exchange.warn(served.deprecation);
  if (exchange.query.get('export') === 'true' && info.verb === 'get')
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  const call: Call = { backend, exchange, target };
  // A form that cannot be sent is refused before anything is written.
  if (WRITES.has(info.verb)) {
    exchange.accepted();
    await loadRulesForWrite(served.resource, mediaType(exchange.header('content-type')) === PROTOBUF);
  }
  if (info.subresource !== '') return handleSubresource(call);
  switch (info.verb) {
    case 'get':
      return handleGet(call);
    case 'list':
      return handleList(call);
    case 'watch':
      return serveWatchStream(backend, exchange, served, watchStreamQuery(exchange, backend.watchList));
    case 'create':
      return handleCreate(call);
    case 'update':
      return sendWrittenResource(call, await handleUpdate(call));
    case 'patch':
      return handlePatch(call);
    case 'delete':
      return handleDelete(call);
    case 'deletecollection':
      return handleDeleteCollection(call);
    default:
      throw served.resource.custom ? verbNotSupported(served.resource, info.verb) : methodNotAllowed();
  }
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

async function handleGet({ backend, exchange, target }: Call): Promise<void> {
  const accepted = exchange.accepted();
  const record = await readFreshRecordForVerb(
    backend.api,
    target,
    exchange.query.get('resourceVersion') ?? '',
    exchange.gone,
  );
  const { served } = target;
  if (accepted.as === 'object' && accepted.type === PROTOBUF) {
    const { protobufObject } = await loadProtobufForHandler();
    return backend.responder.send(exchange, 200, protobufObject(served, record), PROTOBUF_TYPE);
  }
  if (
    accepted.as === 'object' &&
    accepted.type === 'application/json' &&
    !accepted.pretty &&
    served.conversion === undefined
  )
    return backend.responder.send(
      exchange,
      200,
      Buffer.concat([Buffer.from(served.head), record.tail, NEWLINE]),
      JSON_TYPE,
    );
  return sendResourceObject({ backend, exchange, target }, 200, served.object(record));
}

const NEWLINE = Buffer.from('\n');
const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF_TYPE = { 'content-type': PROTOBUF };

async function handleList({ backend, exchange, target }: Call): Promise<void> {
  const accepted = exchange.accepted();
  const query = queryOfList(exchange.query, { isWatch: false, watchList: backend.watchList });
  const { served, namespace } = target;
  // Fails before any work is done if the form does not fit a list.
  if (accepted.as === 'PartialObjectMetadata')
    listForm(NO_PAGE, accepted, await resourceFormOptions({ backend, exchange, target }, accepted));
  const page = await list(backend.api, served, namespace, query, exchange.gone);
  await sendResourcePage({ backend, exchange, target }, page);
}

const NO_PAGE: Page = { records: [], revision: 0, continue: '', remaining: undefined };

async function resourceFormOptions({ backend, exchange, target }: Call, { as }: Accepted): Promise<FormOptions> {
  const { served } = target;
  const now = backend.api.env.wallNow();
  if (as !== 'Table') return { served, table: undefined, include: 'Metadata', now };
  const isScale = target.subresource === 'scale' && !served.resource.custom;
  const table = isScale ? (await import('../api/table/table-format.ts')).scaleFormat : await served.table();
  return { served, include: includeObjectInForm(exchange.query), table, now };
}

async function sendResourcePage({ backend, exchange, target }: Call, page: Page): Promise<void> {
  const accepted = exchange.accepted();
  const { served } = target;
  if (
    accepted.as === 'object' &&
    accepted.type === 'application/json' &&
    !accepted.pretty &&
    served.conversion === undefined
  ) {
    let length = 0;
    for (const { tail } of page.records) length += tail.length;
    return backend.responder.stream(exchange, { type: accepted.type, pieces: listFormBytes(served, page), length });
  }
  if (accepted.type === PROTOBUF && accepted.as !== 'PartialObjectMetadata') {
    const { protobufList } = await loadProtobufForHandler();
    const { pieces, length } = await protobufList(backend.api.env, served, page, accepted);
    return backend.responder.stream(exchange, { type: accepted.type, pieces, length });
  }
  const options = await resourceFormOptions({ backend, exchange, target }, accepted);
  return backend.responder.value(exchange, 200, listForm(page, accepted, options), accepted);
}

/** An object in whatever form the client wants. */
async function sendResourceObject(call: Call, status: number, object: ApiObject): Promise<void> {
  const { backend, exchange } = call;
  const accepted = exchange.accepted();
  const shown = objectForm(object, accepted, await resourceFormOptions(call, accepted));
  return backend.responder.value(exchange, status, shown, accepted);
}

const sendWrittenResource = (call: Call, { status, object }: Written): Promise<void> =>
  sendResourceObject(call, status, object);

async function handleCreate(call: Call): Promise<void> {
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
    const pods = backend.api.registry.find('', 'v1', 'pods') as Served;
    bindPodSubresource(backend.api, { ...target, served: pods, name: object.metadata?.name ?? '' }, object, options);
    return backend.responder.value(exchange, 201, DONE, exchange.accepted());
  }
  return sendWrittenResource(call, create(backend.api, target, object, options));
}

/** The parts that few requests need are loaded by the first that does: a server starts faster without them. */
const loadPatchForHandler = async () => import('../verbs/patch.ts');
const loadProtobufForHandler = async () => import('./message/protobuf-forms.ts');
const loadScaleForHandler = async () => import('../verbs/scale.ts');

async function handleUpdate(call: Call): Promise<Written> {
  const { exchange, backend, target } = call;
  const options = readWriteOptionsForHandler(exchange, 'UpdateOptions');
  const body = await readResourceBody(exchange, target.served.resource);
  return update(backend.api, target, decodeResourceForHandler(call, body, options), options);
}

async function handlePatch(call: Call): Promise<void> {
  const { backend, target } = call;
  const { request, options } = await readPatchForHandler(call);
  requireFewBodyValues(request.value);
  const { patch } = await loadPatchForHandler();
  return sendWrittenResource(call, patch(backend.api, target, request, options));
}

async function readPatchForHandler({ exchange, target }: Call): Promise<{ request: Patch; options: WriteQuery }> {
  const { patchType } = await loadPatchForHandler();
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
      fieldValidation === 'Ignore' ? [] : duplicateFields(text).map((path) => duplicateFieldForHandler(type, path));
    return { request: { type, value, force, duplicates }, options };
  } catch (error) {
    const why = jsonRequestBodyFault(text, error);
    throw badRequest(type === 'application/strategic-merge-patch+json' ? why : `error decoding patch: ${why}`);
  }
}

const duplicateFieldForHandler = (type: Patch['type'], path: string): string =>
  `${type === 'application/json-patch+json' ? 'json patch ' : ''}duplicate field ${goQuoted(path)}`;

async function handleDelete(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const answer = deleteObject(backend.api, target, await readDeleteForHandler(exchange));
  if ('object' in answer) return sendResourceObject(call, answer.status, answer.object);
  return backend.responder.value(exchange, 200, answer.success, exchange.accepted());
}

async function handleDeleteCollection(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const query = queryOfList(exchange.query, { isWatch: false, watchList: backend.watchList });
  const page = await deleteCollection(backend.api, target, query, await readDeleteForHandler(exchange), exchange.gone);
  return sendResourcePage(call, page);
}

async function readDeleteForHandler(exchange: Exchange): Promise<DeleteOptions> {
  const bytes = await readRequestBody(exchange.request);
  if (bytes.length === 0) return readDeleteOptions(exchange.query, undefined);
  const type = negotiateBodyMediaType(exchange.header('content-type'));
  const { value } = await parseRequestBody(bytes, type, DELETE_OPTIONS, (why) => why);
  checkDeleteOptions(value);
  return readDeleteOptions(exchange.query, value);
}

async function handleSubresource(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const { api, responder } = backend;
  const { verb } = exchange.info;
  const { resource } = target.served.resource;
  switch (`${target.subresource} ${verb}`) {
    case 'status get':
    case 'approval get':
    case 'ephemeralcontainers get':
    case 'resize get':
      return handleGet(call);
    case 'status update':
    case 'ephemeralcontainers update':
    case 'resize update':
      return sendWrittenResource(call, await handleUpdate(call));
    case 'status patch':
    case 'ephemeralcontainers patch':
    case 'resize patch':
      return handlePatch(call);
    case 'approval update':
      return sendWrittenResource(asStatusForHandler(call), await handleUpdate(asStatusForHandler(call)));
    case 'approval patch':
      return handlePatch(asStatusForHandler(call));
    case 'scale get':
      return sendResourceObject(call, 200, (await loadScaleForHandler()).getScale(target));
    case 'scale update': {
      const options = readWriteOptionsForHandler(exchange, 'UpdateOptions');
      const { putScale, SCALE } = await loadScaleForHandler();
      const body = await readResourceBody(exchange, SCALE.resource);
      return sendResourceObject(
        call,
        200,
        putScale(api, target, decodeResourceForHandler(call, body, options, SCALE), options),
      );
    }
    case 'scale patch': {
      const { request, options } = await readPatchForHandler(call);
      const { patchScale } = await loadScaleForHandler();
      return sendResourceObject(call, 200, patchScale(api, target, request, options));
    }
    case 'finalize update': {
      const options = readWriteOptionsForHandler(exchange, 'UpdateOptions');
      const body = await readResourceBody(exchange, target.served.resource);
      return sendWrittenResource(
        call,
        finalizeNamespaceSubresource(api, target, decodeResourceForHandler(call, body, options), options),
      );
    }
    case 'binding create':
    case 'eviction create': {
      const options = readWriteOptionsForHandler(exchange, 'CreateOptions');
      const isBinding = target.subresource === 'binding';
      const body = await readResourceBody(exchange, (isBinding ? BINDING : EVICTION).resource);
      const object = decodeResourceForHandler(
        call,
        body,
        options,
        isBinding ? BINDING : postedEvictionKind(body.value),
      );
      const status = isBinding
        ? bindPodSubresource(api, target, object, options)
        : evictPod(api, target, object, options);
      return responder.value(exchange, 201, status, exchange.accepted());
    }
    case 'token create': {
      const options = readWriteOptionsForHandler(exchange, 'CreateOptions');
      const object = decodeResourceForHandler(
        call,
        await readResourceBody(exchange, TOKEN_REQUEST.resource),
        options,
        TOKEN_REQUEST,
      );
      const account = target.served.object(readRecordForVerb(target));
      requireNamespaceForCreate(api, target, { name: target.name });
      const tokens = await backend.tokens();
      const issued = tokens.issue({
        object,
        account,
        now: api.env.wallNow(),
        find: (wanted, namespace, name) => {
          const served = api.registry.find('', 'v1', wanted);
          const record = served?.collection.get(wanted === 'nodes' ? '' : namespace, name);
          return record === undefined ? undefined : served?.object(record);
        },
      });
      return sendResourceObject(call, 201, issued);
    }
    case 'log get':
      readRecordForVerb(target);
      throw badRequest('logs are not available: this is an embedded API server without kubelets');
    default:
      throw resource === 'pods' ? noSuchResource() : notFound(target.served.resource, target.name);
  }
}

const asStatusForHandler = (call: Call): Call => ({
  ...call,
  target: { ...call.target, subresource: 'status' },
});

function readWriteOptionsForHandler(exchange: Exchange, kind: string, isApply = false): WriteQuery {
  const options = queryOfWrite(exchange.query, kind, isApply);
  return { ...options, fieldManager: managerName(options.fieldManager, exchange.userAgent) };
}

async function readResourceBody(exchange: Exchange, expected: Expected): Promise<Body> {
  const type = negotiateBodyMediaType(exchange.header('content-type'));
  return decodeRequestBody(await readRequestBody(exchange.request), type, expected);
}

function decodeResourceForHandler(
  { backend, target }: Call,
  body: Body,
  { fieldValidation }: WriteQuery,
  served: Decodable = target.served,
): ApiObject {
  const { registry } = backend.api;
  return decodeObject(body, { registry, served, fieldValidation, warn: target.warn });
}
