/** Results of test/real/controller/operator: OPERATORS_RESULTS=<this file> npm run test:real -- controller/operator */
export const OPERATORS = 'test/real/controller/operator/results.json';

const total = (results, whose, what) => results.reduce((sum, one) => sum + one[whose][what], 0);

/** Results of test/real/controller/election: ELECTIONS_RESULTS=<this file> npm run test:handovers */
export const ELECTIONS = 'test/real/controller/election/results.json';

/** The section about electors of ours and of client-go on one Lease. */
export function electionsText(results) {
  if (results.length === 0) return '';
  const row = (one) =>
    `| ${one.server} | ${one.handOvers} | ${one.stopped} / ${one.crashed} / ${one.cut} | ${one.ours} / ${one.clientGo} | ${one.released} / ${one.expired} | ${one.writes} | ${one.violations} |`;
  return `
## One Lease, electors here and of client-go

Three electors of \`@kube-informer/controller/election\` and three of client-go compete for one Lease. All clocks are wrong by up to two
hours, ours also run up to a tenth too fast or too slow. The holder is stopped, crashes or is cut off, again and again. Every write of the
Lease is read in order: a holder that took over too early, a count of transitions that does not fit, or a fence of ours that is held while
the Lease names another holder is a violation.

| server | hand-overs | stopped / crashed / cut off | terms of ours / of client-go | released / expired | writes of the Lease | violations |
| --- | --- | --- | --- | --- | --- | --- |
${results.map(row).join('\n')}

To repeat it: \`npm run test:handovers\`; \`npm run test:real\` has 24 hand-overs on each server.
`;
}

/** The section about one operator written twice. */
export function controllersText(results) {
  if (results.length === 0) return '';
  const row = (name, { ours, theirs }) =>
    `| ${name} | ${ours.writes} | ${theirs.writes} | ${ours.requests} | ${theirs.requests} |`;
  const sums = Object.fromEntries(
    ['ours', 'theirs'].map((whose) => [
      whose,
      { writes: total(results, whose, 'writes'), requests: total(results, whose, 'requests') },
    ]),
  );
  return `
## One operator, here and with controller-runtime

The same small operator (children by server-side apply, pruning, a finalizer with cleanup, a condition) is written with
\`@kube-informer/controller\` and in Go with controller-runtime 0.25.2; test/real/controller/operator has both. Each runs on an embedded
server of its own under the same faults while the same user changes, deletes and meddles. In all ${results.length} scripts both leave the
same objects behind; this is what it took. Requests include lists and watches, not reviews of access rights.

| faults | writes here | writes there | requests here | requests there |
| --- | --- | --- | --- | --- |
${results.map((one) => row(one.script, one)).join('\n')}
${row('**sum**', sums)}

To repeat it: \`OPERATORS_RESULTS=${OPERATORS} npm run test:real -- controller/operator\`.
`;
}
