/**
 * Writes docs/evidence.md from the results that runs have left in JSON files.
 *
 *   DIFFERENTIAL_RESULTS=test/differential/results.json npm run test:real -- differential
 *                                                     kube-informer and client-go
 *   tsx --conditions=@kube-informer/source test/differential/main.ts --client-node
 *                                                     test/differential/client-node.json
 *   npm run chaos -- --full --out test/chaos/results.json
 *   npx vitest run --reporter=json --outputFile=main.json
 *   npx vitest run --config vitest.slow.config.ts --reporter=json --outputFile=slow.json
 *   npx vitest run --config vitest.real.config.ts --reporter=json --outputFile=real.json
 *   node tools/evidence/evidence.mjs --suite main=main.json --suite slow=slow.json --suite real=real.json
 *                                                     tools/evidence/suites.json, and the page
 *   node tools/evidence/evidence.mjs                           the page, from the kept results
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
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
/** Of kube-informer, for what scripts shorten. */
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

<!-- Written by tools/evidence/evidence.mjs from what runs left behind; not to be edited. -->

What is promised, what can go wrong, and what came of it: for kube-informer, for client-go's SharedIndexInformer and for the
informer of @kubernetes/client-node 2. Every ✔ and ✘ is from a run that was kept; where there is none, the cell names the
test of our own that proves the row, as docs/SPEC.md has it, or says that nothing was played.

| | |
| --- | --- |
${row('kube-informer', version)}
${row('client-go', `${found.clientGo}, as built into the program that ran`)}
${row('client-node', clientNode?.clientNode ?? 'not run')}
${row('Kubernetes', `${kubernetes.join(' and ')} on etcd ${etcd}, as test/real/harness/*/go.mod has them`)}
${row('scripts, told to kube-informer and client-go', `${results.length}, in ${found.seconds} s with Node.js ${found.node}, ${found.platform}; ${runOf(found)}`)}
${row('scripts, told to client-node', clientNode === undefined ? 'not run' : `${clientNode.results.length}, in ${clientNode.seconds} s; ${runOf(clientNode)}`)}
${Object.entries(suites.suites).map(suiteRow).join('\n')}
${crashed.length === 0 ? '' : `\n**The run itself failed, so that these are counted nowhere: ${crashed.map(({ name, client, text }) => `\`${name}\` (${client}: ${escaped(text)})`).join(', ')}.**\n`}
To repeat it:

\`\`\`sh
export DIFFERENTIAL_RESULTS=test/differential/results.json
npm run test:real -- differential                    # needs Go for building client-go, once
npx tsx --conditions=@kube-informer/source test/differential/main.ts --client-node    # after npm ci --prefix test/runtimes
npm run chaos -- --full --out test/chaos/results.json
npx vitest run --reporter=json --outputFile=main.json
npx vitest run --config vitest.slow.config.ts --reporter=json --outputFile=slow.json
npx vitest run --config vitest.real.config.ts --reporter=json --outputFile=real.json
node tools/evidence/evidence.mjs --suite main=main.json --suite slow=slow.json --suite real=real.json
\`\`\`

How to read the cells: \`✔ 12\` is twelve scripts that held; \`✘ 2 of 12\` names those that did not. A script that is about
something a client does not do (streaming lists, pages, resyncs, transforms) does not apply to it and is not counted. For
kube-informer the tests of its own suites that carry the id in their title are counted too. Where a script plays less than the row
says, the row says so. *Not played* says nothing about anybody. The informer of client-node ends with most errors; it was started
again five seconds later, as its own example does, and given ${clientNode === undefined ? 140 : clientNode.withinMs / 1000} s for every script.

## Guarantees

| guarantee | kube-informer | client-go | client-node |
| --- | --- | --- | --- |
${rows(guaranteeRows(clients, suites))}

G1, G4, G5, G11, G15 and G16 are looked at in every script. G18 is looked at where a client could go on from where it was: it
asked for the whole state once, at the start, and told nothing twice. States that were told again in all scripts together,
although nothing had changed: kube-informer ${sum(results, ({ ours }) => ours.echoes)}, client-go ${sum(results, ({ clientGo }) => clientGo.echoes)}, client-node ${sum(clients.clientNode, ({ outcome }) => outcome.echoes)}.

## Faults

F63 to F96 are about clocks, processes, user code and the test server: there is nothing to play to others, except F79.

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

The same stories of servers and networks that misbehave, told to kube-informer and to client-go's SharedIndexInformer
(typed and dynamic), each with a server of its own on loopback. After each story:

- the cache is what the server has, compared as canonical JSON;
- what the handler was told is a legal story: add, updates, delete; every \`old\` is what was told last; no state goes back
  in time; and it adds up to the cache;
- kube-informer has sent no more requests than client-go and a tenth, save for the scripts listed below and those in which
  client-go breaks a guarantee, where its requests are no measure.

| | |
| --- | --- |
${row('rows of the fault table', `${faults.length}: ${faults.join(', ')}`)}
${row('held by kube-informer', `${held} of ${results.length}`)}
${row('held by client-go', `${heldByPeer} of ${results.length}`)}
${row('requests, where client-go is not lost', `kube-informer ${sum(fair, ({ ours }) => ours.requests)}, client-go ${sum(fair, ({ clientGo }) => clientGo.requests)}`)}
${row(
  'counted apart: probes',
  sum(fair, ({ ours }) => ours.probes),
)}
${row(
  'counted apart: watches reopened after silence on HTTP/1.1',
  sum(fair, ({ ours }) => ours.reopened),
)}
${unexpected.length === 0 ? '' : `\n**Not as the scripts say: ${unexpected.map(({ name }) => `\`${name}\``).join(', ')}.**\n`}
Both ping after ${found.ping.afterMs / 1000} s of silence and wait ${found.ping.timeoutMs / 1000} s for the answer in these runs, so that dead connections are found sooner; some
stories shorten other waits of kube-informer, listed below. Probes are one-item lists with which kube-informer
asks whether a reopened watch can see; they are counted apart, and so are watches that are reopened because nothing came for
too long on HTTP/1.1, where nobody can tell a quiet peer from a dead one: 75 s by default, less in
${reopening.map(({ name, ours, shortened }) => `\`${name}\` (${ours.reopened} after ${seconds(shortened.silenceMs ?? 75_000)} each)`).join(' and ')}.

