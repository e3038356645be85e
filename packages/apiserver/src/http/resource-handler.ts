import { reviews } from '../auth/reviews.ts';
import {
  badRequest,
  methodNotAllowed,
  noSuchResource,
  notFound,
  StatusError,
  verbNotSupported,
} from '../errors/status.ts';
import { managerName } from '../patch/manager-name.ts';
import type { Served } from '../served.ts';
import type { ApiObject } from '../types.ts';
import type { Target, Written } from '../verbs/api.ts';
import { create } from '../verbs/create.ts';
import { type Body, decodeObject } from '../verbs/decode.ts';
import { removeCollection } from '../verbs/delete-collection.ts';
import { deleteOptions, type DeleteOptions } from '../verbs/delete-options.ts';
import { remove } from '../verbs/delete.ts';
import { list } from '../verbs/list.ts';
import { listQuery, writeQuery, type WriteQuery } from '../verbs/options.ts';
import { patch, patchType, type Patch } from '../verbs/patch.ts';
import { find, get } from '../verbs/read.ts';
import { getScale, patchScale, putScale } from '../verbs/scale.ts';
import { bind, DONE, evict, finalizeNamespace } from '../verbs/subresources.ts';
import { update } from '../verbs/update.ts';
import type { Backend } from './backend.ts';
import { decodeBody, jsonFault, readBody, yamlValue } from './body.ts';
import type { Exchange } from './exchange.ts';
import { includeObject, listBytes, listForm, objectForm } from './forms.ts';
import { bodyType, mediaType } from './negotiate.ts';
import { encode } from './respond.ts';
import { serveWatch, watchQuery } from './watch-stream.ts';

/** A request that has found its resource. */
interface Call {
  readonly backend: Backend;
  readonly exchange: Exchange;
  readonly target: Target;
}

/** Answers a request about a resource that is served. */
export async function handleResource(backend: Backend, exchange: Exchange, served: Served): Promise<void> {
  const { info } = exchange;
  const target: Target = {
    served,
    namespace: info.namespace,
    name: info.name,
    subresource: info.subresource,
    user: exchange.user ?? { name: '', groups: [] },
    warn: (text) => exchange.warn(text),
  };
  if (served.deprecation !== undefined) exchange.warn(served.deprecation);
  if (exchange.query.get('export') === 'true' && info.verb === 'get')
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  const call: Call = { backend, exchange, target };
  if (info.subresource !== '') return subresource(call);
  switch (info.verb) {
    case 'get':
      return getOne(call);
    case 'list':
      return listAll(call);
    case 'watch':
      return serveWatch(backend, exchange, served, watchQuery(exchange, backend.watchList));
    case 'create':
      return createOne(call);
    case 'update':
      return answerWritten(call, await updateOne(call));
    case 'patch':
      return patchOne(call);
    case 'delete':
      return deleteOne(call);
    case 'deletecollection':
      return deleteAll(call);
    default:
      throw served.resource.custom ? verbNotSupported(served.resource, info.verb) : methodNotAllowed();
  }
}

async function getOne({ backend, exchange, target }: Call): Promise<void> {
  const accepted = exchange.accepted();
  const record = await get(backend.api, target, exchange.query.get('resourceVersion') ?? '');
  const { served } = target;
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
  return answerObject({ backend, exchange, target }, 200, served.object(record));
}

const NEWLINE = Buffer.from('\n');
const JSON_TYPE = { 'content-type': 'application/json' };

async function listAll({ backend, exchange, target }: Call): Promise<void> {
  const accepted = exchange.accepted();
  const query = listQuery(exchange.query, { isWatch: false, watchList: backend.watchList });
  const { served, namespace } = target;
  // Said before any work is done: the form does not fit a list.
  if (accepted.as === 'PartialObjectMetadata')
    listForm(
      { records: [], revision: 0, continue: '', remaining: undefined },
      accepted,
      formOptions(backend, exchange, served),
    );
  const page = await list(backend.api, served, namespace, query);
  await answerPage({ backend, exchange, target }, page);
}

