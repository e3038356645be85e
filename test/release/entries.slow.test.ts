import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { importsOf, type Source, sourcesIn } from './sources.ts';
import { packages, repository } from './workspace.ts';

const SOURCE = '@kube-informer/source';
const ENGINE = 'packages/kube-informer/src';

/** Every file that a bundler includes for a package's entry, and every import it leaves to the platform. */
async function reached(folder: string, entry: string, conditions: readonly string[]) {
  const target = packages.get(folder)?.exports?.[entry] as Readonly<Record<string, string>> | undefined;
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: [join('packages', folder, target?.[SOURCE] ?? `no entry ${entry}`)],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: conditions.includes('node') ? 'node' : 'neutral',
    conditions: [SOURCE, ...conditions],
    // Listed in the result instead of an error.
    external: ['node:*'],
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return {
    files: Object.keys(metafile.inputs),
    platform: new Set(imports.filter(({ external }) => external === true).map(({ path }) => path)),
  };
}

const rooms = ['core', 'store', 'informer'];

/** The target of an import: a file, or the name of a package. */
function leadsTo({ path }: Source, specifier: string | undefined): string {
  return specifier?.startsWith('.') === true ? join(dirname(path), specifier) : `${specifier}`;
}

test.each(rooms)('S51: %s/ imports nothing from outside the engine, not even a type, and nothing of Node', (room) => {
  const sources = sourcesIn(join(ENGINE, room));
  expect(sources.length).toBeGreaterThan(5);
  const outside = sources.flatMap((source) =>
    importsOf(source)
      .map((specifier) => leadsTo(source, specifier))
      .filter((file) => !rooms.some((other) => file.startsWith(`${ENGINE}/${other}/`)))
      .map((file) => `${source.path} imports ${file}`),
  );
  expect(outside).toEqual([]);
});

test.each(['./core', './informer', './store'])(
  'S51: the entry %s bundles for any platform, from our own files alone',
  async (entry) => {
    const { files, platform } = await reached('kube-informer', entry, []);
    expect([...platform]).toEqual([]);
    expect(files.filter((file) => !rooms.some((room) => file.startsWith(`${ENGINE}/${room}/`)))).toEqual([]);
  },
);

test('S51: the main entry reaches yaml, our generated tables and Node, and no other package', async () => {
  const { files, platform } = await reached('kube-informer', '.', ['node']);
  expect(
    files.filter((file) => !/^(?:packages\/(?:kube-informer|kubernetes)\/src|node_modules\/yaml)\//.test(file)),
  ).toEqual([]);
  expect([...platform].filter((name) => !name.startsWith('node:') && !YAML_NEEDS.has(name))).toEqual([]);
});
/** Node's own modules as `yaml` spells them. */
const YAML_NEEDS = new Set(['process', 'buffer']);

/** Code for tests: fakes and their clock, the embedded server with its faults, and tools. */
const FOR_TESTS =
  /\/testing\/|\/test\/|\/packages\/apiserver\/|^packages\/apiserver\/|faults?\b|\b(?:fake|mock|stub)\b|vitest|fast-check/i;

const production: [folder: string, entry: string][] = [
  ...['.', './client', './informer', './core', './compat', './prometheus', './store'].map((entry): [string, string] => [
    'kube-informer',
    entry,
  ]),
  ['kubernetes', '.'],
  ['kubernetes', './generate'],
];

test.each(production.flatMap(([folder, entry]) => ['node', 'browser'].map((where) => [folder, entry, where] as const)))(
  'S58: %s %s reaches no test-only code (%s)',
  async (folder, entry, where) => {
    const { files } = await reached(folder, entry, [where]);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => FOR_TESTS.test(file))).toEqual([]);
  },
);

test('S58: what is imported is written in the code, so that none of this can be missed', () => {
  // The only name made at run time is that of the page's bundler, in this repository; no published file imports it.
  const hidden = [...packages.keys()].flatMap((folder) =>
    sourcesIn(`packages/${folder}/src`).filter((source) => importsOf(source).includes(undefined)),
  );
  expect(hidden.map(({ path }) => path)).toEqual(['packages/inspector/src/page/page-source.ts']);
});

test('S58: every entry is either one of those, or the one for tests', async () => {
  const entries = Object.keys(packages.get('kube-informer')?.exports ?? {}).filter(
    (entry) => entry !== './package.json',
  );
  const listed = production.filter(([folder]) => folder === 'kube-informer').map(([, entry]) => entry);
  expect(entries.filter((entry) => !listed.includes(entry))).toEqual(['./testing']);
  const { files } = await reached('kube-informer', './testing', ['node']);
  expect(files.filter((file) => FOR_TESTS.test(file))).not.toEqual([]);
});

test('S58: the inspector knows the embedded server by its shape only; the page with faults comes with the demo', async () => {
  const imports = sourcesIn('packages/inspector/src').flatMap((source) => importsOf(source));
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter((name) => name?.includes('apiserver') === true || name?.includes('testing') === true)).toEqual(
    [],
  );
});

test('S58: of the command line only the demo and `serve` load the embedded server, when they are asked for', () => {
  const users = sourcesIn('packages/cli/src').filter((source) =>
    importsOf(source).includes('@kube-informer/apiserver'),
  );
  expect(
    users
      .map(({ path }) => path)
      .filter((path) => !/^packages\/cli\/src\/(?:demo\/|commands\/(?:demo|serve)-command\.ts)/.test(path)),
  ).toEqual([]);
});
