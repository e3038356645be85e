import { type Env, KubeError } from 'kube-informer/core';
import type { Resource } from '../../api/schema/resource.ts';
import { integer, notNegative, requireValid } from '../../core/check.ts';
import type { ApiObject } from '../../core/object.ts';
import type { RequestEntry } from '../../http/request-log.ts';
import type { WatchInfo } from '../../http/watches.ts';
import type { StoreSnapshot } from '../../storage/store/store.ts';
import type { RestartOptions, RestoreOptions } from '../fault-host.ts';
import type { FaultMenu, Undo } from '../menu.ts';
import type { OldServer } from '../old-servers.ts';
import type { ActiveRule } from '../rules/rule-book.ts';
import type { FaultRule } from '../rules/rule.ts';
import type { ScenarioName } from '../scenarios.ts';
import { churn, type ChurnOptions } from './churn.ts';

/** The part of a server's API that the admin endpoint offers. */
export interface AdminTarget {
  readonly faults: FaultMenu;
  readonly requests: readonly RequestEntry[];
  readonly history: { compact(revision?: number): void };
  readonly revision: { readonly current: number; jump(revisions: number): void };
  readonly local: { resources(): readonly Resource[] };
  watchers(): readonly WatchInfo[];
  restart(options: RestartOptions): Promise<void>;
  snapshot(): StoreSnapshot;
  restore(snapshot: StoreSnapshot, options: RestoreOptions): void;
  load(objects: Iterable<ApiObject>): number;
}

export interface AdminCall {
  readonly text: string;
  readonly query: URLSearchParams;
  /** The last part of the path. */
  readonly id: string;
  readonly signal: AbortSignal;
}

/** By method and path; `*` stands for an id. */
export type AdminRoutes = Readonly<Record<string, (call: AdminCall) => unknown>>;

type Input = Record<string, unknown>;

const refuse = (what: string): never => {
  throw new KubeError('INVALID_OPTION', what);
};

function input({ text }: AdminCall): Input {
  const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return refuse('the body must be an object');
  return value as Input;
}

/** A method that refuses fields it does not know: they are typing errors, and something else would happen. */
function taking(fields: readonly string[], method: (argument: Input) => unknown): (argument: Input) => unknown {
  return (argument) => {
    const unknown = Object.keys(argument).find((key) => !fields.includes(key));
    if (unknown === undefined) return method(argument);
    return refuse(
      `there is no ${unknown}: expected ${fields.length === 0 ? 'nothing' : `one of ${fields.join(', ')}`}`,
    );
  };
}

const shown = ({ id, rule, label, count }: ActiveRule): object => ({ id, fault: label, count, rule });

