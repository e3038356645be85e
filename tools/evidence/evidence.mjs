/**
 * Writes docs/evidence.md from the results that runs have left in JSON files.
 *
 *   DIFFERENTIAL_RESULTS=test/differential/results.json npm run test:real -- differential
 *                                                     kube-informer and client-go
 *   tsx --conditions=@kube-informer/source test/differential/main.ts --client-node
 *                                                     test/differential/client-node.json
 *   npm run chaos -- --full --out test/chaos/results.json
 *   export SUITE_RESULTS=results; npm test; npm run test:slow; npm run test:real -- --project real
 *   node tools/evidence/evidence.mjs --suite main=results/main.json --suite slow=results/slow.json --suite real=results/real.json
 *                                                     tools/evidence/suites.json, and the page
 *   node tools/evidence/evidence.mjs                           the page, from the kept results
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { controllersText, ELECTIONS, electionsText, OPERATORS, SOAK, soakText } from './controllers.mjs';
import { FOREIGN, foreignText } from './foreign.mjs';
import { CHAOS, cameThrough, doesNotApply, faultRows, guaranteeRows, securityRows } from './tables.mjs';
import { idsOf } from '../spec/spec.mjs';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const readIf = (path, otherwise) => (existsSync(path) ? read(path) : otherwise);
const { values: args } = parseArgs({ options: { suite: { type: 'string', multiple: true, default: [] } } });

const SUITES = at('tools/evidence/suites.json');
const suites = readIf(SUITES, { suites: {}, rules: {} });
for (const said of args.suite) fold(...said.split('='));
if (args.suite.length > 0) writeFileSync(SUITES, `${JSON.stringify(suites, undefined, 2)}\n`);

const RESULTS = 'test/differential/results.json';
if (!existsSync(at(RESULTS))) {
  console.error(`cannot find ${RESULTS}; run DIFFERENTIAL_RESULTS=${RESULTS} npm run test:real -- differential`);
  process.exit(1);
}
const found = read(at(RESULTS));
const clientNode = readIf(at('test/differential/client-node.json'), undefined);
const chaos = readIf(at('test/chaos/results.json'), undefined);
const words = (text) => text.split(' ').filter((word) => word !== '');
const results = found.results.map((one) => ({
  ...one,
  faults: words(one.faults),
  guarantees: words(one.guarantees),
}));
/** Scripts whose run itself failed, so that they say nothing about a client. */
const crashed = [
  ...found.failed.map((one) => ({ ...one, faults: words(one.faults), client: 'kube-informer and client-go' })),
  ...(clientNode?.failed ?? []).map((one) => ({ ...one, faults: [], client: 'client-node' })),
];
const { version } = read(at('packages/kube-informer/package.json'));
const moduleVersion = (path, name) =>
  new RegExp(`${name} v(\\S+)`).exec(readFileSync(at(path), 'utf8'))?.[1] ?? 'unknown';
const kubernetes = ['apiserver', 'apiserver-1.26'].map((module) =>
  moduleVersion(`test/real/harness/${module}/go.mod`, 'k8s.io/kubernetes'),
);
const etcd = moduleVersion('test/real/harness/etcd/go.mod', 'go.etcd.io/etcd/server/v3');

/** Adds the result of one run of a suite to each rule that its titles name. */
function fold(suite, file) {
  const { testResults, startTime, numPassedTests, numFailedTests, numPendingTests } = read(file);
  for (const counts of Object.values(suites.rules)) delete counts[suite];
  const ended = Math.max(...testResults.map(({ endTime }) => endTime));
  suites.suites[suite] = {
    date: new Date(startTime).toISOString(),
    seconds: Math.round((ended - startTime) / 1000),
    commit: commitAt(new Date(startTime).toISOString()),
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests,
  };
  for (const { name, assertionResults } of testResults) {
    // Its scripts are counted one by one below.
    if (name.endsWith('/differential.test.ts')) continue;
    for (const { title, status } of assertionResults) {
      if (status !== 'passed' && status !== 'failed') continue;
      for (const id of idsOf(title)) {
        const counts = ((suites.rules[id] ??= {})[suite] ??= { passed: 0, failed: 0 });
        counts[status] += 1;
      }
    }
  }
}

