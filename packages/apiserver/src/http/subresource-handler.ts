import type { Socket } from 'node:net';
import { badRequestStatusError, noSuchResourceStatusError, notFoundStatusError } from '../core/status-error.ts';
import {
  isConnectVerbOfPod,
  podOfConnectVerb,
  refuseConnectVerb,
  requireHostForConnectVerb,
} from '../verbs/connect-verb.ts';
import { requireNamespaceForCreate } from '../verbs/create.ts';
import { evictPod } from '../verbs/eviction.ts';
import { readForVerb } from '../verbs/read.ts';
import { BINDING, EVICTION, postedEvictionKind, TOKEN_REQUEST } from '../verbs/request/posted-kinds.ts';
import { doVerbSteps } from '../verbs/steps.ts';
import { bindingSubresource, finalizeSubresource } from '../verbs/subresources.ts';
import type { Call } from './resource-call.ts';
import { handleReadOfResource, sendResourceReadObject, sendWrittenByResourceRead } from './resource-reads.ts';
import { waitForResponderRoom } from './responder.ts';
import {
  decodeResourceWrite,
  writeResourcePatch,
  writeResourceUpdate,
  readPatchToWrite,
  resourceWriteBody,
  resourceWriteOptions,
} from './resource-writes.ts';

const loadScaleForHandler = async () => import('../verbs/scale.ts');

/** Handles a request for a subresource. */
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
      return handleReadOfResource(call);
    case 'status update':
    case 'ephemeralcontainers update':
    case 'resize update':
      return sendWrittenByResourceRead(call, await writeResourceUpdate(call));
    case 'status patch':
    case 'ephemeralcontainers patch':
    case 'resize patch':
      return writeResourcePatch(call);
    case 'approval update':
      return sendWrittenByResourceRead(asStatusForHandler(call), await writeResourceUpdate(asStatusForHandler(call)));
    case 'approval patch':
      return writeResourcePatch(asStatusForHandler(call));
    case 'scale get':
      return sendResourceReadObject(call, 200, await doVerbSteps((await loadScaleForHandler()).getScale(target)));
    case 'scale update': {
      const options = resourceWriteOptions(exchange, 'UpdateOptions');
      const { putScale, scaleKindOf } = await loadScaleForHandler();
      const kind = scaleKindOf(target);
      const body = await resourceWriteBody(exchange, kind.resource);
      return sendResourceReadObject(
        call,
        200,
        await doVerbSteps(putScale(api, target, decodeResourceWrite(call, body, options, kind), options)),
      );
    }
    case 'scale patch': {
      const { request, options } = await readPatchToWrite(call);
      const { patchScale } = await loadScaleForHandler();
      return sendResourceReadObject(call, 200, await doVerbSteps(patchScale(api, target, request, options)));
    }
    case 'finalize update': {
      const options = resourceWriteOptions(exchange, 'UpdateOptions');
      const body = await resourceWriteBody(exchange, target.served.resource);
      return sendWrittenByResourceRead(
        call,
        await doVerbSteps(finalizeSubresource(api, target, decodeResourceWrite(call, body, options), options)),
      );
    }
    case 'binding create':
    case 'eviction create': {
      const options = resourceWriteOptions(exchange, 'CreateOptions');
      const isBinding = target.subresource === 'binding';
      const body = await resourceWriteBody(exchange, (isBinding ? BINDING : EVICTION).resource);
      const object = decodeResourceWrite(call, body, options, isBinding ? BINDING : postedEvictionKind(body.value));
      const status = await doVerbSteps((isBinding ? bindingSubresource : evictPod)(api, target, object, options));
      return responder.value(exchange, 201, status, exchange.accepted());
    }
    case 'token create': {
      const options = resourceWriteOptions(exchange, 'CreateOptions');
      const object = decodeResourceWrite(
        call,
        await resourceWriteBody(exchange, TOKEN_REQUEST.resource),
        options,
        TOKEN_REQUEST,
      );
      const account = target.served.object(readForVerb(target));
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
      return sendResourceReadObject(call, 201, issued);
    }
    case 'log get':
      return (await import('./pod-log.ts')).servePodLog(backend, exchange, target.served.object(readForVerb(target)));
    default:
      if (isConnectVerbOfPod(target)) return handlePodConnectSubresource(call);
      throw resource === 'pods'
        ? noSuchResourceStatusError()
        : notFoundStatusError(target.served.resource, target.name);
  }
}

async function handlePodConnectSubresource({ backend, exchange, target }: Call): Promise<void> {
  const { subresource } = target;
  const pod = podOfConnectVerb(target);
  const isForward = subresource === 'portforward';
  const { containerOfPodLog } = await import('./pod-log.ts');
  const hasContainer = subresource === 'exec' || subresource === 'attach';
  // A wrong container is reported first, also of a pod that runs nowhere.
  const container = hasContainer ? containerOfPodLog(pod, exchange.query.get('container') ?? '') : '';
  requireHostForConnectVerb(target, pod);
  const answer = isForward ? backend.connections.portForward : backend.connections.exec;
  if (answer === undefined || subresource === 'proxy') refuseConnectVerb(target);
  // A WebSocket is opened by a GET, but it is not a read.
  target.requireCreate?.();
  if (subresource === 'exec' && !exchange.query.has('command'))
    throw badRequestStatusError('you must specify at least 1 command for the container');
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
