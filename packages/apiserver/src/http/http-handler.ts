import { defined } from 'kube-informer/core';
import { guardedListener } from '../core/guarded-listener.ts';
import { nameInFieldSelector } from '../api/meta/field-selector.ts';
import { type PeerCertificate, peerClientCertificate } from '../auth/authn/client-certificate.ts';
import { forbiddenRequest } from '../auth/authz/forbidden.ts';
import { goDurationFault } from '../core/go/go-duration.ts';
import { badRequestStatusError, internalStatusError, StatusError } from '../core/status-error.ts';
import type { User } from '../core/user.ts';
import type { Backend } from './backend.ts';
import { Exchange } from './http-exchange.ts';
import type { Handler } from './listener/listen.ts';
import type { ParsedRequest } from './message/parse-request.ts';
import { webSocketAuthorization } from './message/web-socket-request.ts';
import { NonResource } from './non-resource.ts';
import { serverMetricRequestLabels } from './server-metrics.ts';
import { type RequestEntry, requestLogText } from './request-log.ts';
import { handleResource } from './resource-handler.ts';
import { resourceRoute } from './resource-route.ts';

export interface HandlerOptions {
  readonly backend: Backend;
  /** Returns a new id for each request. */
  nextId(): number;
  /** Called when a request arrives; `onEnd` when its response is complete. */
  onStart(): void;
  onEnd(entry: RequestEntry): void;
}

/** Paths that need no authentication. */
const OPEN_PATHS = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** The function that Node's servers call for every request. It never throws. */
export function httpHandler(options: HandlerOptions): Handler {
  const { backend } = options;
  const nonResource = new NonResource(backend);
  const { env } = backend.api;
  const begin: Handler = (request, response) => {
    // A client may disconnect during a body or a response.
    response.on('error', () => {});
    request.on('error', () => {});
    const exchange = new Exchange(options.nextId(), request, response, env.now());
    options.onStart();
    const end = (): void => {
      const { info, user, userAgent, query, fault, id, bytes } = exchange;
      const { verb, path } = info;
      const status = response.headersSent ? response.statusCode : 0;
      const seconds = (env.now() - exchange.startedAt) / 1000;
      backend.metrics.request({ ...serverMetricRequestLabels(backend.api.registry, info), code: status }, seconds);
      options.onEnd({
        id,
        time: env.wallNow(),
        verb: requestLogText(verb),
        path: requestLogText(path),
        query: requestLogText(query.toString()),
        user: requestLogText(user?.name ?? ''),
        userAgent: requestLogText(userAgent),
        status,
        bytes,
        ...defined({ fault }),
      });
    };
    response.once('close', guardedListener(env, end));
    void handleHttp(backend, nonResource, exchange);
  };
  return guardedListener(env, begin, (_, response) => response.destroy());
}

async function handleHttp(backend: Backend, nonResource: NonResource, exchange: Exchange): Promise<void> {
  const { responder } = backend;
  try {
    if (exchange.isMalformed) return await responder.text(exchange, 400, '400 Bad Request');
    httpHandlerTimeout(exchange);
    const { beforeRouting } = backend.faults();
    if (beforeRouting !== undefined) {
      exchange.user = httpHandlerUser(backend, exchange);
      if ((await beforeRouting(exchange)) === 'answered') return;
    }
    if (!OPEN_PATHS.test(exchange.info.path) || exchange.header('authorization') !== undefined)
      httpHandlerAuthorization(backend, exchange);
    await dispatchInHttpHandler(backend, nonResource, exchange);
  } catch (error) {
    if (exchange.response.headersSent || exchange.gone.aborted) {
      exchange.response.destroy();
      return;
    }
    const status = error instanceof StatusError ? error.status : httpHandlerFailure(backend, error);
    if (error instanceof StatusError && error.fault !== undefined) exchange.note(error.fault);
    await responder.status(exchange, status).catch(() => exchange.response.destroy());
    // An unread body would keep the connection from its next request.
    exchange.request.resume();
  }
}

