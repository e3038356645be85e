import type { ApiServerOptions, FaultRule } from '@kube-informer/apiserver';
import type { World } from './world.ts';

/** Which objects a script is about. */
export interface Subjects {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

export const CONFIG_MAPS: Subjects = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap' };
export const PODS: Subjects = { group: '', version: 'v1', resource: 'pods', kind: 'Pod' };
export const WIDGETS: Subjects = { group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget' };

/** How resource versions look outside the server. */
export interface VersionForm {
  encode(version: string): string;
  decode(version: string): string;
}

/** What can be wrong with a run; scripts add their own. */
export type CheckName =
  /** G15: it said that it is synced. */
  | 'synced'
  /** G4: the cache is what the server has. */
  | 'equal'
  /** I5: add, updates, and every `old` is what was told last. */
  | 'legal'
  /** G5: a delete is told of what is there, once. */
  | 'deletes'
  /** What the handler was told adds up to the cache. */
  | 'fold'
  /** G1: no object went back to an older version. */
  | 'monotonic'
  /** G16: the client still runs. */
  | 'alive'
  /** Every step of the script came about in time. */
  | 'played'
  | (string & {});

/**
 * One story of a server that misbehaves, told twice: once to client-go, once to ours, each with a server of its own.
 *
 * After it the cache must be what the server has, and what the handler heard must be a legal story that adds up to the
 * cache.
 */
export interface Script {
  /** `F4-cut-inside-an-event`: short, unique. */
  readonly name: string;
  /** The rows of the fault table it plays; none where there is no such row. */
  readonly faults: readonly string[];
  /** Guarantees it is about, besides those that every script looks at: it holds them when it passes every check. */
  readonly guarantees?: readonly string[];
  /** G18: the history is there to go on from; one whole state, the first, is enough. */
  readonly resumes?: boolean;
  /** A sentence: what happens, and what must come of it. */
  readonly title: string;
  readonly subjects?: Subjects;
  /** Of client-go. @default 'typed' */
  readonly mode?: 'typed' | 'dynamic';
  /** Streaming lists. @default true */
  readonly watchList?: boolean;
  readonly http1?: boolean;
  /** Without the door in between, so that a refused connection is refused. */
  readonly direct?: boolean;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly resyncMs?: number;
  readonly server?: ApiServerOptions;
  /** Objects before the client starts. @default a, b and c */
  before?(world: World): void | Promise<void>;
  /** In force before the client starts; the script ends when those that are counted have struck. `world.first` has them. */
  readonly first?: readonly FaultRule[];
  /** Begins when the client has been started. */
  play?(world: World): void | Promise<void>;
  /** The storage goes back or is exchanged: that is to be said, and who does not say it may show older versions. */
  readonly epoch?: boolean;
  /** Of both. @default 20_000 */
  readonly withinMs?: number;
  /** Shorter waits of ours where the real ones would take too long. */
  readonly ours?: { readonly markerTimeoutMs?: number; readonly silenceMs?: number; readonly headersMs?: number };
  /** The token comes from a file that is written anew: `world.rotateToken`. */
  readonly tokenFile?: boolean;
  /** The handler fails when it hears of this key. */
  readonly failOn?: string;
  /** The transform fails on this key; it is in no cache. */
  readonly undigestible?: string;
  /** Resource versions go out, and come back, in another form. */
  readonly versions?: VersionForm;
  /** The bytes of watches are changed on their way. */
  rewrite?(text: string, world: World): string;
  /** Why the script is nothing for client-node. */
  readonly notForClientNode?: string;
  /** Checks that client-go does not pass, each with the guarantee and the reason. They must be seen failing. */
  readonly clientGo?: {
    readonly breaks: Readonly<Record<string, string>>;
    /** How long it is watched before it counts as broken; never shorter than ours gets. @default withinMs */
    readonly withinMs?: number;
  };
  /** Checks that ours does not pass yet, each with what is wrong. They must be seen failing: who mends it removes them. */
  readonly open?: Readonly<Record<string, string>>;
  /** Why ours may send more than client-go and a tenth, if so. */
  readonly moreRequests?: { readonly most: number; readonly because: string };
}

/**
 * When everything must be well again, whatever happened: the bound of G4 (75 s to find a dead stream, 60 s of back-off) and
 * a little. Who is said not to recover was given this long.
 */
export const BOUND_MS = 140_000;

export const isDynamic = ({ mode, subjects = CONFIG_MAPS }: Script): boolean =>
  mode === 'dynamic' || subjects.group !== '';
