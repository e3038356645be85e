import { loadRulesForWrite } from '../api/rules/load-rules.ts';
import { forbiddenRequest } from '../auth/authz/forbidden.ts';
import {
  badRequestStatusError,
  internalStatusError,
  methodNotAllowedStatusError,
  verbNotSupportedStatusError,
} from '../core/status-error.ts';
import type { Served } from '../registry/served.ts';
import type { Target } from '../verbs/api-context.ts';
import type { Backend } from './backend.ts';
import type { Exchange } from './http-exchange.ts';
import { mediaType, PROTOBUF } from './message/negotiate.ts';
import type { Call } from './resource-call.ts';
import { handleReadOfResource, handleListReadOfResource, sendWrittenByResourceRead } from './resource-reads.ts';
import {
  writeNewResource,
  writeResourceDelete,
  writeResourceCollectionDelete,
  writeResourcePatch,
  writeResourceUpdate,
} from './resource-writes.ts';
import { handleSubresource } from './subresource-handler.ts';
import { serveWatchStream, httpWatchStreamQuery } from './served-watch-stream.ts';

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
      if (exchange.gone.aborted) throw internalStatusError('the client is gone');
    },
  };
  if (served.deprecation !== undefined) exchange.warn(served.deprecation);
  if (exchange.query.get('export') === 'true' && info.verb === 'get')
    throw badRequestStatusError('the export parameter, deprecated since v1.14, is no longer supported');
  const call: Call = { backend, exchange, target };
  // A form that cannot be sent is refused before anything is written.
  if (WRITES.has(info.verb)) {
    exchange.accepted();
    await loadRulesForWrite(served.resource, mediaType(exchange.header('content-type')) === PROTOBUF);
    await backend.api.admission?.load(served.resource.group);
  }
  if (info.subresource !== '') return handleSubresource(call);
  switch (info.verb) {
    case 'get':
      return handleReadOfResource(call);
    case 'list':
      return handleListReadOfResource(call);
    case 'watch':
      return serveWatchStream(backend, exchange, served, httpWatchStreamQuery(exchange, backend.watchList));
    case 'create':
      return writeNewResource(call);
    case 'update':
      return sendWrittenByResourceRead(call, await writeResourceUpdate(call));
    case 'patch':
      return writeResourcePatch(call);
    case 'delete':
      return writeResourceDelete(call);
    case 'deletecollection':
      return writeResourceCollectionDelete(call);
    default:
      throw served.resource.custom
        ? verbNotSupportedStatusError(served.resource, info.verb)
        : methodNotAllowedStatusError();
  }
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
