import type { ProgramEnd } from './run-program.ts';

/** The result of one suite on one server. */
export interface SuiteResult {
  readonly passed: number;
  /** Titles of what failed. */
  readonly failed: readonly string[];
  readonly skipped: number;
  /** Responses of a server by request, where both servers must agree. */
  readonly answers?: ReadonlyMap<string, string>;
}

/** Answers of two servers side by side. */
export interface Comparison {
  readonly asked: number;
  /** Both accept, or both refuse. */
  readonly sameVerdict: number;
  readonly refused: number;
  /** Number of manifests that both refuse with the same message, in whatever order it names its causes. */
  readonly sameMessage: number;
}

/** Compares answers; `differ` gets each that is not the same, and whether already the verdict differs. */
export function compareAnswers(
  ours: ReadonlyMap<string, string>,
  real: ReadonlyMap<string, string>,
  differ: (title: string, our: string, their: string, isVerdict: boolean) => void,
): Comparison {
  const causes = (answer: string): string =>
    answer.replace(' is invalid: ', ', ').replaceAll(/[[\]]/g, '').split(', ').toSorted().join();
  let [sameVerdict, refused, sameMessage] = [0, 0, 0];
  const titles = new Set([...ours.keys(), ...real.keys()]);
  for (const title of titles) {
    const [our, their] = [ours.get(title) ?? 'not asked', real.get(title) ?? 'not asked'];
    const isSame = our.split(' ')[0] === their.split(' ')[0];
    if (isSame) sameVerdict += 1;
    if (isSame && their !== 'accepted') refused += 1;
    if (isSame && their !== 'accepted' && causes(our) === causes(their)) sameMessage += 1;
    else if (our !== their) differ(title, our, their, !isSame);
  }
  return { asked: titles.size, sameVerdict, refused, sameMessage };
} // prettier-ignore

/** A suite that others wrote, or a program on a library of theirs. Sources come from the registry of its language. */
export interface Suite {
  readonly name: string;
  /** Description of the suite, for the table. */
  readonly about: string;
  /** Whether `.ci/run` plays it. */
  readonly isQuick: boolean;
  /** Downloads and builds. Returns why that is not possible here. */
  prepare(log: (line: string) => void): Promise<string | undefined>;
  /** Plays it against servers that `withServer` starts: a fresh one for each call. */
  play(withServer: WithServer, log: (line: string) => void): Promise<SuiteResult>;
}

/** Facts about the server of a suite. */
export interface ServerFacts {
  /** Pods run and workloads move. A real kube-apiserver alone has no controllers. */
  readonly hasControllers: boolean;
}

/** Runs something against a fresh server, with its kubeconfig file; with controllers, where the server has some. */
export type WithServer = <T>(
  use: (kubeconfig: string, facts: ServerFacts) => Promise<T>,
  wanted?: { readonly controllers: boolean },
) => Promise<T>;

/** Reads lines `ok <title>` and `not ok <title>`. */
export function linesResult(text: string): SuiteResult {
  const lines = text.split('\n');
  return {
    passed: lines.filter((line) => line.startsWith('ok ')).length,
    failed: lines.filter((line) => line.startsWith('not ok ')).map((line) => line.slice('not ok '.length)),
    skipped: 0,
  };
}

/** The result of a program that prints such lines, and ends with an error if one of them is `not ok`. */
export function programResult({ code, stdout, stderr }: ProgramEnd, log: (line: string) => void): SuiteResult {
  const result = linesResult(stdout);
  if (code === 0 && result.passed > 0) return result;
  log(stderr);
  // A program that stops half-way has printed no `not ok`.
  return { ...result, failed: [...result.failed, 'the program ends without an error'] };
}
