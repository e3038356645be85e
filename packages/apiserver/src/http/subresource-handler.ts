import type { Socket } from 'node:net';
import { badRequest, noSuchResource, notFound } from '../core/status-error.ts';
import { podToConnect, isPodConnection, refusePodConnection } from '../verbs/connect-verb.ts';
import { requireNamespaceForCreate } from '../verbs/create.ts';
import { evictPod } from '../verbs/eviction.ts';
import { readRecordForVerb } from '../verbs/read.ts';
import { BINDING, EVICTION, postedEvictionKind, TOKEN_REQUEST } from '../verbs/request/posted-kinds.ts';
import { runVerbSteps } from '../verbs/steps.ts';
import { bindPodSubresource, finalizeNamespaceSubresource } from '../verbs/subresources.ts';
import type { Call } from './resource-call.ts';
import { handleResourceGet, sendResourceObject, sendWrittenResource } from './resource-reads.ts';
import { waitForResponderRoom } from './responder.ts';
import {
  decodeResourceForHandler,
  handleResourcePatch,
  handleResourceUpdate,
  readPatchToWrite,
  readResourceBody,
  readWriteOptionsForHandler,
} from './resource-writes.ts';

const loadScaleForHandler = async () => import('../verbs/scale.ts');

/** Handles a request for a part of an object. */
export async function handleSubresource(call: Call): Promise<void> {
  const { backend, exchange, target } = call;
  const { api, responder } = backend;
  const { verb } = exchange.info;
  const { resource } = target.served.resource;
  switch (`${target.subresource} ${verb}`) {
    case 'status get':
    case 'approval get':
    case 'ephemeralcontainers get':
    case 'resize get':
      return handleResourceGet(call);
    case 'status update':
    case 'ephemeralcontainers update':
    case 'resize update':
      return sendWrittenResource(call, await handleResourceUpdate(call));
    case 'status patch':
    case 'ephemeralcontainers patch':
    case 'resize patch':
      return handleResourcePatch(call);
    case 'approval update':
      return sendWrittenResource(asStatusForHandler(call), await handleResourceUpdate(asStatusForHandler(call)));
    case 'approval patch':
      return handleResourcePatch(asStatusForHandler(call));
    case 'scale get':
      return sendResourceObject(call, 200, await runVerbSteps((await loadScaleForHandler()).getScale(target)));
    case 'scale update': {
      const options = readWriteOptionsForHandler(exchange, 'UpdateOptions');
      const { putScale, SCALE } = await loadScaleForHandler();
      const body = await readResourceBody(exchange, SCALE.resource);
      return sendResourceObject(
        call,
        200,
        await runVerbSteps(putScale(api, target, decodeResourceForHandler(call, body, options, SCALE), options)),
      );
    }
    case 'scale patch': {
      const { request, options } = await readPatchToWrite(call);
      const { patchScale } = await loadScaleForHandler();
      return sendResourceObject(call, 200, await runVerbSteps(patchScale(api, target, request, options)));
    }
    case 'finalize update': {
      const options = readWriteOptionsForHandler(exchange, 'UpdateOptions');
      const body = await readResourceBody(exchange, target.served.resource);
      return sendWrittenResource(
        call,
        await runVerbSteps(
          finalizeNamespaceSubresource(api, target, decodeResourceForHandler(call, body, options), options),
        ),
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
      const status = await runVerbSteps((isBinding ? bindPodSubresource : evictPod)(api, target, object, options));
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
      return (await import('./pod-log.ts')).servePodLog(
        backend,
        exchange,
        target.served.object(readRecordForVerb(target)),
      );
    default:
      if (isPodConnection(target)) return handlePodConnectSubresource(call);
      throw resource === 'pods' ? noSuchResource() : notFound(target.served.resource, target.name);
  }
}

async function handlePodConnectSubresource({ backend, exchange, target }: Call): Promise<void> {
  const { subresource } = target;
  const pod = podToConnect(target);
  const isForward = subresource === 'portforward';
  const answer = isForward ? backend.connections.portForward : backend.connections.exec;
  if (answer === undefined || subresource === 'proxy') refusePodConnection(target);
  // A WebSocket is opened by a GET, and still is no read.
  target.requireCreate?.();
  const { podLogContainer } = await import('./pod-log.ts');
  const container = isForward ? '' : podLogContainer(pod, exchange.query.get('container') ?? '');
  if (subresource === 'exec' && !exchange.query.has('command'))
    throw badRequest('you must specify at least 1 command for the container');
  const opening = {
    head: (status: number, headers: Readonly<Record<string, string | string[]>>) =>
      backend.responder.head(exchange, status, headers),
    drained: (socket: Socket) => waitForResponderRoom(socket, exchange.gone),
    sleep: (ms: number, signal: AbortSignal) => backend.api.env.sleep(ms, signal),
  };
  const { servePodConnection } = await import('./pods/serve-pod-connection.ts');
  return servePodConnection({ exchange, opening, pod, container }, backend.connections);
}

const asStatusForHandler = (call: Call): Call => ({
  ...call,
  target: { ...call.target, subresource: 'status' },
});
