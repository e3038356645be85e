import type { ApiObject } from '../core/kube-object.ts';

/** A line of a log, and when it was written: milliseconds since 1970. */
export interface LogLine {
  readonly at: number;
  readonly text: string;
}

/** The output of a container. */
export interface Log {
  readonly lines: readonly LogLine[];
  /** Number of lines so far. */
  readonly count: number;
  /** The lines from this number on, including later ones. */
  follow(from: number, signal: AbortSignal): AsyncIterable<LogLine>;
}

/** The kubelets, as requests for logs use them. */
export interface LogSource {
  logOf(pod: ApiObject, container: string, options: { readonly previous: boolean }): Log | undefined;
}