function formOptions({ api }: Backend, exchange: Exchange, served: Served): Parameters<typeof listForm>[2] {
  return { served, include: includeObject(exchange.query), now: api.env.wallNow() };
}

async function answerPage({ backend, exchange, target }: Call, page: Awaited<ReturnType<typeof list>>): Promise<void> {
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
    return backend.responder.stream(exchange, listBytes(served, page), length);
  }
  const options =
    accepted.as === 'Table'
      ? formOptions(backend, exchange, served)
      : { served, include: 'Metadata' as const, now: backend.api.env.wallNow() };
  return backend.responder.value(exchange, 200, listForm(page, accepted, options), accepted);
}

/** An object in whatever form the client wants. */
function answerObject({ backend, exchange, target }: Call, status: number, object: ApiObject): Promise<void> {
  const accepted = exchange.accepted();
  const options = {
    served: target.served,
    include: accepted.as === 'Table' ? includeObject(exchange.query) : ('Metadata' as const),
    now: backend.api.env.wallNow(),
  };
  return backend.responder.send(exchange, status, encode(objectForm(object, accepted, options), accepted), {
    'content-type': accepted.type,
  });
}

const answerWritten = (call: Call, { status, object }: Written): Promise<void> => answerObject(call, status, object);

async function createOne(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const { group, resource, kind } = target.served.resource;
  const options = writeOptions(exchange, 'CreateOptions');
  const body = await bodyOf(exchange, kind);
  const review = reviews.get(`${group}/${resource}`);
  const object = decode(call, body, options);
  if (review !== undefined) {
    const { api, authorizer, users } = backend;
    const { user, namespace } = target;
    return answerObject(call, 201, review({ object, user, namespace, authorizer, users, now: api.env.wallNow() }));
  }
  if (group === '' && resource === 'bindings') {
    const pods = backend.api.registry.find('', 'v1', 'pods') as Served;
    bind(backend.api, { ...target, served: pods, name: object.metadata?.name ?? '' }, object, options);
    return backend.responder.value(exchange, 201, DONE, exchange.accepted());
  }
  return answerWritten(call, create(backend.api, target, object, options));
}

async function updateOne(call: Call): Promise<Written> {
  const { exchange, backend, target } = call;
  const options = writeOptions(exchange, 'UpdateOptions');
  const body = await bodyOf(exchange, target.served.resource.kind);
  return update(backend.api, target, decode(call, body, options), options);
}

async function patchOne(call: Call): Promise<void> {
  const { backend, target } = call;
  const { request, options } = await patchOf(call);
  return answerWritten(call, patch(backend.api, target, request, options));
}

async function patchOf({ exchange, target }: Call): Promise<{ request: Patch; options: WriteQuery }> {
  const type = patchType(mediaType(exchange.header('content-type')), target.served.resource.custom);
  const isApply = type === 'application/apply-patch+yaml';
  const options = writeOptions(exchange, 'PatchOptions', isApply);
  const text = (await readBody(exchange.request)).toString();
  try {
    return { request: { type, value: isApply ? yamlValue(text) : JSON.parse(text), force: options.force }, options };
  } catch (error) {
    if (isApply) throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
    const why = jsonFault(text, error);
    throw badRequest(type === 'application/strategic-merge-patch+json' ? why : `error decoding patch: ${why}`);
  }
}

async function deleteOne(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const answer = remove(backend.api, target, await deleteOptionsOf(exchange));
  if ('object' in answer) return answerObject(call, answer.status, answer.object);
  return backend.responder.value(exchange, 200, answer.success, exchange.accepted());
}

async function deleteAll(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const query = listQuery(exchange.query, { isWatch: false, watchList: backend.watchList });
  const page = await removeCollection(backend.api, target, query, await deleteOptionsOf(exchange));
  return answerPage(call, page);
}

