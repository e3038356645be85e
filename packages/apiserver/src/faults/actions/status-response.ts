import { STATUS_CODES } from 'node:http';
import { defined } from 'kube-informer/core';
import { forbiddenRequest } from '../../auth/authz/forbidden.ts';
import type { RequestInfo } from '../../core/request-info.ts';
import {
  expiredStatusError,
  statusError,
  internalStatusError,
  noSuchResourceStatusError,
  notAcceptableStatusError,
  type Status,
  staleUpdateStatusError,
  unauthorizedStatusError,
} from '../../core/status-error.ts';
import { httpServerTimestamp } from '../../core/server-timestamp.ts';
import { MEDIA_TYPES, negotiatePlainForm, PROTOBUF } from '../../http/message/negotiate.ts';
import type { FaultRequest } from '../../http/seams.ts';
import { inconsistentContinueToken, parseContinueToken } from '../../storage/store/continue-token.ts';
import type { StatusAnswer } from '../rules/rule.ts';
import { garbageHtmlPage } from './garbage.ts';

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const NO_REQUEST: RequestInfo = {
  verb: '',
  path: '',
  isResource: true,
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};

/** The body of a real server for a failure; fields set by the rule come first. */
export function statusResponseBody(
  answer: number | StatusAnswer,
  request?: Pick<FaultRequest, 'info' | 'user' | 'query'>,
): Status {
  const { code, reason, message, retryAfterSeconds, continue: goesOn } = fullStatusResponse(answer);
  const status = usualStatusResponse(code, request?.info ?? NO_REQUEST, request?.user?.name ?? '');
  const token = request?.query.get('continue');
  const metadata =
    goesOn === true && token !== null && token !== undefined
      ? { continue: inconsistentContinueToken(parseContinueToken(token).start) }
      : status.metadata;
  return {
    ...status,
    metadata,
    ...defined({ message, reason }),
    ...(retryAfterSeconds === undefined ? {} : { details: { ...status.details, retryAfterSeconds } }),
    code,
  };
}

export const fullStatusResponse = (answer: number | StatusAnswer): StatusAnswer =>
  typeof answer === 'number' ? { code: answer } : answer;

function usualStatusResponse(code: number, info: RequestInfo, user: string): Status {
  switch (code) {
    case 401:
      return unauthorizedStatusError().status;
    case 403:
      return forbiddenRequest({ name: user }, info, '').status;
    case 404:
      return noSuchResourceStatusError().status;
    case 406:
      return notAcceptableStatusError(MEDIA_TYPES).status;
    case 409:
      return staleUpdateStatusError({ ...info, kind: '' }, info.name).status;
    case 410:
      return expiredStatusError('The resourceVersion for the provided list is too old.').status;
    case 429:
      return statusError(429, 'TooManyRequests', 'Too many requests, please try again later.').status;
    case 500:
      return internalStatusError('etcdserver: request timed out').status;
    case 503:
      return statusError(503, 'ServiceUnavailable', 'the server is currently unable to handle the request').status;
    case 504:
      return statusError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout').status;
    default:
      return statusError(code, REASONS[code] ?? '', STATUS_CODES[code] ?? 'unknown').status;
  }
}

/** Sends a failure as the response of a request, in the encoding that the client prefers. */
export async function sendStatusResponse(
  request: FaultRequest,
  spec: number | StatusAnswer,
  wallNow: number,
): Promise<void> {
  const { code, form = 'status', retryAfterSeconds, retryAfterDate, headers = {} } = fullStatusResponse(spec);
  const { response } = request;
  const status = statusResponseBody(spec, request);
  const [type, body] =
    form === 'html'
      ? ['text/html', Buffer.from(garbageHtmlPage(code, STATUS_CODES[code] ?? 'Error'))]
      : form === 'plain'
        ? ['text/plain; charset=utf-8', Buffer.from(`${status.message}\n`)]
        : negotiatePlainForm(request.request.headers.accept).type === PROTOBUF
          ? [PROTOBUF, (await import('../../api/protobuf/encode-protobuf.ts')).encodeProtobuf(status)]
          : ['application/json', Buffer.from(`${JSON.stringify(status)}\n`)];
  if (response.headersSent || request.gone.aborted) return;
  const after =
    retryAfterSeconds === undefined
      ? undefined
      : retryAfterDate === true
        ? httpServerTimestamp(wallNow + retryAfterSeconds * 1000)
        : String(retryAfterSeconds);
  response.writeHead(code, {
    'content-type': type,
    'content-length': body.length,
    date: httpServerTimestamp(wallNow),
    ...defined({ 'retry-after': after }),
    ...headers,
  });
  request.bytes += body.length;
  response.end(body);
  // An unread body would keep the connection from its next request.
  request.request.resume();
}
