/**
 * Plays suites of others against the embedded server, and with --real against a real one beside it.
 *
 *     npm run test:foreign                          the quick ones, as CI does
 *     npm run test:foreign -- --all --real          all of them, on both servers
 *     npm run test:foreign -- kopf --out results.json
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startApiServer } from '@kube-informer/apiserver';
import { ControlPlane } from '../real/harness/control-plane.ts';
import { clientGo } from './client-go.ts';
import { controllerRuntime } from './controller-runtime.ts';
import { corpus } from './corpus.ts';
import { helm } from './helm.ts';
import { josdk } from './josdk.ts';
import { kopf } from './kopf.ts';
import { kubeRs } from './kube-rs.ts';
import { podSecurity } from './pod-security.ts';
import { compareAnswers, type Comparison, type Suite, type SuiteResult, type WithServer } from './suite.ts';

const SUITES: readonly Suite[] = [kopf, josdk, clientGo, kubeRs, helm, corpus, podSecurity, ...controllerRuntime];

const onEmbedded: WithServer = async (use, { controllers: hasControllers } = { controllers: false }) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreign-'));
  // Roles count, as on the real server.
  await using server = await startApiServer({ auth: 'rbac', ...(hasControllers ? { controllers: 'all' } : {}) });
  try {
    await server.writeKubeconfig(join(folder, 'config'));
    return await use(join(folder, 'config'), { hasControllers });
  } finally {
    await rm(folder, { recursive: true });
  }
};

const onReal: WithServer = async (use) => {
  // As envtest starts it.
  await using plane = await ControlPlane.start({ log: console.log, apiserverFlags: ['--allow-privileged=true'] });
  return await use(plane.kubeconfig, { hasControllers: false });
};

interface Row {
  readonly name: string;
  readonly about: string;
  readonly embedded: SuiteResult;
  readonly real?: SuiteResult;
  readonly compared?: Comparison;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, real: { type: 'boolean' }, out: { type: 'string' } },
});
const unknown = positionals.find((name) => SUITES.every((suite) => suite.name !== name));
if (unknown !== undefined) throw new Error(`no suite ${unknown}: ${SUITES.map(({ name }) => name).join(', ')}`);
const chosen = SUITES.filter(({ name, isQuick }) =>
  positionals.length > 0 ? positionals.includes(name) : isQuick || values.all === true,
);

const log = (line: string): void => console.log(`  ${line}`);
const rows: Row[] = [];
for (const suite of chosen) {
  console.log(`${suite.name}: ${suite.about}`);
  const lacking = await suite.prepare(log);
  if (lacking !== undefined) {
    console.log(`  SKIPPED: ${lacking}`);
    // In CI nothing is missing.
    if (process.env['CI'] === 'true') process.exitCode = 1;
    continue;
  }
  const embedded = await suite.play(onEmbedded, log);
  const real = values.real === true ? await suite.play(onReal, log) : undefined;
  const compared = compare(embedded, real);
  rows.push({
    name: suite.name,
    about: suite.about,
    embedded: counts(embedded),
    ...(real === undefined ? {} : { real: counts(real) }),
    ...(compared === undefined ? {} : { compared }),
  });
  if (values.out !== undefined) await keepRows(values.out, rows);
  const text = ({ passed, failed, skipped }: SuiteResult): string =>
    `${passed} passed, ${failed.length} failed, ${skipped} skipped`;
  console.log(`  embedded: ${text(embedded)}${real === undefined ? '' : `; real: ${text(real)}`}`);
  // What a server refuses is an answer, not a failure.
  if (embedded.answers !== undefined) continue;
  for (const title of embedded.failed) console.log(`  failed: ${title}`);
  // What fails on the real server too is not a difference.
  const known = new Set([...(real?.failed ?? []), ...(await knownFailures(suite.name))]);
  if (embedded.failed.some((title) => !known.has(title))) process.exitCode = 1;
}

/** Writes rows to a file, in the order of suites. Rows of suites that were not played stay as they are. */
async function keepRows(file: string, played: readonly Row[]): Promise<void> {
  const kept = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Row[]) : [];
  const byName = new Map([...kept, ...played].map((row) => [row.name, row]));
  const ordered = SUITES.flatMap(({ name }) => byName.get(name) ?? []);
  await writeFile(file, `${JSON.stringify(ordered, null, 2)}\n`);
}

/** A result for the file: of answers only their number. */
function counts({ answers, ...result }: SuiteResult): SuiteResult & { readonly refused?: number } {
  return answers === undefined ? result : { ...result, failed: [], refused: result.failed.length };
}

/** Prints what two servers answer differently. Another verdict fails the run. */
function compare(embedded: SuiteResult, real: SuiteResult | undefined): Comparison | undefined {
  if (embedded.answers === undefined || real?.answers === undefined) return undefined;
  const compared = compareAnswers(embedded.answers, real.answers, (title, our, their, isVerdict) => {
    console.log(
      `  ${isVerdict ? 'OTHER VERDICT' : 'other words'}: ${title}\n    embedded: ${our}\n    real:     ${their}`,
    );
    if (isVerdict) process.exitCode = 1;
  });
  console.log(`  ${JSON.stringify(compared)}`);
  return compared;
}

/** Failures that are known, each with its reason: see known-failures.json. */
async function knownFailures(suite: string): Promise<readonly string[]> {
  const text = await readFile(join(import.meta.dirname, 'known-failures.json'), 'utf8');
  return Object.keys((JSON.parse(text) as Record<string, Record<string, string>>)[suite] ?? {});
} // prettier-ignore
