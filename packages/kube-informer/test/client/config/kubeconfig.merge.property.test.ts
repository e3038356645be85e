import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from '../../../src/client/config/kubeconfig.ts';

/** Few names, so that files collide; hostile ones among them. */
const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const entry = <T>(body: fc.Arbitrary<T>) =>
  fc.uniqueArray(fc.record({ name, body }), { selector: (e) => e.name, maxLength: 4 });
const maybe = (text: fc.Arbitrary<string>) => fc.option(text, { nil: undefined });
const word = fc.constantFrom('', 'x', 'y', 'z');

const file = fc.record({
  current: maybe(word),
  preferences: fc.option(fc.constantFrom({}, { colors: true }, { theme: 'dark' }), { nil: undefined }),
  clusters: entry(fc.record({ server: maybe(word), 'tls-server-name': maybe(word) })),
  users: entry(fc.record({ token: maybe(word), username: maybe(word) })),
  contexts: entry(fc.record({ cluster: maybe(word), namespace: maybe(word) })),
});
type File = typeof file extends fc.Arbitrary<infer T> ? T : never;

const contentOf = ({ current, preferences, clusters, users, contexts }: File): object => ({
  'current-context': current,
  preferences,
  clusters: clusters.map(({ name: n, body }) => ({ name: n, cluster: body })),
  users: users.map(({ name: n, body }) => ({ name: n, user: body })),
  contexts: contexts.map(({ name: n, body }) => ({ name: n, context: body })),
});

/** The rules in the plainest words: walk through the files; what is already there stays. */
function model(files: readonly File[]) {
  const lists = { clusters: [] as string[], users: [] as string[], contexts: [] as string[] };
  let current = '';
  let preferences = '{}';
  for (const [at, each] of files.entries()) {
    if (current === '') current = each.current ?? '';
    if (preferences === '{}') preferences = JSON.stringify(each.preferences ?? {});
    for (const list of ['clusters', 'users', 'contexts'] as const)
      for (const one of each[list]) {
        const isKnown = lists[list].some((line) => line.startsWith(`${one.name} `));
        if (!isKnown) lists[list].push(`${one.name} file${at} ${JSON.stringify(shown(one.body))}`);
      }
  }
  return { current, preferences, ...lists };
}

function view(config: Kubeconfig) {
  const line = (n: string, from: string | undefined, body: object): string =>
    `${n} ${from} ${JSON.stringify(shown(body))}`;
  return {
    current: config.currentContext ?? '',
    preferences: JSON.stringify(Object.fromEntries(config.preferences)),
    clusters: [...config.clusters.values()].map((c) =>
      line(c.name, c.file, { server: c.server, 'tls-server-name': c.tlsServerName }),
    ),
    users: [...config.users.values()].map((u) => line(u.name, u.file, { token: u.token, username: u.username })),
    contexts: [...config.contexts.values()].map((c) =>
      line(c.name, c.file, { cluster: c.cluster, namespace: c.namespace }),
    ),
  };
}

/** Empty texts are as good as absent, in a file and here. */
function shown(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && value !== ''));
}

test('S23, D7: merging agrees with a naive model of the rules, for any files', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 5 }), async (files) => {
      const parsed = await Promise.all(
        files.map((each, at) => parseKubeconfig(contentOf(each), { file: `file${at}` })),
      );
      expect(view(mergeKubeconfigs(parsed))).toEqual(model(files));
    }),
    { numRuns: 500 },
  );
});

test('S23, D7: merging is associative: files merged in two steps give the same', async () => {
  await fc.assert(
    fc.asyncProperty(file, file, file, async (...files) => {
      const [a, b, c] = (await Promise.all(
        files.map((each, at) => parseKubeconfig(contentOf(each), { file: `file${at}` })),
      )) as [Kubeconfig, Kubeconfig, Kubeconfig];
      expect(view(mergeKubeconfigs([mergeKubeconfigs([a, b]), c]))).toEqual(
        view(mergeKubeconfigs([a, mergeKubeconfigs([b, c])])),
      );
    }),
    { numRuns: 200 },
  );
});
