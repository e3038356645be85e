import { expect, test } from 'vitest';
import { suspicionsOf } from './regex-ambiguity.ts';
import { nodesOf, shippedSources } from './sources.ts';

test('S57: an expression with a back reference is refused: its time is unknown', () => {
  expect(() => suspicionsOf(/(["']).*\1/)).toThrow(/refers back/);
});

/** Files that make patterns at run time, and what they make them of. */
const MADE: Readonly<Record<string, string>> = {
  'packages/apiserver/src/faults/rules/check-fault-rule.ts': 'a fault, given by the test itself',
  'packages/apiserver/src/api/meta/name-syntax.ts': 'constants above it: labels with dots between',
  'packages/apiserver/src/api/schema/re2/re2-class.ts': 'one class of characters, of a schema',
  'packages/cli/src/session/inspector-page.ts': 'the width of the terminal',
  'packages/kube-informer/src/client/auth/node/exec-policy.ts': 'constants: an anchored list of names',
  'packages/apiserver/src/api/rules/library/rule-semver.ts': 'constants: the parts of a version, apart by dots',
  'packages/kubernetes/src/generate/schema-catalog.ts': 'constants: an anchored path',
};

test('S57: nothing hostile becomes a regular expression: all that are made at run time are known', () => {
  const makers = shippedSources().filter((source) =>
    [...nodesOf(source)].some(
      (node) => /^(?:New|Call)Expression$/.test(node.type) && (node['callee'] as { name?: string }).name === 'RegExp',
    ),
  );
  expect(makers.map(({ path }) => path).filter((path) => !(path in MADE))).toEqual([]);
  expect(makers.length).toBeGreaterThan(3);
});
