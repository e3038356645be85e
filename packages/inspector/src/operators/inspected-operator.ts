/**
 * The part of an operator that the inspector reads. What `run()` of `@kube-informer/controller` returns fits; the inspector does not
 * depend on that package. Times are in milliseconds since 1970.
 */
export interface InspectedOperator {
  inspect(): InspectedReport;
  /** Reads one key. Throws if there is no such controller. */
  inspectKey(controller: string, key: string): InspectedKey;
}

export interface InspectedReport {
  /** Name in the election; undefined without one. */
  readonly identity: string | undefined;
  readonly state: { readonly kind: string; readonly leader?: string | undefined };
  /** The last changes of the state, oldest first. */
  readonly steps: readonly { readonly at: number; readonly kind: string }[];
  readonly controllers: readonly InspectedController[];
}

export interface InspectedController {
  readonly name: string;
  readonly resource: string;
  readonly state: { readonly kind: string; readonly reason?: string };
  readonly ready: number;
  readonly waiting: number;
  readonly stale: number;
  readonly running: number;
  readonly hung: number;
  readonly workers: number;
  readonly runs: number;
  readonly failures: number;
  readonly lastFailure: InspectedRun | undefined;
  readonly keys: readonly {
    readonly key: string;
    readonly kind: string;
    readonly sentence: string;
    readonly last: InspectedRun | undefined;
  }[];
}

export interface InspectedRun {
  readonly key: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: string;
  readonly causes?: readonly InspectedCause[];
  readonly queuedAt?: number;
  readonly attempt: number;
  readonly error?: string;
  readonly writes: readonly InspectedWrite[];
}

export interface InspectedCause {
  readonly reason: string;
  readonly at: number;
}

export interface InspectedWrite {
  readonly verb: string;
  readonly resource: string;
  readonly key: string;
  readonly at: number;
  readonly answeredAt: number;
  readonly version: string | undefined;
  readonly echoedAt?: number | undefined;
}

export interface InspectedKey {
  readonly why: { readonly kind: string; readonly sentence: string };
  readonly current:
    | {
        readonly startedAt: number;
        readonly queuedAt: number;
        readonly causes: readonly InspectedCause[];
        readonly attempt: number;
        readonly writes: readonly InspectedWrite[];
        readonly lastRequest: string | undefined;
        readonly isHung: boolean;
      }
    | undefined;
  readonly next:
    | { readonly state: string; readonly readyAt: number; readonly causes: readonly InspectedCause[] }
    | undefined;
  /** Runs, oldest first. */
  readonly runs: readonly InspectedRun[];
}
