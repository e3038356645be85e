/** Results of test/foreign: npm run test:foreign -- --all --real --out <this file> */
export const FOREIGN = 'test/foreign/results.json';

/** The section about suites of others on the embedded server. */
export function foreignText(results) {
  if (results.length === 0) return '';
  const cell = (result) => {
    if (result === undefined) return 'not played';
    const { passed, failed, skipped, refused = 0 } = result;
    return `${passed} of ${passed + failed.length + refused}${skipped === 0 ? '' : `, ${skipped} skipped`}`;
  };
  const compared = results.flatMap(({ about, compared: of }) => of === undefined ? [] : `
Answers of both servers to ${about.replace(/: accepted$/, '')}: the same verdict for ${of.sameVerdict} of ${of.asked}; of ${of.refused} that both refuse, ${of.sameMessage} with the same
message.
`); // prettier-ignore
  const packages = results.filter(({ name }) => name.startsWith('controller-runtime/'));
  const total = (side) =>
    packages.every((row) => row[side] !== undefined)
      ? `${packages.reduce((sum, row) => sum + row[side].passed, 0)} of ${packages.reduce((sum, row) => sum + row[side].passed + row[side].failed.length, 0)}`
      : 'not all played';
  const together =
    packages.length < 2
      ? ''
      : `
controller-runtime's ${packages.length} packages together: embedded ${total('embedded')}, kube-apiserver ${total('real')}.
`;
  const failures = results.flatMap(({ name, embedded, real }) =>
    embedded.failed.map(
      (title) => `- ${name}: ${title}${real?.failed.includes(title) ? ' (on kube-apiserver too)' : ''}`,
    ),
  );
  return `
## Suites of others on the embedded server

Programs and tests that were not written for this server, each on a fresh one; [test/foreign](../test/foreign/README.md) says which. Counted are tests that
passed.

| suite | embedded | kube-apiserver |
| --- | --- | --- |
${results.map(({ about, embedded, real }) => `| ${about} | ${cell(embedded)} | ${cell(real)} |`).join('\n')}
${together}${compared.join('')}${failures.length === 0 ? '' : `\nFailed on the embedded server:\n\n${failures.join('\n')}\n`}
To repeat it: \`npm run test:foreign -- --all --real --out ${FOREIGN}\`.
`;
}
