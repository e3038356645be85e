import { type Env, KubeError } from 'kube-informer/core';
import type { Resource } from '../../api/schema/resource.ts';
import { integerCheck, notNegativeCheck, checkValue } from '../../core/check.ts';
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

/** By method and path; `*` stands for an id. */
export type AdminRoutes = ReadonlyMap<string, AdminRoute>;

export type AdminRoute = (call: AdminCall) => unknown;

type Input = Record<string, unknown>;

const refuseAdminCall = (what: string): never => {
  throw new KubeError('INVALID_OPTION', what);
};

function adminInput({ text }: AdminCall): Input {
  const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return refuseAdminCall('the body must be an object');
  return value as Input;
}

/** A method that refuses fields it does not know: they are typing errors, and something else would happen. */
function adminMethod(fields: readonly string[], method: (argument: Input) => unknown): (argument: Input) => unknown {
  return (argument) => {
    const unknown = Object.keys(argument).find((key) => !fields.includes(key));
    if (unknown === undefined) return method(argument);
    return refuseAdminCall(
      `there is no ${unknown}: expected ${fields.length === 0 ? 'nothing' : `one of ${fields.join(', ')}`}`,
    );
  };
}

const describeAdminRule = ({ id, rule, label, count }: ActiveRule): object => ({ id, fault: label, count, rule });

/** `env` is the one the server was given: only that one may have a clock to turn. */
export function adminRoutes(target: AdminTarget, env: Env): AdminRoutes {
  const { faults } = target;
  const snapshots = new Map<string, StoreSnapshot>();
  const doors: Undo[] = [];

  /** The methods of `server.faults`, by name; the body is their argument. Each lists the fields it takes. */
  const methods = new Map<string, (argument: Input) => unknown>(
    Object.entries({
      clear: adminMethod([], () => faults.clear()),
      cutWatches: adminMethod(['match', 'how'], ({ match, how }) => ({
        count: faults.cutWatches(match as never, how as never),
      })),
      silence: adminMethod(['match', 'deaf'], ({ match, deaf = false }) => ({
        count: faults.silence(match as never, { deaf: deaf as boolean }),
      })),
      expireHistory: adminMethod(['revision'], ({ revision }) => faults.expireHistory(revision as number | undefined)),
      pauseEvents: adminMethod(['match'], ({ match }) => faults.pauseEvents(match as never)),
      resumeEvents: adminMethod([], () => faults.resumeEvents()),
      tooManyRequests: (argument) => adminId(faults.tooManyRequests(argument)),
      failRequests: (argument) => adminId(faults.failRequests(argument as never)),
      conflicts: (argument) => adminId(faults.conflicts(argument)),
      slowLists: adminMethod(['ms', 'jitterMs'], ({ ms, jitterMs }) =>
        adminId(faults.slowLists(ms as number, jitterMs as number | undefined)),
      ),
      withoutWatchList: adminMethod([], () => void faults.withoutWatchList()),
      withoutBookmarks: adminMethod([], () => adminId(faults.withoutBookmarks())),
      withoutEndBookmark: adminMethod([], () => adminId(faults.withoutEndBookmark())),
      emulate: adminMethod(['server'], ({ server }) => void faults.emulate(server as OldServer)),
      initializing: adminMethod(['forMs', 'match'], ({ forMs, match }) =>
        adminId(faults.initializing(forMs as number, match as never)),
      ),
      refuseConnections: adminMethod([], async () => void doors.push(await faults.refuseConnections())),
      stallConnections: adminMethod([], async () => void doors.push(await faults.stallConnections())),
      acceptConnections: adminMethod([], () => doors.splice(0).forEach((door) => door.remove())),
      sayGoodbye: adminMethod([], () => faults.sayGoodbye()),
      expireToken: (argument) => ({ token: faults.expireToken(argument) }),
      rotateCertificates: (argument) => faults.rotateCertificates(argument),
      clockSkew: adminMethod(['ms'], ({ ms }) => faults.clockSkew(ms as number)),
      scenario: ({ name, ...options }) => void faults.scenario(name as ScenarioName, options),
      sequence: adminMethod(['rules'], ({ rules }) => adminId(faults.sequence(rules as FaultRule[]))),
    }),
  );

  return new Map<string, AdminRoute>(
    Object.entries({
      'GET /faults': () => ({ rules: faults.rules.map(describeAdminRule), fired: faults.fired }),
      'POST /faults': (call) => adminId(faults.add(adminInput(call) as unknown as FaultRule)),
      'DELETE /faults': () => faults.clear(),
      'POST /faults/*': (call) => {
        const method = methods.get(call.id);
        if (method === undefined)
          return refuseAdminCall(`faults: expected one of ${[...methods.keys()].join(', ')}, got ${call.id}`);
        return method(adminInput(call));
      },
      'DELETE /faults/*': ({ id }) => {
        const handle = faults.find(Number(id));
        if (handle === undefined)
          return refuseAdminCall(`there is no rule ${id}, or it has already applied as often as it may`);
        const { count } = handle;
        handle.remove();
        return { id: handle.id, count };
      },
      'POST /history/compact': (call) =>
        adminMethod(['revision'], ({ revision }) => target.history.compact(revision as number | undefined))(
          adminInput(call),
        ),
      'POST /revision/jump': (call) => {
        adminMethod(['revisions'], ({ revisions }) => target.revision.jump(revisions as number))(adminInput(call));
        return { revision: target.revision.current };
      },
      'POST /restart': (call) => target.restart(adminInput(call)),
      'POST /snapshot': () => {
        const id = String(snapshots.size + 1);
        const snapshot = target.snapshot();
        snapshots.set(id, snapshot);
        return { id, revision: snapshot.revision };
      },
      'POST /restore': (call) => {
        const { id, ...options } = adminInput(call);
        const snapshot = snapshots.get(String(id));
        if (snapshot === undefined) return refuseAdminCall(`there is no snapshot ${String(id)}`);
        target.restore(snapshot, options);
        return { revision: target.revision.current };
      },
      'POST /clock': (call) =>
        adminMethod(['advanceMs'], ({ advanceMs }) => advanceAdminClock(env, advanceMs as number))(adminInput(call)),
      'GET /requests': ({ query }) => {
        const since = Number(query.get('since') ?? '0');
        checkValue(integerCheck(0), since, 'since', 'requests');
        return { requests: target.requests.filter(({ id }) => id > since) };
      },
      'GET /watchers': () => ({ watchers: target.watchers() }),
      'POST /load': ({ text }) => ({ loaded: target.load([...parseAdminObjects(text)]) }),
      'POST /churn': async (call) => ({
        writes: await churn(env, target, adminInput(call) as unknown as ChurnOptions, call.signal),
      }),
    }),
  );
}

const adminId = ({ id }: { readonly id: number }): object => ({ id });

function* parseAdminObjects(text: string): Iterable<ApiObject> {
  for (const line of text.split('\n')) if (line.trim() !== '') yield JSON.parse(line) as ApiObject;
}

interface Clock {
  advance(ms: number): Promise<void>;
}

/** Only a clock that stands still can be moved. */
async function advanceAdminClock(env: Env, ms: number): Promise<object> {
  const { clock } = env as Env & { clock?: Partial<Clock> };
  if (typeof clock?.advance !== 'function')
    return refuseAdminCall('the server runs on the real clock: start it with a fake env');
  checkValue(notNegativeCheck, ms, 'advanceMs', 'clock');
  await clock.advance(ms);
  return { now: env.now() };
}