/** The last commit before a date: the report of a run does not name its commit. */
function commitAt(date) {
  try {
    const args = ['rev-list', '-1', '--abbrev-commit', '--abbrev=10', `--before=${date}`, 'HEAD'];
    return execFileSync('git', args, { cwd: at('.') })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}

const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);
const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (...cells) => `| ${cells.map((text) => escaped(String(text))).join(' | ')} |`;
const rows = (list) => list.map((cells) => row(...cells)).join('\n');
const isBroken = ({ breaks }) => Object.keys(breaks).length > 0;
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
/** Options of kube-informer that scripts shorten. */
const DEFAULTS = { markerTimeoutMs: '30 s', silenceMs: '75 s', headersMs: '60 s, watches 30 s' };
const reasons = (checks) => [...new Set(Object.values(checks))].join('; ');

/** `✔`, or what it does not hold, with the guarantee. */
const verdict = (outcome, known) => {
  if (outcome.failures.length === 0) return '✔';
  const said = reasons(known) || outcome.failures.map(({ check, text }) => `${check}: ${text}`).join('; ');
  return cameThrough(outcome) ? `✔, but ${said}` : `✘ ${said}`;
};
const requests = ({ requests: count, probes, reopened }) =>
  `${count}${probes === 0 ? '' : ` + ${probes}`}${reopened === 0 ? '' : ` ↻ ${reopened}`}`;
const runOf = ({ date, commit }) => `${date.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}`;

/** Scripts that were played after the whole run have a date and a commit of their own. */
const laterOf = ({ results: all }) => {
  const later = all.filter(({ run }) => run !== undefined);
  const runs = [...new Set(later.map(({ run }) => runOf(run)))];
  return later.length === 0 ? '' : `; ${later.length} of them later: ${runs.join(', ')}`;
};

const isLost = ({ breaks }) => Object.keys(breaks).some((check) => check !== 'announced');
const fair = results.filter((result) => !isLost(result));
const more = results.filter(
  ({ moreRequests, ours, clientGo }) =>
    moreRequests !== undefined && ours.requests > Math.floor(clientGo.requests * 1.1),
);
const held = results.filter(({ ours }) => cameThrough(ours)).length;
const heldByPeer = results.filter(({ clientGo }) => cameThrough(clientGo)).length;
const reopening = results.filter(({ ours }) => ours.reopened > 0);
const faults = [...new Set(results.flatMap((result) => result.faults))].toSorted(
  (one, other) => Number(one.slice(1)) - Number(other.slice(1)),
);
const slower = results
  .filter((result) => !isLost(result) && result.ours.ms > result.clientGo.ms + 1_500)
  .toSorted((one, other) => other.ours.ms - other.clientGo.ms - (one.ours.ms - one.clientGo.ms));
const unexpected = results.filter(({ complaints }) => complaints.length > 0);

/** The same scripts, with the outcome of each client. */
const clients = {
  ours: results.map((script) => ({ ...script, outcome: script.ours, isOurs: true })),
  clientGo: results.map((script) => ({ ...script, outcome: script.clientGo })),
  clientNode: (clientNode?.results ?? []).flatMap(({ name, ...outcome }) => {
    const script = results.find((one) => one.name === name);
    return script === undefined ? [] : [{ ...script, outcome }];
  }),
};
const COMMANDS = { main: 'npm test', slow: 'npm run test:slow', real: 'npm run test:real' };
const suiteRow = ([name, one]) =>
  row(
    `\`${COMMANDS[name]}\``,
    `${one.passed} passed, ${one.failed} failed, ${one.skipped} skipped, in ${one.seconds} s; ${runOf(one)}`,
  );

