import { type Env, KubeError } from 'kube-informer/core';
import type { Resource } from '../../api/schema/resource.ts';
import { integerShapeCheck, notNegativeCheck, checkShape } from '../../core/shape-check.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { RequestEntry } from '../../http/request-log.ts';
import type { WatchInfo } from '../../http/served-watches.ts';
import type { StoreSnapshot } from '../../storage/store/stored-objects.ts';
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

/** Routes by method and path; `*` stands for an id. */
export type AdminRoutes = ReadonlyMap<string, AdminRoute>;

export type AdminRoute = (call: AdminCall) => unknown;

type Input = Record<string, unknown>;

const refuseAdminRoute = (what: string): never => {
  throw new KubeError('INVALID_OPTION', what);
};

function adminRouteInput({ text }: AdminCall): Input {
  const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return refuseAdminRoute('the body must be an object');
  return value as Input;
}

/** A method that refuses unknown fields: they are typing errors, and would be ignored. */
function adminRouteMethod(
  fields: readonly string[],
  method: (argument: Input) => unknown,
): (argument: Input) => unknown {
  return (argument) => {
    const unknown = Object.keys(argument).find((key) => !fields.includes(key));
    if (unknown === undefined) return method(argument);
    return refuseAdminRoute(
      `there is no ${unknown}: expected ${fields.length === 0 ? 'nothing' : `one of ${fields.join(', ')}`}`,
    );
  };
}

const describeAdminRouteRule = ({ id, rule, label, count }: ActiveRule): object => ({ id, fault: label, count, rule });

