/** Results of test/foreign: npm run test:foreign -- --all --real --out <this file> */
export const FOREIGN = 'test/foreign/results.json';

/** The section about suites of others on the embedded server. */
export function foreignText(results) {
  if (results.length === 0) return '';
  const cell = (result) => {
    if (result === undefined) return 'not played';
    const { passed, failed, skipped } = result;
    return `${passed} of ${passed + failed.length}${skipped === 0 ? '' : `, ${skipped} skipped`}`;
  };
  const failures = results.flatMap(({ name, embedded }) => embedded.failed.map((title) => `- ${name}: ${title}`));
  return `
## Suites of others on the embedded server

Programs and tests that were not written for this server, each on a fresh one; [test/foreign](../test/foreign/README.md) says which. Counted are tests that
passed.

| suite | embedded | kube-apiserver |
| --- | --- | --- |
${results.map(({ about, embedded, real }) => `| ${about} | ${cell(embedded)} | ${cell(real)} |`).join('\n')}
${failures.length === 0 ? '' : `\nFailed on the embedded server:\n\n${failures.join('\n')}\n`}
To repeat it: \`npm run test:foreign -- --all --real --out ${FOREIGN}\`.
`;
}
