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
  /** The lines from this number on, also those to come. */
  follow(from: number, signal: AbortSignal): AsyncIterable<LogLine>;
}

/** The kubelets, as the requests for logs see them. */
export interface LogSource {
  logOf(pod: ApiObject, container: string, options: { readonly previous: boolean }): Log | undefined;
}
