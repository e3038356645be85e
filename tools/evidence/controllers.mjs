/** Results of test/real/controller/operator: OPERATORS_RESULTS=<this file> npm run test:real -- controller/operator */
export const OPERATORS = 'test/real/controller/operator/results.json';

const total = (results, whose, what) => results.reduce((sum, one) => sum + one[whose][what], 0);

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
