/** Results of test/real/controller/operator: OPERATORS_RESULTS=<this file> npm run test:real -- controller/operator */
export const OPERATORS = 'test/real/controller/operator/results.json';

const total = (results, whose, what) => results.reduce((sum, one) => sum + one[whose][what], 0);

/** Results of test/real/controller/election, one run for each seed: ELECTIONS_RESULTS=<this file> HAND_OVERS_SEED=16 npm run test:handovers */
export const ELECTIONS = 'test/real/controller/election/results.json';

/** The section about electors of ours and of client-go on one Lease. */
export function electionsText(results) {
  if (results.length === 0) return '';
  const row = (one) =>
    `| ${one.server} | ${one.seed ?? 15} | ${one.handOvers} | ${one.stopped} / ${one.crashed} / ${one.cut} | ${one.ours} / ${one.clientGo} | ${one.released} / ${one.expired} | ${one.writes} | ${one.violations} |`;
  return `
## One Lease, electors here and of client-go

Three electors of \`@kube-informer/controller/election\` and three of client-go compete for one Lease. All clocks are wrong by up to two
hours, ours also run up to a tenth too fast or too slow. The holder is stopped, crashes or is cut off, again and again. Every write of the
Lease is read in order: a holder that took over too early, a count of transitions that does not fit, or a fence of ours that is held while
the Lease names another holder is a violation.

| server | seed | hand-overs | stopped / crashed / cut off | terms of ours / of client-go | released / expired | writes of the Lease | violations |
| --- | --- | --- | --- | --- | --- | --- | --- |
${results.map(row).join('\n')}

To repeat it: \`npm run test:handovers\`; \`npm run test:real\` has 24 hand-overs on each server.
`;
}

/** Results of test/soak, as a list: npm run soak -- --out f.json */
export const SOAK = 'test/soak/results.json';

/** The section about three replicas for a long time. */
export function soakText(results) {
  if (results.length === 0) return '';
  const megabytes = ({ heapBytes }) => (heapBytes / 1e6).toFixed(1);
  const row = ({ time, hours, seed, figures, violations, measured }) =>
    `| ${hours}, ${time} | ${seed} | ${figures.realSeconds} | ${figures.changes} / ${figures.writes} / ${figures.requests} | ${figures['lease lost'] ?? 0} / ${figures.crash ?? 0} / ${figures.stop ?? 0} | ${figures['server restart'] ?? 0} | ${megabytes(measured[0])} → ${megabytes(measured.at(-1))} | ${measured[0].timers ?? '–'} → ${measured.at(-1).timers ?? '–'} | ${figures.unheld} | ${violations} |`;
  return `
## Three replicas for a long time

Three replicas of an operator on the embedded server, in one process. A user changes what they work on every 15 s, and every 5 minutes
something breaks: the leader loses its lease, crashes or is stopped and replaced, watches end, the history expires, writes fail, answers are
lost, the server restarts. Wall clocks are wrong by up to two hours. Each hour the user rests until everything is as wanted; live memory after
a full collection, timers and watches are compared with those after the first hour. Each write is compared with the Lease on the server at
the moment it is sent. **\`simulated\` is time of a fake clock: what takes real days, such as the memory of Node itself, sockets of a real
network and the drift of real clocks, is not shown by it.** \`npm run soak -- --real\` is the same in real time; it was never played for a day.

| hours | seed | real s | changes / writes / requests | lease lost / crashed / stopped | server restarts | live MB, first hour → last | timers, first → last | writes without the lease | violations |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${results.map(row).join('\n')}

To repeat it: \`npm run soak\` (24 hours), \`npm run soak -- --hours 8 --seed 2\`.
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