/**
 * Throws 400 for an invalid `timeout` parameter. It has no other effect: no request here takes that long, and
 * a watch has its own parameter.
 */
function httpHandlerTimeout({ info, query }: Exchange): void {
  const timeout = query.get('timeout') ?? '';
  const fault = timeout === '' || info.verb === 'watch' ? undefined : goDurationFault(timeout);
  if (fault !== undefined) throw badRequestStatusError(`invalid timeout specified in the request URL - ${fault}`);
}

function httpHandlerFailure({ api }: Backend, error: unknown): StatusError['status'] {
  // The body is nested too deeply: the client's error.
  if (error instanceof RangeError && error.message.includes('call stack'))
    return badRequestStatusError('the body exceeded max depth').status;
  api.env.log('error', 'unexpected error while handling a request', { error });
  return internalStatusError(error instanceof Error ? error.message : String(error)).status;
}

/** The user that fault rules match; undefined when the request is not authenticated. */
function httpHandlerUser(backend: Backend, exchange: Exchange): User | undefined {
  try {
    return httpHandlerAuthentication(backend, exchange);
  } catch {
    return undefined;
  }
}

function httpHandlerAuthentication({ authenticate }: Backend, exchange: Exchange): User {
  return authenticate({
    authorization: exchange.header('authorization') ?? webSocketAuthorization(exchange.request.headers),
    host: exchange.header(':authority') ?? exchange.header('host'),
    origin: exchange.header('origin'),
    peerCertificate: httpHandlerCertificate(exchange),
    rawHeaders: exchange.request.rawHeaders,
    action: httpHandlerAction(exchange),
  });
}

/** Authenticates and authorizes a request. Throws 401 and 403. */
function httpHandlerAuthorization(backend: Backend, exchange: Exchange): void {
  const { authorizer } = backend;
  try {
    exchange.user = httpHandlerAuthentication(backend, exchange);
  } catch (error) {
    // An impersonation that is not allowed counts as a refusal.
    exchange.isDenied = error instanceof StatusError && error.status.code === 403;
    throw error;
  }
  const action = httpHandlerAction(exchange);
  const decision = authorizer.allows(exchange.user, action);
  exchange.isDenied = !decision.allowed;
  if (exchange.isDenied) throw forbiddenRequest(exchange.user, action, decision.reason);
}

/** The action that the authorizer decides about. */
function httpHandlerAction({ info, query }: Exchange): ParsedRequest {
  // For authorization, a Namespace counts as an object inside itself.
  if (info.group === '' && info.resource === 'namespaces' && info.name !== '') return { ...info, namespace: info.name };
  if (info.verb !== 'list' && info.verb !== 'watch' && info.verb !== 'deletecollection') return info;
  // A list of one name needs no more rights than that one object.
  const pinned = nameInFieldSelector(query.get('fieldSelector') ?? '');
  return pinned === undefined ? info : { ...info, name: pinned };
}

const certificates = new WeakMap<object, { readonly shown: PeerCertificate | undefined }>();

/** The client certificate, read once per connection: a handshake does not change. */
function httpHandlerCertificate({ socket }: Exchange): PeerCertificate | undefined {
  if (socket === undefined || typeof socket.getPeerCertificate !== 'function') return undefined;
  let known = certificates.get(socket);
  if (known === undefined) {
    known = { shown: peerClientCertificate(socket) };
    certificates.set(socket, known);
  }
  return known.shown;
}

async function dispatchInHttpHandler(backend: Backend, nonResource: NonResource, exchange: Exchange): Promise<void> {
  const { info, request } = exchange;
  if (!info.isResource) return nonResource.handle(exchange);
  const served = resourceRoute(backend.api.registry, info, request.method ?? 'GET');
  if (served === 'no page') return backend.responder.notFound(exchange);
  exchange.isCustom = served.resource.custom;
  return handleResource(backend, exchange, served);
}
