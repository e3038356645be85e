/** The result of one suite on one server. */
export interface SuiteResult {
  readonly passed: number;
  /** Titles of what failed. */
  readonly failed: readonly string[];
  readonly skipped: number;
}

/** A suite that others wrote, or a program on a library of theirs. Sources come from the registry of its language. */
export interface Suite {
  readonly name: string;
  /** What it is, for the table. */
  readonly about: string;
  /** Whether `.ci/run` plays it. */
  readonly isQuick: boolean;
  /** Downloads and builds. Returns why that is not possible here. */
  prepare(log: (line: string) => void): Promise<string | undefined>;
  /** Plays it against servers that `withServer` starts: a fresh one for each call. */
  play(withServer: WithServer, log: (line: string) => void): Promise<SuiteResult>;
}

/** Runs something against a fresh server, with its kubeconfig file. */
export type WithServer = <T>(use: (kubeconfig: string) => Promise<T>) => Promise<T>;

/** Reads lines `ok <title>` and `not ok <title>`. */
export function linesResult(text: string): SuiteResult {
  const lines = text.split('\n');
  return {
    passed: lines.filter((line) => line.startsWith('ok ')).length,
    failed: lines.filter((line) => line.startsWith('not ok ')).map((line) => line.slice('not ok '.length)),
    skipped: 0,
  };
}
