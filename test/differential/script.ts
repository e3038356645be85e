import type { ApiServerOptions, FaultRule } from '@kube-informer/apiserver';
import type { World } from './world.ts';

/** The resource a script is about. */
export interface Subjects {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

export const CONFIG_MAPS: Subjects = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap' };
export const PODS: Subjects = { group: '', version: 'v1', resource: 'pods', kind: 'Pod' };
export const WIDGETS: Subjects = { group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget' };

/** The form of resource versions outside the server. */
export interface VersionForm {
  encode(version: string): string;
  decode(version: string): string;
}

/** The checks of every run; scripts add their own. */
export type CheckName =
  /** G15: the client reported that it is synced. */
  | 'synced'
  /** G4: the cache is what the server has. */
  | 'equal'
  /** I5: add, updates, and every `old` is the state delivered last. */
  | 'legal'
  /** G5: a delete is delivered once, for an object that was added. */
  | 'deletes'
  /** The events of the handler add up to the cache. */
  | 'fold'
  /** G1: no object went back to an older version. */
  | 'monotonic'
  /** G16: the client still runs. */
  | 'alive'
  /** Every step of the script happened in time. */
  | 'played'
  /** G4: the cache has the object that a client may refuse. */
  | 'complete'
  /** G16: a client whose cache is behind says so. */
  | 'told'
  | (string & {});

/**
 * A server that misbehaves, played twice: to client-go and to kube-informer, each with a server of its own.
 *
 * Afterwards the cache must equal the server's state, and the handler's events must be a legal sequence that adds up to the
 * cache.
 */
export interface Script {
  /** `F4-cut-inside-an-event`: short, unique. */
  readonly name: string;
  /** The rows of the fault table it plays, if any. */
  readonly faults: readonly string[];
  /** Guarantees it is about, besides those that every script checks. They hold when every check passes. */
  readonly guarantees?: readonly string[];
  /** G18: the history is available, so that the first list must be the only one. */
  readonly resumes?: boolean;
  /** A sentence: what happens, and the expected outcome. */
  readonly title: string;
  readonly subjects?: Subjects;
  /** The informer of client-go. @default 'typed' */
  readonly mode?: 'typed' | 'dynamic';
  /** Streaming lists. @default true */
  readonly watchList?: boolean;
  readonly http1?: boolean;
  /** Without the proxy in between, so that a refused connection is refused. */
  readonly direct?: boolean;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly resyncMs?: number;
  readonly server?: ApiServerOptions;
  /** Objects before the client starts. @default a, b and c */
  before?(world: World): void | Promise<void>;
  /** Faults from before the client starts; the script ends when those with a count have been used. `world.first` has them. */
  readonly first?: readonly FaultRule[];
  /** Runs once the client has been started. */
  play?(world: World): void | Promise<void>;
  /** The storage is restored or replaced: a client should announce it; one that does not may deliver older versions. */
  readonly epoch?: boolean;
  /** Time limit for each client. @default 20_000 */
  readonly withinMs?: number;
  /** Shorter waits for kube-informer where the defaults would take too long. */
  readonly ours?: { readonly markerTimeoutMs?: number; readonly silenceMs?: number; readonly headersMs?: number };
  /** The token comes from a file that changes: `world.rotateToken`. */
  readonly tokenFile?: boolean;
  /** The client runs in a process of its own, which the script stops: `world.subject.suspend`. */
  readonly ownProcess?: boolean;
  /** A second handler that hangs on demand: `world.subject.hang`. Ours has the policy "block". */
  readonly hangingHandler?: boolean;
  /** The handler fails on this key. */
  readonly failOn?: string;
  /** The transform fails on this key; it is in no cache. */
  readonly undigestible?: string;
  /** This key is not compared, because a client may refuse the object; the check `complete` is whether the cache has it. */
  readonly uncompared?: string;
  /** Form in which the client sees resource versions; they are translated in both directions. */
  readonly versions?: VersionForm;
  /** The bytes of watches are changed on their way. */
  rewrite?(text: string, world: World): string;
  /** A proxy on the way keeps what a watch sends until the watch ends: its body, or its headers too. */
  readonly buffersWatches?: 'body' | 'with-headers';
  /** The reason the script does not apply to client-node. */
  readonly notForClientNode?: string;
  /** Checks that client-go does not pass, each with the guarantee and the reason. They must fail. */
  readonly clientGo?: {
    readonly breaks: Readonly<Record<string, string>>;
    /** How long it is observed before it counts as failed; at least as long as kube-informer. @default withinMs */
    readonly withinMs?: number;
  };
  /** Checks that kube-informer does not pass yet, each with the reason. They must fail; a fix removes them. */
  readonly open?: Readonly<Record<string, string>>;
  /** The reason kube-informer may send over a tenth more requests than client-go. */
  readonly moreRequests?: { readonly most: number; readonly because: string };
}

/**
 * Time after which everything must have recovered: the bound of G4 (75 s to find a dead stream, 60 s of back-off) and a little.
 * A client that counts as not recovering had this long.
 */
export const BOUND_MS = 140_000;

export const isDynamic = ({ mode, subjects = CONFIG_MAPS }: Script): boolean =>
  mode === 'dynamic' || subjects.group !== '';
