import type { ServerResponse } from 'node:http';
import type { Env } from 'kube-informer/core';
import { PROTOBUF } from '../../http/message/negotiate.ts';
import type { FaultRequest } from '../../http/seams.ts';
import type { WatchSink } from '../../storage/watch/watch-sink.ts';
import type { ActiveRule } from '../rules/rule-book.ts';
import type { FaultAction } from '../rules/rule.ts';
import { isProtobufInRuleSchema } from '../rules/rule-schema.ts';
import { bodyGarbage, type EditBody, editGarbageBody, garbageList } from './garbage.ts';
import { PacedSink } from './paced-sink.ts';
import { cutFaultyTransport, sendFaultyTransportGoaway, stopReadingFaultyTransport } from './faulty-transport.ts';

type Done = (() => void) | undefined;
type HeaderValues = Record<string, string | number | string[] | null>;

/** The methods of a response that are replaced between the server and the wire. */
interface Writer {
  writeHead(status: number, headers?: HeaderValues): unknown;
  write(chunk: Buffer | string, ...rest: unknown[]): boolean;
  end(chunk?: Buffer | string, ...rest: unknown[]): unknown;
}

/**
 * Puts rules between a response (other than a watch) and the wire. The server writes to the response as
 * before.
 *
 * Some rules need the whole body before they can act: then the head waits as well, because it contains the
 * length of the body.
 */
export function tapResponse(
  env: Env,
  request: FaultRequest,
  rules: readonly ActiveRule[],
  editProtobuf: EditBody | undefined,
): void {
  const { response } = request;
  const wire = responseWithoutTap(response);
  const writer = response as unknown as Writer;
  const whole = rules.filter(({ rule }) => tapNeedsWholeResponse(rule.do));
  const paced = pacedTappedBody(
    env,
    request,
    wire,
    rules.filter(({ rule }) => !tapNeedsWholeResponse(rule.do)),
  );
  let head: { readonly status: number; readonly headers: HeaderValues } | undefined;
  let isOver = false;
  const chunks: Buffer[] = [];

  writer.writeHead = (status, headers = {}) => {
    head = { status, headers };
    if (whole.length === 0) wire.writeHead(status, headers);
    return response;
  };
  writer.write = (chunk, ...rest) => {
    const bytes = tappedChunkBytes(chunk);
    if (whole.length > 0) chunks.push(bytes);
    else paced.write(bytes);
    tappedResponseCallback(rest)?.();
    return true;
  };
  writer.end = (chunk, ...rest) => {
    if (isOver) return response;
    isOver = true;
    if (chunk !== undefined && typeof chunk !== 'function') writer.write(chunk);
    const body = Buffer.concat(chunks);
    if (whole.length > 0) sendWholeTappedResponse(env, request, { wire, paced, whole, head, body, editProtobuf });
    else paced.end();
    tappedResponseCallback([chunk, ...rest])?.();
    return response;
  };
}

/** Whether an action needs the whole body. */
export const tapNeedsWholeResponse = (action: FaultAction): boolean =>
  'garbage' in action || 'body' in action || 'list' in action || 'headers' in action;

interface Whole {
  readonly wire: Writer;
  readonly paced: PacedSink;
  readonly whole: readonly ActiveRule[];
  readonly head: { readonly status: number; readonly headers: HeaderValues } | undefined;
  readonly body: Buffer;
  readonly editProtobuf: EditBody | undefined;
}

function sendWholeTappedResponse(env: Env, request: FaultRequest, all: Whole): void {
  const { wire, paced, whole, head, body, editProtobuf } = all;
  const { status = 200, headers: before = {} } = head ?? {};
  const isProtobuf = before['content-type'] === PROTOBUF;
  const editBody = isProtobuf ? (editProtobuf ?? editGarbageBody) : editGarbageBody;
  let bytes = body;
  let isCut = false;
  const changes: HeaderValues = {};
  for (const active of whole) {
    const { do: action } = active.rule;
    if ('garbage' in action && isProtobufInRuleSchema(action.garbage) && !isProtobuf) continue;
    if (!active.fire(request)) continue;
    if ('headers' in action) Object.assign(changes, action.headers);
    else if ('body' in action) bytes = active.attempt(() => editBody(bytes, action.body), bytes);
    else if ('list' in action) bytes = editBody(bytes, (value) => garbageList(action.list, value));
    else if ('garbage' in action) {
      const made = bodyGarbage(action.garbage, bytes, active.random, editBody);
      bytes = made.bytes;
      Object.assign(changes, made.headers);
      isCut ||= made.cut ?? false;
    }
  }
  const headers: HeaderValues = { ...before, 'content-length': bytes.length, ...changes };
  for (const [name, value] of Object.entries(headers)) if (value === null) delete headers[name];
  wire.writeHead(status, headers);
  paced.write(bytes);
  if (isCut) paced.afterwards(() => cutFaultyTransport(env, request, 'fin'));
  else paced.end();
}

/** Applies rules about bytes and time to a body. */
function pacedTappedBody(env: Env, request: FaultRequest, wire: Writer, rules: readonly ActiveRule[]): PacedSink {
  const { response, gone } = request;
  const atEnd: (() => void)[] = [];
  const sink: WatchSink = {
    write: (bytes) => {
      if (!gone.aborted) wire.write(bytes);
    },
    get queued() {
      return response.writableLength;
    },
    drained: () => Promise.resolve(),
    end: () => {
      if (atEnd.length > 0) for (const act of atEnd) act();
      else if (!gone.aborted) wire.end();
    },
  };
  const paced = new PacedSink(env, sink);
  gone.addEventListener('abort', () => paced.stop(), { once: true });
  for (const active of rules) {
    const { do: action, at } = active.rule;
    const act = (): void => {
      if (!paced.isStopped && active.fire(request)) endTappedResponse(env, request, paced, action);
    };
    if ('goaway' in action) {
      // Keeps the response complete, wherever the GOAWAY is sent.
      const say = (): void => {
        if (active.fire(request)) sendFaultyTransportGoaway(request);
      };
      paced.after(typeof at === 'object' && 'bytes' in at ? active.draw(at.bytes) : 0, say);
      continue;
    }
    if ('throttle' in action && active.fire(request)) paced.throttle = action.throttle;
    else if ('split' in action && active.fire(request)) paced.split = action.split;
    else if (at === 'end') atEnd.push(act);
    else if (typeof at === 'object' && 'bytes' in at) paced.after(active.draw(at.bytes), act);
    else if ('silence' in action) paced.after(0, act);
  }
  return paced;
}

function endTappedResponse(env: Env, request: FaultRequest, paced: PacedSink, action: FaultAction): void {
  paced.afterwards(() => {
    paced.stop();
    if ('cut' in action) return cutFaultyTransport(env, request, action.cut, action.code);
    if ('silence' in action && action.silence === 'deaf') return stopReadingFaultyTransport(env, request);
    return undefined;
  });
}

/** The original methods of a response. */
function responseWithoutTap(response: ServerResponse): Writer {
  const own = response as unknown as Writer;
  return {
    writeHead: own.writeHead.bind(response),
    write: own.write.bind(response) as Writer['write'],
    end: own.end.bind(response),
  };
}

const tappedChunkBytes = (chunk: Buffer | string): Buffer => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk);

const tappedResponseCallback = (rest: readonly unknown[]): Done =>
  rest.find((one): one is () => void => typeof one === 'function');