async function deleteOptionsOf(exchange: Exchange): Promise<DeleteOptions> {
  const bytes = await readBody(exchange.request);
  if (bytes.length === 0) return deleteOptions(exchange.query, undefined);
  const type = bodyType(exchange.header('content-type'));
  if (type !== 'application/json') return deleteOptions(exchange.query, decodeBody(bytes, type, 'DeleteOptions').value);
  const text = bytes.toString();
  try {
    return deleteOptions(exchange.query, JSON.parse(text));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(`couldn't get version/kind; json parse error: ${jsonFault(text, error)}`);
  }
}

async function subresource(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const { api, responder } = backend;
  const { verb } = exchange.info;
  const { resource, kind } = target.served.resource;
  switch (`${target.subresource} ${verb}`) {
    case 'status get':
    case 'approval get':
    case 'ephemeralcontainers get':
    case 'resize get':
      return getOne(call);
    case 'status update':
      return answerWritten(call, await updateOne(call));
    case 'status patch':
      return patchOne(call);
    case 'approval update':
      return answerWritten(asStatus(call), await updateOne(asStatus(call)));
    case 'approval patch':
      return patchOne(asStatus(call));
    case 'scale get':
      return answerObject(call, 200, getScale(target));
    case 'scale update': {
      const options = writeOptions(exchange, 'UpdateOptions');
      const body = await bodyOf(exchange, 'Scale');
      return answerObject(call, 200, putScale(api, target, objectIn(body), options));
    }
    case 'scale patch': {
      const { request, options } = await patchOf(call);
      return answerObject(call, 200, patchScale(api, target, request, options));
    }
    case 'finalize update': {
      const options = writeOptions(exchange, 'UpdateOptions');
      const body = await bodyOf(exchange, kind);
      return answerWritten(call, finalizeNamespace(api, target, decode(call, body, options), options));
    }
    case 'binding create':
    case 'eviction create': {
      const options = writeOptions(exchange, 'CreateOptions');
      const body = objectIn(await bodyOf(exchange, target.subresource === 'binding' ? 'Binding' : 'Eviction'));
      const status =
        target.subresource === 'binding' ? bind(api, target, body, options) : evict(api, target, body, options);
      return responder.value(exchange, 201, status, exchange.accepted());
    }
    case 'token create': {
      const object = objectIn(await bodyOf(exchange, 'TokenRequest'));
      const account = target.served.object(find(target));
      const issued = backend.tokens.issue({
        object,
        account,
        now: api.env.wallNow(),
        find: (wanted, namespace, name) => {
          const served = api.registry.find('', 'v1', wanted);
          const record = served?.collection.get(wanted === 'nodes' ? '' : namespace, name);
          return record === undefined ? undefined : served?.object(record);
        },
      });
      return answerObject(call, 201, issued);
    }
    case 'log get':
      find(target);
      throw badRequest('logs are not available: this is an embedded API server without kubelets');
    default:
      throw resource === 'pods' ? noSuchResource() : notFound(target.served.resource, target.name);
  }
}

const asStatus = (call: Call): Call => ({
  ...call,
  target: { ...call.target, subresource: 'status' },
});

function writeOptions(exchange: Exchange, kind: string, isApply = false): WriteQuery {
  const options = writeQuery(exchange.query, kind, isApply);
  return { ...options, fieldManager: managerName(options.fieldManager, exchange.userAgent) };
}

async function bodyOf(exchange: Exchange, kind: string): Promise<Body> {
  const type = bodyType(exchange.header('content-type'));
  return decodeBody(await readBody(exchange.request), type, kind);
}

/** A body of a kind that is not stored: taken as it is. */
function objectIn({ value }: Body): ApiObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw badRequest('the body must be an object');
  return value as ApiObject;
}

function decode({ backend, target }: Call, body: Body, { fieldValidation }: WriteQuery): ApiObject {
  const { registry } = backend.api;
  return decodeObject(body, { registry, served: target.served, fieldValidation, warn: (text) => target.warn(text) });
}