const text = `# Evidence

<!-- Written by tools/evidence/evidence.mjs from the results of runs. Do not edit. -->

Guarantees, faults and results, for kube-informer, client-go's SharedIndexInformer and the informer of @kubernetes/client-node 2.
Every ✔ and ✘ is the result of a recorded run. Without one, the cell names the test in docs/SPEC.md that proves the row, or is
*not played*.

| | |
| --- | --- |
${row('kube-informer', version)}
${row('client-go', `${found.clientGo}, as built into the program that ran`)}
${row('client-node', clientNode?.clientNode ?? 'not run')}
${row('Kubernetes', `${kubernetes.join(' and ')} on etcd ${etcd}, from test/real/harness/*/go.mod`)}
${row('scripts, played to kube-informer and client-go', `${results.length}, in ${found.seconds} s with Node.js ${found.node}, ${found.platform}; ${runOf(found)}${laterOf(found)}`)}
${row('scripts, played to client-node', clientNode === undefined ? 'not run' : `${clientNode.results.length}, in ${clientNode.seconds} s; ${runOf(clientNode)}${laterOf(clientNode)}`)}
${Object.entries(suites.suites).map(suiteRow).join('\n')}
${crashed.length === 0 ? '' : `\n**Not counted, because the run itself failed: ${crashed.map(({ name, client, text }) => `\`${name}\` (${client}: ${escaped(text)})`).join(', ')}.**\n`}
To repeat it:

\`\`\`sh
export DIFFERENTIAL_RESULTS=test/differential/results.json
npm run test:real -- differential                    # needs Go for building client-go, once
npx tsx --conditions=@kube-informer/source test/differential/main.ts --client-node    # after npm ci --prefix test/runtimes
npm run chaos -- --full --out test/chaos/results.json
export SUITE_RESULTS=results
npm test; npm run test:slow; npm run test:real -- --project real
node tools/evidence/evidence.mjs --suite main=results/main.json --suite slow=results/slow.json --suite real=results/real.json
\`\`\`

How to read the cells: \`✔ 12\` is twelve scripts that held; \`✘ 2 of 12\` names those that did not. A script about a
feature that a client does not have (streaming lists, pages, resyncs, transforms) does not apply to it and is not counted. For
kube-informer the tests of its own suites with the id in their title are counted too. Where a script plays less than the rule of its
row, the row has a note. *Not played* is no result. The informer of client-node ends with most errors; it was started
again five seconds later, as in its own example, and had ${clientNode === undefined ? 140 : clientNode.withinMs / 1000} s for every script.

## Guarantees

| guarantee | kube-informer | client-go | client-node |
| --- | --- | --- | --- |
${rows(guaranteeRows(clients, suites))}

G1, G4, G5, G11, G15 and G16 are checked in every script. G18 is checked where a client can resume: it lists once, at the start,
and announces nothing twice. Unchanged states that were announced again, in all scripts together: kube-informer ${sum(results, ({ ours }) => ours.echoes)}, client-go ${sum(results, ({ clientGo }) => clientGo.echoes)}, client-node ${sum(clients.clientNode, ({ outcome }) => outcome.echoes)}.

## Faults

F63 to F96 are about clocks, processes, user code and the test server: they cannot be played to other clients, except F79.

| fault | kube-informer | client-go | client-node |
| --- | --- | --- | --- |
${rows(faultRows(clients, suites, crashed))}

## Security

Run on kube-informer only.

| rule | kube-informer |
| --- | --- |
${rows(securityRows(suites))}

## Chaos on real servers

${chaosText()}
## The scripts

The same scripts of servers and networks that misbehave, played to kube-informer and to client-go's SharedIndexInformer
(typed and dynamic), each with a server of its own on loopback. After each script:

- the cache equals the server's state, compared as canonical JSON;
- the events of the handler are in a legal order: add, updates, delete; every \`old\` is the state delivered before; no state
  goes back in time; and their result is the cache;
- kube-informer has sent at most a tenth more requests than client-go, except in the scripts listed below and those in which
  client-go breaks a guarantee.

| | |
| --- | --- |
${row('rows of the fault table', `${faults.length}: ${faults.join(', ')}`)}
${row('held by kube-informer', `${held} of ${results.length}`)}
${row('held by client-go', `${heldByPeer} of ${results.length}`)}
${row('requests, in scripts held by client-go', `kube-informer ${sum(fair, ({ ours }) => ours.requests)}, client-go ${sum(fair, ({ clientGo }) => clientGo.requests)}`)}
${row(
  'counted separately: probes',
  sum(fair, ({ ours }) => ours.probes),
)}
${row(
  'counted separately: watches reopened after silence on HTTP/1.1',
  sum(fair, ({ ours }) => ours.reopened),
)}
${unexpected.length === 0 ? '' : `\n**Other results than the scripts expect: ${unexpected.map(({ name }) => `\`${name}\``).join(', ')}.**\n`}
Both ping after ${found.ping.afterMs / 1000} s of silence and wait ${found.ping.timeoutMs / 1000} s for the response in these runs, so that dead connections are found sooner; some
scripts shorten other waits of kube-informer, listed below. Probes are one-item lists with which kube-informer
checks that a reopened watch is not stale. They are counted separately, and so are watches that are reopened after silence on
HTTP/1.1, where a quiet peer looks like a dead one: after 75 s by default, less in
${reopening.map(({ name, ours, shortened }) => `\`${name}\` (${ours.reopened} after ${seconds(shortened.silenceMs ?? 75_000)} each)`).join(' and ')}.

### Where client-go breaks a guarantee

All of them occurred in this run. client-go had at least as much time as kube-informer; the last column is how long it was
observed. kube-informer promises to recover within 135 s.
†: no correct server does this, only a broken one or a proxy.

| script | what happens | client-go | observed |
| --- | --- | --- | --- |
${results
  .filter(isBroken)
  .map(({ name, title, breaks, ours, clientGo }) =>
    row(`\`${name}\`${ours.isUnreal ? ' †' : ''}`, title, reasons(breaks), seconds(clientGo.ms)),
  )
  .join('\n')}

In these scripts kube-informer's waits were shorter than by default, to shorten the run; client-go ran with its defaults,
except for the pings:

| script | setting | here | by default |
| --- | --- | --- | --- |
${results
  .flatMap(({ name, shortened }) =>
    Object.entries(shortened).map(([setting, ms]) => row(`\`${name}\``, setting, seconds(ms), DEFAULTS[setting])),
  )
  .join('\n')}

### Where kube-informer does not hold yet

${
  results.every(({ open }) => Object.keys(open).length === 0)
    ? 'Nowhere in these scripts.'
    : `| script | what happens | kube-informer |\n| --- | --- | --- |\n${results
        .filter(({ open }) => Object.keys(open).length > 0)
        .map(({ name, title, open }) => row(`\`${name}\``, title, reasons(open)))
        .join('\n')}`
}

### Where kube-informer sends more

${
  more.length === 0
    ? 'Nowhere by more than a tenth.'
    : `| script | kube-informer | client-go | why |\n| --- | --- | --- | --- |\n${more
        .map(({ name, ours, clientGo, moreRequests }) =>
          row(`\`${name}\``, ours.requests, clientGo.requests, moreRequests),
        )
        .join('\n')}`
}

### Where kube-informer takes longer

By more than a second and a half, in this run; both wait for random times.

| script | kube-informer | client-go |
| --- | --- | --- |
${slower.map(({ name, ours, clientGo }) => row(`\`${name}\``, seconds(ours.ms), seconds(clientGo.ms))).join('\n')}

### All scripts

Requests are lists and watches; \`+ n\` are probes, \`↻ n\` watches that were reopened after silence.

| script | faults | what happens | kube-informer | client-go | client-node | requests | of client-go |
| --- | --- | --- | --- | --- | --- | --- | --- |
${results
  .map(({ name, faults: ids, title, ours, clientGo, breaks, open, mode, watchList }) =>
    row(
      `\`${name}\``,
      ids.join(', ') || '–',
      `${title}${mode === 'dynamic' ? '; dynamic' : ''}${watchList ? '' : '; plain lists'}`,
      verdict(ours, open),
      verdict(clientGo, breaks),
      nodeVerdict(name),
      requests(ours),
      requests(clientGo),
    ),
  )
  .join('\n')}
`;

/** The outcome of a script for client-node. */
function nodeVerdict(name) {
  const one = clients.clientNode.find((script) => script.name === name);
  const { notForClientNode } = results.find((script) => script.name === name);
  if (notForClientNode !== undefined) return `does not apply: ${notForClientNode}`;
  if (one === undefined) return crashed.some((script) => script.name === name) ? 'the run failed' : 'not run';
  if (doesNotApply(one.outcome)) return 'does not apply';
  return verdict(one.outcome, Object.fromEntries(one.outcome.failures.map(({ check }) => [check, check])));
}

