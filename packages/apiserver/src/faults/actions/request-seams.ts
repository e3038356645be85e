import { type Env, linkedAbort } from 'kube-informer/core';
import { StatusError } from '../../core/status-error.ts';
import { PROTOBUF } from '../../http/message/negotiate.ts';
import type { FaultRequest, Faults, Verdict } from '../../http/seams.ts';
import type { Write } from '../../storage/store/stored-collection.ts';
import type { WatchSink } from '../../storage/watch/watch-sink.ts';
import { faultRuleAtName, isFaultRuleAbout } from '../rules/check-fault-rule.ts';
import type { ActiveRule, RuleBook } from '../rules/rule-book.ts';
import type { FaultRule } from '../rules/rule.ts';
import { sendStatusResponse, statusResponseBody } from './status-response.ts';
import { FaultySink } from './faulty-sink.ts';
import type { EditBody } from './garbage.ts';
import { tapNeedsWholeResponse, tapResponse } from './response-tap.ts';
import { cutFaultyTransport, sendFaultyTransportGoaway, stopReadingFaultyTransport } from './faulty-transport.ts';

/** The seam at which a rule acts on a given request. `timer`: at its own time. */
type Stage = 'start' | 'head' | 'body' | 'stream' | 'timer' | 'write';

function requestSeamStage(rule: FaultRule, isWatch: boolean): Stage | undefined {
  const { do: action, at } = rule;
  if (at === 'write') return 'write';
  if (!isFaultRuleAbout(rule, isWatch)) return undefined;
  if (at === 'start' || at === 'head') return at;
  // Acts at the start, because it changes what is read there.
  if ('query' in action || 'requestHeaders' in action || 'replay' in action || 'encoding' in action) return 'start';
  if ('status' in action || 'hang' in action) return 'start';
  if (isWatch) return 'headers' in action ? 'head' : 'stream';
  if (at !== undefined)
    return faultRuleAtName(at) === 'ms'
      ? 'timer'
      : faultRuleAtName(at) === 'bytes' || at === 'end'
        ? 'body'
        : undefined;
  if ('cut' in action || 'goaway' in action) return 'start';
  return 'delay' in action ? 'head' : 'body';
}

interface Claim {
  readonly active: ActiveRule;
  readonly stage: Stage;
}

/** Returns the oldest revision that a watch of a resource can start from. */
export type WindowStart = (group: string, resource: string) => number;

/** The rules of a book at the four seams. */
export class RequestSeams implements Faults {
  readonly #env: Env;
  readonly #book: RuleBook;
  readonly #windowStart: WindowStart;
  readonly #claims = new WeakMap<object, readonly Claim[]>();
  readonly #sinks = new WeakMap<object, FaultySink>();

  constructor(env: Env, book: RuleBook, windowStart: WindowStart) {
    this.#env = env;
    this.#book = book;
    this.#windowStart = windowStart;
  }