/** `env` is the one the server was given: only that one may have a clock to turn. */
export function adminRoutes(target: AdminTarget, env: Env): AdminRoutes {
  const { faults } = target;
  const snapshots = new Map<string, StoreSnapshot>();
  const doors: Undo[] = [];

  /** The methods of `server.faults`, by name; the body is their argument. Every one says which fields it takes. */
  const methods: Readonly<Record<string, (argument: Input) => unknown>> = {
    clear: taking([], () => faults.clear()),
    cutWatches: taking(['match', 'how'], ({ match, how }) => ({
      count: faults.cutWatches(match as never, how as never),
    })),
    silence: taking(['match', 'deaf'], ({ match, deaf = false }) => ({
      count: faults.silence(match as never, { deaf: deaf as boolean }),
    })),
    expireHistory: taking(['revision'], ({ revision }) => faults.expireHistory(revision as number | undefined)),
    pauseEvents: taking(['match'], ({ match }) => faults.pauseEvents(match as never)),
    resumeEvents: taking([], () => faults.resumeEvents()),
    tooManyRequests: (argument) => idOf(faults.tooManyRequests(argument)),
    failRequests: (argument) => idOf(faults.failRequests(argument as never)),
    conflicts: (argument) => idOf(faults.conflicts(argument)),
    slowLists: taking(['ms', 'jitterMs'], ({ ms, jitterMs }) =>
      idOf(faults.slowLists(ms as number, jitterMs as number | undefined)),
    ),
    withoutWatchList: taking([], () => void faults.withoutWatchList()),
    withoutBookmarks: taking([], () => idOf(faults.withoutBookmarks())),
    withoutEndBookmark: taking([], () => idOf(faults.withoutEndBookmark())),
    emulate: taking(['server'], ({ server }) => void faults.emulate(server as OldServer)),
    initializing: taking(['forMs', 'match'], ({ forMs, match }) =>
      idOf(faults.initializing(forMs as number, match as never)),
    ),
    refuseConnections: taking([], async () => void doors.push(await faults.refuseConnections())),
    stallConnections: taking([], async () => void doors.push(await faults.stallConnections())),
    acceptConnections: taking([], () => doors.splice(0).forEach((door) => door.remove())),
    sayGoodbye: taking([], () => faults.sayGoodbye()),
    expireToken: (argument) => ({ token: faults.expireToken(argument) }),
    rotateCertificates: (argument) => faults.rotateCertificates(argument),
    clockSkew: taking(['ms'], ({ ms }) => faults.clockSkew(ms as number)),
    scenario: ({ name, ...options }) => void faults.scenario(name as ScenarioName, options),
    sequence: taking(['rules'], ({ rules }) => idOf(faults.sequence(rules as FaultRule[]))),
  };

  return {
    'GET /faults': () => ({ rules: faults.rules.map(shown), fired: faults.fired }),
    'POST /faults': (call) => idOf(faults.add(input(call) as unknown as FaultRule)),
    'DELETE /faults': () => faults.clear(),
    'POST /faults/*': (call) => {
      const method = Object.hasOwn(methods, call.id) ? methods[call.id] : undefined;
      if (method === undefined)
        return refuse(`faults: expected one of ${Object.keys(methods).join(', ')}, got ${call.id}`);
      return method(input(call));
    },
    'DELETE /faults/*': ({ id }) => {
      const handle = faults.find(Number(id));
      if (handle === undefined) return refuse(`there is no rule ${id}, or it has struck as often as it should`);
      const { count } = handle;
      handle.remove();
      return { id: handle.id, count };
    },
    'POST /history/compact': (call) =>
      taking(['revision'], ({ revision }) => target.history.compact(revision as number | undefined))(input(call)),
    'POST /revision/jump': (call) => {
      taking(['revisions'], ({ revisions }) => target.revision.jump(revisions as number))(input(call));
      return { revision: target.revision.current };
    },
    'POST /restart': (call) => target.restart(input(call)),
    'POST /snapshot': () => {
      const id = String(snapshots.size + 1);
      const snapshot = target.snapshot();
      snapshots.set(id, snapshot);
      return { id, revision: snapshot.revision };
    },
    'POST /restore': (call) => {
      const { id, ...options } = input(call);
      const snapshot = snapshots.get(String(id));
      if (snapshot === undefined) return refuse(`there is no snapshot ${String(id)}`);
      target.restore(snapshot, options);
      return { revision: target.revision.current };
    },
    'POST /clock': (call) => taking(['advanceMs'], ({ advanceMs }) => advance(env, advanceMs as number))(input(call)),
    'GET /requests': ({ query }) => {
      const since = Number(query.get('since') ?? '0');
      requireValid(integer(0), since, 'since', 'requests');
      return { requests: target.requests.filter(({ id }) => id > since) };
    },
    'GET /watchers': () => ({ watchers: target.watchers() }),
    'POST /load': ({ text }) => ({ loaded: target.load([...objectsIn(text)]) }),
    'POST /churn': async (call) => ({
      writes: await churn(env, target, input(call) as unknown as ChurnOptions, call.signal),
    }),
  };
}

const idOf = ({ id }: { readonly id: number }): object => ({ id });

function* objectsIn(text: string): Iterable<ApiObject> {
  for (const line of text.split('\n')) if (line.trim() !== '') yield JSON.parse(line) as ApiObject;
}

interface Clock {
  advance(ms: number): Promise<void>;
}

/** Only a clock that stands still can be moved. */
async function advance(env: Env, ms: number): Promise<object> {
  const { clock } = env as Env & { clock?: Partial<Clock> };
  if (typeof clock?.advance !== 'function')
    return refuse('the server runs on the real clock: start it with a fake env');
  requireValid(notNegative, ms, 'advanceMs', 'clock');
  await clock.advance(ms);
  return { now: env.now() };
}
