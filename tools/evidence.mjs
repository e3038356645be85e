/**
 * Writes docs/evidence.md from what a run of the differential test found.
 *
 *   npm run test:real -- differential     writes test/differential/results.json
 *   node tools/evidence.mjs [results.json]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const found = JSON.parse(readFileSync(process.argv[2] ?? at('test/differential/results.json'), 'utf8'));
const { results } = found;
const { version } = JSON.parse(readFileSync(at('packages/kube-informer/package.json'), 'utf8'));

const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (...cells) => `| ${cells.map((text) => cell(String(text))).join(' | ')} |`;
const isBroken = ({ breaks }) => Object.keys(breaks).length > 0;
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
/** Of kube-informer, for what scripts shorten. */
const DEFAULTS = { markerTimeoutMs: '30 s', silenceMs: '75 s', headersMs: '60 s, watches 30 s' };
const reasons = (checks) => [...new Set(Object.values(checks))].join('; ');

/** `✔`, or what it does not hold, with the guarantee. */
const verdict = (outcome, known) =>
  outcome.failures.length === 0
    ? '✔'
    : `✘ ${reasons(known) || outcome.failures.map(({ check, text }) => `${check}: ${text}`).join('; ')}`;
const requests = ({ requests: count, probes }) => (probes === 0 ? `${count}` : `${count} + ${probes}`);

const fair = results.filter((result) => !isBroken(result));
const more = results.filter(
  ({ moreRequests, ours, clientGo }) =>
    moreRequests !== undefined && ours.requests > Math.floor(clientGo.requests * 1.1),
);
const held = results.filter(({ ours }) => ours.failures.length === 0).length;
const heldByPeer = results.filter(({ clientGo }) => clientGo.failures.length === 0).length;
const faults = [...new Set(results.flatMap((result) => result.faults))].toSorted(
  (one, other) => Number(one.slice(1)) - Number(other.slice(1)),
);
const slower = results
  .filter((result) => !isBroken(result) && result.ours.ms > result.clientGo.ms + 1_500)
  .toSorted((one, other) => other.ours.ms - other.clientGo.ms - (one.ours.ms - one.clientGo.ms));
const unexpected = results.filter(({ complaints }) => complaints.length > 0);

const text = `# Evidence

<!-- Written by tools/evidence.mjs from a run; not to be edited. -->

The same stories of servers and networks that misbehave, told to kube-informer and to client-go's SharedIndexInformer
(typed and dynamic), each with a server of its own on loopback. After each story:

- the cache is what the server has, compared as canonical JSON;
- what the handler was told is a legal story: add, updates, delete; every \`old\` is what was told last; no state goes back
  in time; and it adds up to the cache;
- kube-informer has sent no more requests than client-go and a tenth, save for the scripts listed below and those in which
  client-go breaks a guarantee, where its requests are no measure.

| | |
| --- | --- |
${row('date', found.date.slice(0, 10))}
${row('kube-informer', version)}
${row('client-go', found.clientGo)}
${row('Node.js', `${found.node}, ${found.platform}`)}
${row('scripts', `${results.length}, in ${found.seconds} s`)}
${row('rows of the fault table', `${faults.length}: ${faults.join(', ')}`)}
${row('held by kube-informer', `${held} of ${results.length}`)}
${row('held by client-go', `${heldByPeer} of ${results.length}`)}
${row('requests, where both came through', `kube-informer ${sum(fair, ({ ours }) => ours.requests)} and ${sum(fair, ({ ours }) => ours.probes)} probes, client-go ${sum(fair, ({ clientGo }) => clientGo.requests)}`)}
${row('states told again although nothing had changed', `kube-informer ${sum(results, ({ ours }) => ours.echoes)}, client-go ${sum(results, ({ clientGo }) => clientGo.echoes)}`)}

To repeat it: \`npm run test:real -- differential && node tools/evidence.mjs\`. Needs Go for building client-go, once.
${unexpected.length === 0 ? '' : `\n**Not as the scripts say: ${unexpected.map(({ name }) => `\`${name}\``).join(', ')}.**\n`}
Both ping after ${found.ping.afterMs / 1000} s of silence and wait ${found.ping.timeoutMs / 1000} s for the answer in these runs, so that dead connections are found sooner; some
stories shorten other waits of kube-informer, listed below. Probes are one-item lists with which kube-informer
asks whether a reopened watch can see; they are counted apart. So would be the watches that are reopened after 75 s of
silence on HTTP/1.1; no script lasts so long.

## Where client-go breaks a guarantee

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

## Where kube-informer does not hold yet

${
  results.every(({ open }) => Object.keys(open).length === 0)
    ? 'Nowhere in these scripts.'
    : `| script | what happens | kube-informer |\n| --- | --- | --- |\n${results
        .filter(({ open }) => Object.keys(open).length > 0)
        .map(({ name, title, open }) => row(`\`${name}\``, title, reasons(open)))
        .join('\n')}`
}

## Where kube-informer sends more

${
  more.length === 0
    ? 'Nowhere by more than a tenth.'
    : `| script | kube-informer | client-go | why |\n| --- | --- | --- | --- |\n${more
        .map(({ name, ours, clientGo, moreRequests }) =>
          row(`\`${name}\``, ours.requests, clientGo.requests, moreRequests),
        )
        .join('\n')}`
}

## Where kube-informer takes longer

By more than a second and a half, in this run; both wait for random times.

| script | kube-informer | client-go |
| --- | --- | --- |
${slower.map(({ name, ours, clientGo }) => row(`\`${name}\``, seconds(ours.ms), seconds(clientGo.ms))).join('\n')}

## All scripts

Requests are lists and watches; \`+ n\` are probes.

| script | faults | what happens | kube-informer | client-go | requests | of client-go |
| --- | --- | --- | --- | --- | --- | --- |
${results
  .map(({ name, faults: ids, title, ours, clientGo, breaks, open, mode, watchList }) =>
    row(
      `\`${name}\``,
      ids.join(', '),
      `${title}${mode === 'dynamic' ? '; dynamic' : ''}${watchList ? '' : '; plain lists'}`,
      verdict(ours, open),
      verdict(clientGo, breaks),
      requests(ours),
      requests(clientGo),
    ),
  )
  .join('\n')}
`;

writeFileSync(at('docs/evidence.md'), text);
console.log(`docs/evidence.md: ${results.length} scripts, ${held} held by kube-informer, ${heldByPeer} by client-go`);
