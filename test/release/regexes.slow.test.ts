import { expect, test } from 'vitest';
import { slowText } from './slow-text.ts';
import { nodesOf, shippedSources } from './sources.ts';

test.each([
  [/^(a+)+$/, 'a loop in a loop'],
  [/^(a*)*$/, 'an empty loop in a loop'],
  [/^(a|a)*$/, 'two ways for the same'],
  [/^(a|ab|b)*$/, 'two ways for two characters'],
  [/^(?:\w+\s?)*$/, 'words with or without a space between'],
  [/\/+$/, 'slashes at the end, searched for from each place'],
  [/^a*a*$/, 'two loops in a row'],
  [/^\s*(.*?)\s*;$/, 'loops that overlap'],
  [/\B(?=(\d{3})+$)/g, 'looking ahead to the end from each place'],
  [/x.*y.*z/s, 'a search for a far end'],
])('S57: %s is found to be slow: %s', (regex) => {
  expect(slowText(regex)).toBeDefined();
});

test.each([
  /^(?:[a-z]+-)*[a-z]+$/,
  /^"(?:[^"\\]|\\.)*"$/s,
  /\s+/g,
  /^\d+(?:\.\d+)?$/,
  /[^a-z]/,
  /^(?:(?:ab)+c)*$/,
  /^(?:a{2,5}b)+$/,
  /^(?=\d|$)/,
])('S57: %s is found to be linear', (regex) => {
  expect(slowText(regex)).toBeUndefined();
});

/** Expressions that are slow on long texts but only get short ones. */
const SHORT_TEXTS: Readonly<Record<string, string>> = {
  [String.raw`packages/cli/src/demo/story.ts /(\d+)(-broken)?$/`]: 'images of the demo, which we wrote',
  [String.raw`packages/cli/src/text/numbers.ts /\B(?=(\d{3})+$)/g`]: 'a number, of 22 digits at most',
  [String.raw`packages/kube-informer/src/client/transport/addresses.ts /%.*$/`]:
    'slow only before a line break, which no host of a URL has',
  'packages/kube-informer/src/client/transport/fetch/platform-fetch.ts /invalid peer certificate: .*(?:not valid for name|NotValidForName)/s':
    'what a runtime says of a certificate',
  'packages/kube-informer/src/client/transport/fetch/platform-fetch.ts /invalid peer certificate: .*expired/is':
    'what a runtime says of a certificate',
  [String.raw`packages/kube-informer/src/core/call-site.ts /([^/\\( ]+):(\d+):\d+\)?$/`]:
    "a line of this process's own stack trace",
};

/** All literals, by file and pattern. */
const literals: ReadonlyMap<string, RegExp> = new Map(
  shippedSources().flatMap((source) =>
    [...nodesOf(source)].flatMap((node) => {
      const { pattern, flags } = (node['regex'] ?? {}) as { pattern?: string; flags?: string };
      const regex = pattern === undefined ? undefined : new RegExp(pattern, flags);
      return regex === undefined ? [] : [[`${source.path} ${String(regex)}`, regex] as const];
    }),
  ),
);

test(
  'S57: the regular expressions of what we ship take linear time, however long the text (S33)',
  { timeout: 300_000 },
  () => {
    expect(literals.size).toBeGreaterThan(200);
    const slow = [...literals]
      .filter(([place]) => !(place in SHORT_TEXTS))
      .map(([place, regex]) => ({ place, text: slowText(regex) }))
      .filter(({ text }) => text !== undefined);
    expect(slow).toEqual([]);
  },
);

test('S57: what is excused is there, and needs it', { timeout: 300_000 }, () => {
  const needless = Object.keys(SHORT_TEXTS).filter((place) => {
    const regex = literals.get(place);
    return regex === undefined || slowText(regex) === undefined;
  });
  expect(needless).toEqual([]);
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