  readonly beforeRouting = async (request: FaultRequest): Promise<Verdict> => {
    for (const { active, stage } of this.#claimsOf(request)) {
      if (stage === 'timer') this.#later(active, request);
      if (stage === 'start' && (await this.#act(active, request)) === 'answered') return 'answered';
    }
    return 'continue';
  };

  readonly beforeHead = async (request: FaultRequest): Promise<Verdict> => {
    const claims = this.#claimsOf(request);
    for (const { active, stage } of claims)
      if (stage === 'head' && (await this.#act(active, request)) === 'answered') return 'answered';
    const inBody = claims.filter(
      ({ active, stage }) => stage === 'body' || (stage === 'head' && 'headers' in active.rule.do),
    );
    if (inBody.length === 0) return 'continue';
    const rules = inBody.map(({ active }) => active);
    tapResponse(this.#env, request, rules, await requestSeamProtobuf(request, rules));
    return 'continue';
  };

  readonly watchSink = (request: FaultRequest, sink: WatchSink): WatchSink => {
    const inStream = this.#claimsOf(request).filter(({ stage }) => stage === 'stream');
    if (inStream.length === 0) return sink;
    const faulty = new FaultySink(this.#env, request, sink);
    this.#sinks.set(request.response, faulty);
    for (const { active } of inStream) faulty.attach(active);
    return faulty;
  };

  readonly transaction = (write: Write): void => {
    for (const active of this.#book.all()) {
      const { do: action, at } = active.rule;
      if (at !== 'write' || !('status' in action) || !active.wantsWrite(write)) continue;
      const info = { verb: 'update', path: '', isResource: true, version: '', subresource: '' };
      const [resource = '', group = ''] = write.collection.split(/\.(.*)/);
      const { namespace, name } = write;
      const about = {
        info: { ...info, group, resource, namespace, name },
        user: undefined,
        query: new URLSearchParams(),
      };
      if (active.fire(undefined, write)) throw new StatusError(statusResponseBody(action.status, about), active.label);
    }
  };

  /** Applies a rule to a watch that is already open. False if it does not match this watch. */
  attach(
    active: ActiveRule,
    request: FaultRequest,
    divert: (through: (sink: WatchSink) => WatchSink) => void,
  ): boolean {
    if (requestSeamStage(active.rule, true) !== 'stream' || !active.wants(request)) return false;
    if (!this.#sinks.has(request.response))
      divert((sink) => {
        const faulty = new FaultySink(this.#env, request, sink);
        this.#sinks.set(request.response, faulty);
        return faulty;
      });
    this.#sinks.get(request.response)?.attach(active);
    return true;
  }

  /** Rules that match a request. Matched once per request, because matching counts. */
  #claimsOf(request: FaultRequest): readonly Claim[] {
    const known = this.#claims.get(request.response);
    if (known !== undefined) return known;
    const isWatch = request.info.verb === 'watch';
    const claims: Claim[] = [];
    for (const active of this.#book.all()) {
      const stage = requestSeamStage(active.rule, isWatch);
      if (stage !== undefined && stage !== 'write' && active.wants(request)) claims.push({ active, stage });
    }
    this.#claims.set(request.response, claims);
    return claims;
  }

  async #act(active: ActiveRule, request: FaultRequest): Promise<Verdict> {
    const { do: action } = active.rule;
    // They change the head, so they apply when it is written.
    if ('headers' in action && request.info.verb !== 'watch') return 'continue';
    if (!active.fire(request)) return 'continue';
    if ('delay' in action) {
      const { ms, jitterMs = 0 } = action.delay;
      const stop = linkedAbort(request.gone);
      const forget = active.onRemove(() => stop.abort());
      await this.#env.sleep(ms + jitterMs * active.random(), stop.signal);
      forget();
      stop.abort();
      return request.gone.aborted ? 'answered' : 'continue';
    }
    if ('query' in action) changeRequestSeamQuery(action.query, request.query);
    else if ('requestHeaders' in action) {
      for (const [name, value] of Object.entries(action.requestHeaders))
        if (value === null) delete request.request.headers[name];
        else request.request.headers[name] = value;
    } else if ('encoding' in action) preferRequestSeamEncoding(action.encoding, request);
    else if ('replay' in action) this.#replay(request, action.replay);
    else if ('goaway' in action) sendFaultyTransportGoaway(request);
    else if ('headers' in action) {
      const { response } = request;
      const writeHead = response.writeHead.bind(response) as (status: number, headers: object) => typeof response;
      const changed = (status: number, headers: object): typeof response =>
        writeHead(
          status,
          Object.fromEntries(Object.entries({ ...headers, ...action.headers }).filter(([, v]) => v !== null)),
        );
      response.writeHead = changed as typeof response.writeHead;
    } else return this.#finish(active, request);
    return 'continue';
  }

  /** Actions after which the server sends no response. */
  async #finish({ rule: { do: action } }: ActiveRule, request: FaultRequest): Promise<Verdict> {
    if ('status' in action) await sendStatusResponse(request, action.status, this.#env.wallNow());
    else if ('cut' in action) await cutFaultyTransport(this.#env, request, action.cut, action.code);
    else if ('goaway' in action) sendFaultyTransportGoaway(request);
    else if ('silence' in action && action.silence === 'deaf') await stopReadingFaultyTransport(this.#env, request);
    return 'answered';
  }

  #later(active: ActiveRule, request: FaultRequest): void {
    const { at } = active.rule;
    if (typeof at !== 'object' || !('ms' in at)) return;
    const stop = linkedAbort(request.gone);
    const forget = active.onRemove(() => stop.abort());
    void this.#env.sleep(active.draw(at.ms), stop.signal).then(async () => {
      forget();
      stop.abort();
      if (!request.gone.aborted && active.fire(request)) await this.#finish(active, request);
    });
  }

  #replay({ info, query }: FaultRequest, revisions: number): void {
    const asked = Number(query.get('resourceVersion') ?? '0');
    if (asked === 0) return;
    const from = Math.max(asked - revisions, this.#windowStart(info.group, info.resource), 1);
    query.set('resourceVersion', String(Math.min(asked, from)));
  }
}

/** Loads the protobuf code, for rules that change the body of a response in protobuf. */
async function requestSeamProtobuf(
  { request }: FaultRequest,
  rules: readonly ActiveRule[],
): Promise<EditBody | undefined> {
  const isPossible = rules.some(({ rule }) => tapNeedsWholeResponse(rule.do));
  if (!isPossible || request.headers.accept?.includes(PROTOBUF) !== true) return undefined;
  return (await import('../../http/message/protobuf-forms.ts')).editProtobufForm;
}

const ENCODINGS = { json: 'application/json', protobuf: PROTOBUF };

/** Repeats the accepted media types in the wanted encoding, before the others. */
function preferRequestSeamEncoding(encoding: 'json' | 'protobuf', { request }: FaultRequest): void {
  const { accept = '*/*' } = request.headers;
  const clauses = accept.split(',').map((clause) => clause.replace(/;\s*q=[^;]*/, ''));
  const wanted = new Set(clauses.map((clause) => clause.replace(/^[^;]*/, ENCODINGS[encoding])));
  request.headers.accept = [...wanted, ...clauses.map((clause) => `${clause};q=0.1`)].join(',');
}

function changeRequestSeamQuery(wanted: Readonly<Record<string, string | null>>, query: URLSearchParams): void {
  for (const [name, value] of Object.entries(wanted))
    if (value === null) query.delete(name);
    else query.set(name, value);
}