/** Makes the routes. `env` is the one the server was given: only that one may have a clock that can be moved. */
export function adminRoutes(target: AdminTarget, env: Env): AdminRoutes {
  const { faults } = target;
  const snapshots = new Map<string, StoreSnapshot>();
  const doors: Undo[] = [];

  /** The methods of `server.faults`, by name; the body is their argument. Each lists the fields it accepts. */
  const methods = new Map<string, (argument: Input) => unknown>(
    Object.entries({
      clear: adminRouteMethod([], () => faults.clear()),
      cutWatches: adminRouteMethod(['match', 'how'], ({ match, how }) => ({
        count: faults.cutWatches(match as never, how as never),
      })),
      silence: adminRouteMethod(['match', 'deaf'], ({ match, deaf = false }) => ({
        count: faults.silence(match as never, { deaf: deaf as boolean }),
      })),
      expireHistory: adminRouteMethod(['revision'], ({ revision }) =>
        faults.expireHistory(revision as number | undefined),
      ),
      pauseEvents: adminRouteMethod(['match'], ({ match }) => faults.pauseEvents(match as never)),
      resumeEvents: adminRouteMethod([], () => faults.resumeEvents()),
      tooManyRequests: (argument) => adminRouteId(faults.tooManyRequests(argument)),
      failRequests: (argument) => adminRouteId(faults.failRequests(argument as never)),
      conflicts: (argument) => adminRouteId(faults.conflicts(argument)),
      slowLists: adminRouteMethod(['ms', 'jitterMs'], ({ ms, jitterMs }) =>
        adminRouteId(faults.slowLists(ms as number, jitterMs as number | undefined)),
      ),
      withoutWatchList: adminRouteMethod([], () => void faults.withoutWatchList()),
      withoutBookmarks: adminRouteMethod([], () => adminRouteId(faults.withoutBookmarks())),
      withoutEndBookmark: adminRouteMethod([], () => adminRouteId(faults.withoutEndBookmark())),
      emulate: adminRouteMethod(['server'], ({ server }) => void faults.emulate(server as OldServer)),
      initializing: adminRouteMethod(['forMs', 'match'], ({ forMs, match }) =>
        adminRouteId(faults.initializing(forMs as number, match as never)),
      ),
      refuseConnections: adminRouteMethod([], async () => void doors.push(await faults.refuseConnections())),
      stallConnections: adminRouteMethod([], async () => void doors.push(await faults.stallConnections())),
      acceptConnections: adminRouteMethod([], () => doors.splice(0).forEach((door) => door.remove())),
      sayGoodbye: adminRouteMethod([], () => faults.sayGoodbye()),
      expireToken: (argument) => ({ token: faults.expireToken(argument) }),
      rotateCertificates: (argument) => faults.rotateCertificates(argument),
      clockSkew: adminRouteMethod(['ms'], ({ ms }) => faults.clockSkew(ms as number)),
      scenario: ({ name, ...options }) => void faults.scenario(name as ScenarioName, options),
      sequence: adminRouteMethod(['rules'], ({ rules }) => adminRouteId(faults.sequence(rules as FaultRule[]))),
    }),
  );

  return new Map<string, AdminRoute>(
    Object.entries({
      'GET /faults': () => ({ rules: faults.rules.map(describeAdminRouteRule), fired: faults.fired }),
      'POST /faults': (call) => adminRouteId(faults.add(adminRouteInput(call) as unknown as FaultRule)),
      'DELETE /faults': () => faults.clear(),
      'POST /faults/*': (call) => {
        const method = methods.get(call.id);
        if (method === undefined)
          return refuseAdminRoute(`faults: expected one of ${[...methods.keys()].join(', ')}, got ${call.id}`);
        return method(adminRouteInput(call));
      },
      'DELETE /faults/*': ({ id }) => {
        const handle = faults.find(Number(id));
        if (handle === undefined)
          return refuseAdminRoute(`there is no rule ${id}, or it has already applied as often as it may`);
        const { count } = handle;
        handle.remove();
        return { id: handle.id, count };
      },
      'POST /history/compact': (call) =>
        adminRouteMethod(['revision'], ({ revision }) => target.history.compact(revision as number | undefined))(
          adminRouteInput(call),
        ),
      'POST /revision/jump': (call) => {
        adminRouteMethod(['revisions'], ({ revisions }) => target.revision.jump(revisions as number))(
          adminRouteInput(call),
        );
        return { revision: target.revision.current };
      },
      'POST /restart': (call) => target.restart(adminRouteInput(call)),
      'POST /snapshot': () => {
        const id = String(snapshots.size + 1);
        const snapshot = target.snapshot();
        snapshots.set(id, snapshot);
        return { id, revision: snapshot.revision };
      },
      'POST /restore': (call) => {
        const { id, ...options } = adminRouteInput(call);
        const snapshot = snapshots.get(String(id));
        if (snapshot === undefined) return refuseAdminRoute(`there is no snapshot ${String(id)}`);
        target.restore(snapshot, options);
        return { revision: target.revision.current };
      },
      'POST /clock': (call) =>
        adminRouteMethod(['advanceMs'], ({ advanceMs }) => advanceClockByAdminRoute(env, advanceMs as number))(
          adminRouteInput(call),
        ),
      'GET /requests': ({ query }) => {
        const since = Number(query.get('since') ?? '0');
        checkShape(integerShapeCheck(0), since, 'since', 'requests');
        return { requests: target.requests.filter(({ id }) => id > since) };
      },
      'GET /watchers': () => ({ watchers: target.watchers() }),
      'POST /load': ({ text }) => ({ loaded: target.load([...parseAdminRouteObjects(text)]) }),
      'POST /churn': async (call) => ({
        writes: await churn(env, target, adminRouteInput(call) as unknown as ChurnOptions, call.signal),
      }),
    }),
  );
}

const adminRouteId = ({ id }: { readonly id: number }): object => ({ id });

function* parseAdminRouteObjects(text: string): Iterable<ApiObject> {
  for (const line of text.split('\n')) if (line.trim() !== '') yield JSON.parse(line) as ApiObject;
}

interface Clock {
  advance(ms: number): Promise<void>;
}

/** Moves the clock, if it is one that stands still. */
async function advanceClockByAdminRoute(env: Env, ms: number): Promise<object> {
  const { clock } = env as Env & { clock?: Partial<Clock> };
  if (typeof clock?.advance !== 'function')
    return refuseAdminRoute('the server runs on the real clock: start it with a fake env');
  checkShape(notNegativeCheck, ms, 'advanceMs', 'clock');
  await clock.advance(ms);
  return { now: env.now() };
}
