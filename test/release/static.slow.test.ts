import { expect, test } from 'vitest';
import { nodesOf, shippedSources, type Source } from './sources.ts';

/** Functions that turn text into markup, code or a program. No published code uses them. */
const MARKUP = new Set([
  'innerHTML',
  'outerHTML',
  'insertAdjacentHTML',
  'setHTMLUnsafe',
  'createContextualFragment',
  'parseHTMLUnsafe',
  'srcdoc',
  'DOMParser',
]);
const CODE = new Set(['eval', 'Function', 'runInContext', 'runInNewContext', 'runInThisContext', 'compileFunction']);

interface Name {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
}

/** Names of properties and variables in use, also as `node['innerHTML']`; not those in comments, types and strings. */
function* namesUsed(source: Source): Generator<string> {
  for (const node of nodesOf(source)) {
    const name =
      node.type === 'MemberExpression'
        ? (node['property'] as Name)
        : node.type === 'NewExpression' || node.type === 'CallExpression'
          ? (node['callee'] as Name)
          : undefined;
    if (name?.type === 'Identifier' && name.name !== undefined) yield name.name;
    if (name?.type === 'Literal' && typeof name.value === 'string') yield name.value;
  }
}

const uses = (source: Source, banned: ReadonlySet<string>): string[] =>
  [...namesUsed(source)].filter((name) => banned.has(name)).map((name) => `${source.path}: ${name}`);

const sources = shippedSources();

test('S57: no text becomes markup (S43) and no text becomes code, anywhere in what we ship', () => {
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.flatMap((source) => uses(source, MARKUP))).toEqual([]);
  expect(sources.flatMap((source) => uses(source, CODE))).toEqual([]);
  // `document.write` too, but not a stream's `write`.
  expect(sources.filter(({ text }) => /\bdocument\.write/.test(text)).map(({ path }) => path)).toEqual([]);
});

test.each([
  ['element.innerHTML = text', MARKUP],
  ["element['innerHTML'] = text", MARKUP],
  ['element?.insertAdjacentHTML("beforeend", text)', MARKUP],
  ['new DOMParser().parseFromString(text, "text/html")', MARKUP],
  ['eval(text)', CODE],
  ['new Function("a", text)', CODE],
  ['globalThis.eval(text)', CODE],
  ['vm.runInNewContext(text)', CODE],
])('S57: %s is noticed', (text, banned) => {
  expect(uses({ path: 'x.ts', text }, banned)).not.toEqual([]);
  expect(uses({ path: 'x.ts', text: `// ${text}\nconst said = 'innerHTML eval';` }, banned)).toEqual([]);
});

test('S57: only the plugin of a kubeconfig and serve --exec run a program, and never through a shell (S3)', () => {
  const runners = sources.filter(({ text }) => /from 'node:child_process'/.test(text));
  expect(runners.map(({ path }) => path)).toEqual([
    'packages/cli/src/host/system-host.ts', // the command that a user types behind `serve --exec --`
    'packages/kube-informer/src/client/auth/node/run-program.ts',
  ]);
  const shells = sources.filter((source) =>
    [...nodesOf(source)].some(
      (node) =>
        node.type === 'Property' && (node['key'] as Name).name === 'shell' && (node['value'] as Name).value !== false,
    ),
  );
  expect(shells.map(({ path }) => path)).toEqual([]);
});
