import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { suspicionsOf } from './regex-ambiguity.ts';
import { nodesOf, shippedSources } from './sources.ts';

/** Reading it a few times takes a millisecond; reading it from each of its characters takes a second or more. */
const LENGTH = 50_000;
/** A word of several characters has fewer places to begin at: more of it takes as long. */
const repeated = (pump: string): string => pump.repeat(LENGTH / Math.sqrt(pump.length));
/** In between, of computing time: a busy machine may do something else meanwhile, which does not count. */
const PATIENCE_MS = 60;
/** What makes a match fail after a long run of something. */
const ENDS = ['', '\0', '\n', '!', 'a', '0', ' ', '"', '\u{1f600}'];

const room: { regex?: RegExp; text?: string } = {};
createContext(room);

/** Once may be the fault of the machine, which counts for us what it does for others. */
const SLOW_TIMES = 3;

function isQuick(regex: RegExp, text: string): boolean {
  const script = regex.global ? 'text.replace(regex, "")' : 'regex.test(text)';
  let slow = 0;
  for (let timeout = 2 * PATIENCE_MS; slow < SLOW_TIMES; timeout *= 2) {
    const before = process.cpuUsage();
    try {
      Object.assign(room, { regex, text });
      regex.lastIndex = 0;
      runInContext(script, room, { timeout });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      if (process.cpuUsage(before).user > PATIENCE_MS * 1_000) slow += 1;
    }
  }
  return false;
}

/** A text that keeps the engine busy, as what leads to it, what is repeated, and its end. */
function slowText(regex: RegExp): string | undefined {
  for (const { prefix, pump } of suspicionsOf(regex))
    for (const end of ENDS)
      if (!isQuick(regex, prefix + repeated(pump) + end)) return JSON.stringify([prefix, pump, end]);
  return undefined;
}

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

test('S57: an expression that refers back is refused: its time cannot be told', () => {
  expect(() => suspicionsOf(/(["']).*\1/)).toThrow(/refers back/);
});

/** Slow on long texts, which they never get. */
const SHORT_TEXTS: Readonly<Record<string, string>> = {
  [String.raw`packages/cli/src/demo/story.ts /(\d+)(-broken)?$/`]: 'images of the demo, which we wrote',
  [String.raw`packages/cli/src/terminal/numbers.ts /\B(?=(\d{3})+$)/g`]: 'a number, of 22 digits at most',
  [String.raw`packages/kube-informer/src/client/transport/addresses.ts /%.*$/`]:
    'slow only before a line break, which no host of a URL has',
  'packages/kube-informer/src/client/transport/fetch/platform-fetch.ts /invalid peer certificate: .*(?:not valid for name|NotValidForName)/s':
    'what a runtime says of a certificate',
  'packages/kube-informer/src/client/transport/fetch/platform-fetch.ts /invalid peer certificate: .*expired/is':
    'what a runtime says of a certificate',
  [String.raw`packages/kube-informer/src/core/call-site.ts /([^/\\( ]+):(\d+):\d+\)?$/`]:
    "a line of this process's own stack trace",
};

const sources = shippedSources();
/** By where and what they are; one that stands in a file twice is there once. */
const literals: ReadonlyMap<string, RegExp> = new Map(
  sources.flatMap((source) =>
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

/** Patterns made at run time, and of what. */
const MADE: Readonly<Record<string, string>> = {
  'packages/apiserver/src/faults/check-rule.ts': 'a fault, given by the test itself',
  'packages/apiserver/src/meta/syntax.ts': 'constants above it: labels with dots between',
  'packages/apiserver/src/schema/re2-class.ts': 'one class of characters, of a schema',
  'packages/cli/src/ui.ts': 'the width of the terminal',
  'packages/kube-informer/src/client/auth/node/exec-plugin-command.ts': 'constants: an anchored list of names',
  'packages/kubernetes/src/generate/schema-index.ts': 'constants: an anchored path',
};

test('S57: nothing hostile becomes a regular expression: all that are made at run time are known', () => {
  const makers = sources.filter((source) =>
    [...nodesOf(source)].some(
      (node) => /^(?:New|Call)Expression$/.test(node.type) && (node['callee'] as { name?: string }).name === 'RegExp',
    ),
  );
  expect(makers.map(({ path }) => path).filter((path) => !(path in MADE))).toEqual([]);
  expect(makers.length).toBeGreaterThan(3);
});