### Where client-go breaks a guarantee

Seen in this run, every one of them. client-go was given at least as long as kube-informer; where it is said not to
recover, the last column says how long it was watched. kube-informer promises to recover within 135 s.
†: no correct server does this; it takes a broken one, or a proxy.

| script | what happens | client-go | watched |
| --- | --- | --- | --- |
${results
  .filter(isBroken)
  .map(({ name, title, breaks, ours, clientGo }) =>
    row(`\`${name}\`${ours.isUnreal ? ' †' : ''}`, title, reasons(breaks), seconds(clientGo.ms)),
  )
  .join('\n')}

In these scripts kube-informer's own waits were shorter than by default, so that the run ends; client-go
ran with its defaults, except for the pings:

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
    return 'The long run has not been made yet: `npm run chaos -- --full --out test/chaos/results.json`.\n';
  const { faults: played, felt, writes, lives, informers, violations, unplayed } = chaos;
  return `Two kube-apiservers on one etcd, each behind a network of its own, a balancer before both, a writer that never stops,
${informers.length} informers and one more process with two that is killed again and again. ${chaos.isFull ? '' : '**This was not the long run.** '}Everything is
compared at the end and ${chaos.reckonings - 1} times on the way: every cache, \`verify()\`, every handler's view, and a list asked for by hand,
content included. A new epoch must be announced when the storage went back, once and never else; no object may go back in
time; everybody must have caught up 135 s after the last fault.

| | |
| --- | --- |
${row('date', `${chaos.date.slice(0, 10)}, commit ${chaos.commit}, Node.js ${chaos.node}, ${chaos.cores} cores, seed ${chaos.seed}`)}
${row('lasted', `${chaos.seconds} s`)}
${row('writes', `${writes.writes}, and ${writes.failures} whose end was not heard`)}
${row('relists, resumes, events', `${chaos.relists}, ${chaos.resumes}, ${chaos.events}`)}
${row('lives of the process that was killed', `${lives.lives}, longest until it had everything ${seconds(lives.longestSyncMs)}`)}
${row('watches closed because the reader was too slow', chaos.forcedCloses)}
${row('longest staleness, while faults went on', seconds(chaos.longestStaleMs))}
${row('longest until everybody knew everything, after the last fault', seconds(chaos.longestSettleMs))}
${row('longest until everybody knew that the storage went back', seconds(chaos.longestNoticeMs))}
${row('violations', violations.length)}
${row('faults that could not be caused', unplayed.length === 0 ? 'none' : unplayed.join('; '))}

Felt: an informer that this fault is aimed at saw a failed request, the status it was meant to see, or lost packets. A cut
that is shorter than the limits of the transport is a pause; whoever waits after another fault feels nothing.

| fault | played | felt |
| --- | --- | --- |
${Object.entries(played)
  .toSorted(([, one], [, other]) => other - one)
  .map(([fault, count]) => row(CHAOS[fault] ?? fault, count, felt[fault]))
  .join('\n')}

| informer | events | resumes | relists | epoch resets | longest staleness | stale states dropped |
| --- | --- | --- | --- | --- | --- | --- |
${informers.map((one) => row(one.name, one.events, one.resumes, one.relists, one.epochs, seconds(one.longestStaleMs), one.staleDropped)).join('\n')}
`;
}

writeFileSync(at('docs/evidence.md'), text);
console.log(`docs/evidence.md: ${results.length} scripts, ${held} held by kube-informer, ${heldByPeer} by client-go`);