function chaosText() {
  if (chaos === undefined)
    return 'There is no long run yet: `npm run chaos -- --full --out test/chaos/results.json`.\n';
  const { faults: played, affected, writes, lives, informers, violations, unplayed } = chaos;
  return `Two kube-apiservers on one etcd, each behind a network of its own, a load balancer in front of both, a writer that never stops,
${informers.length} informers, and two more in a process that is killed again and again. ${chaos.isFull ? '' : '**This was not the long run.** '}Everything is
compared at the end and ${chaos.comparisons - 1} times before: every cache, \`verify()\`, the events of every handler, and a list requested without the library,
with contents. A new epoch must be announced exactly once for each restored storage; no object may go back in time; all
informers must be up to date 135 s after the last fault.

| | |
| --- | --- |
${row('date', `${chaos.date.slice(0, 10)}, commit ${chaos.commit}, Node.js ${chaos.node}, ${chaos.cores} cores, seed ${chaos.seed}`)}
${row('lasted', `${chaos.seconds} s`)}
${row('writes', `${writes.writes}, and ${writes.failures} whose result is unknown`)}
${row('relists, resumes, events', `${chaos.relists}, ${chaos.resumes}, ${chaos.events}`)}
${row('lives of the process that was killed', `${lives.lives}, longest until it was synced ${seconds(lives.longestSyncMs)}`)}
${row('watches closed because the reader was too slow', chaos.forcedCloses)}
${row('longest staleness, during faults', seconds(chaos.longestStaleMs))}
${row('longest until all informers were up to date, after the last fault', seconds(chaos.longestSettleMs))}
${row('longest until all informers had announced a restored storage', seconds(chaos.longestNoticeMs))}
${row('violations', violations.length)}
${row('faults that could not be caused', unplayed.length === 0 ? 'none' : unplayed.join('; '))}

Noticed: an informer that the fault is aimed at had a failed request, got the intended status, or lost packets. A cut shorter
than the limits of the transport is only a pause, and an informer that waits after another fault notices nothing.

| fault | played | noticed |
| --- | --- | --- |
${Object.entries(played)
  .toSorted(([, one], [, other]) => other - one)
  .map(([fault, count]) => row(CHAOS[fault] ?? fault, count, affected[fault]))
  .join('\n')}

| informer | events | resumes | relists | epoch resets | longest staleness | stale states dropped |
| --- | --- | --- | --- | --- | --- | --- |
${informers.map((one) => row(one.name, one.events, one.resumes, one.relists, one.epochs, seconds(one.longestStaleMs), one.staleDropped)).join('\n')}
`;
}

writeFileSync(
  at('docs/evidence.md'),
  [
    text,
    controllersText(readIf(at(OPERATORS), [])),
    electionsText(readIf(at(ELECTIONS), [])),
    soakText(readIf(at(SOAK), [])),
    foreignText(readIf(at(FOREIGN), [])),
  ].join(''),
);
console.log(`docs/evidence.md: ${results.length} scripts, ${held} held by kube-informer, ${heldByPeer} by client-go`);
