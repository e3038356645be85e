import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  foreignEntries,
  type Manifest,
  packages,
  readLockfile,
  readText,
  repository,
  rootManifest,
} from './workspace.ts';

/** Allowed runtime dependencies, and the note that says why. */
const ALLOWED: Readonly<Record<string, string>> = { yaml: 'docs/decisions/0004-yaml.md' };
/** Maximum number of installed packages that are not our own. */
const MAX_FOREIGN: Readonly<Record<string, number>> = {
  kubernetes: 0,
  'kube-informer': 2,
  apiserver: 3,
  controller: 3,
  inspector: 3,
  cli: 3,
};

const ours = new Set([...packages.values()].map(({ name }) => name));
const versions = new Map([...packages.values()].map(({ name, version }) => [name, version]));
const runtimeOf = ({
  dependencies,
  optionalDependencies,
  peerDependencies,
}: Manifest): [name: string, range: string][] =>
  Object.entries({ ...dependencies, ...optionalDependencies, ...peerDependencies });

test.each([...packages])(
  'S51: %s brings only what a decision note justifies, pinned to one version',
  (folder, manifest) => {
    const foreign = runtimeOf(manifest).filter(([name]) => !ours.has(name));
    expect(foreign.length).toBeLessThanOrEqual(MAX_FOREIGN[folder] ?? -1);
    for (const [name, range] of foreign) {
      expect(Object.keys(ALLOWED), `${folder} depends on ${name}: write docs/decisions/…`).toContain(name);
      expect(range, name).toMatch(/^\d+\.\d+\.\d+$/);
    }
    for (const [name, range] of runtimeOf({ ...manifest, peerDependencies: {} }))
      if (ours.has(name)) expect(range, name).toBe(versions.get(name));
    // A pinned peer leaves its range with each release, and changesets then makes a major version of this package.
    for (const [name, range] of Object.entries(manifest.peerDependencies ?? {}))
      if (ours.has(name)) expect(range, name).toBe(`>=${versions.get(name)}`);
    expect(manifest.bundleDependencies).toBeUndefined();
  },
);

test('S51: every allowed package has its note, is used, and brings nothing with it', () => {
  const used = new Set([...packages.values()].flatMap((manifest) => runtimeOf(manifest).map(([name]) => name)));
  for (const [name, note] of Object.entries(ALLOWED)) {
    expect(existsSync(join(repository, note)), note).toBe(true);
    expect(readText(note)).toContain(`\`${name}\``);
    expect(used).toContain(name);
  }
  // The lockfile is the whole tree of an installation; users get everything that is not for development.
  const installed = foreignEntries(readLockfile('package-lock.json')).filter(
    ([, { dev, devOptional }]) => dev !== true && devOptional !== true,
  );
  expect(installed.map(([path]) => path.replace('node_modules/', ''))).toEqual(Object.keys(ALLOWED));
});

/** Scripts that npm runs while a package is installed. `prepare` also runs for a dependency from Git. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'];

test.each([['the workspace', rootManifest] as const, ...packages])(
  'S52: %s has no install script',
  (_, { scripts = {} }) => {
    expect(Object.keys(scripts).filter((name) => INSTALL_SCRIPTS.includes(name))).toEqual([]);
  },
);

test('S52: no native build starts by itself: none of our packages holds a binding.gyp', () => {
  // npm runs node-gyp for a package that has one, without any script.
  for (const folder of packages.keys())
    expect(existsSync(join(repository, 'packages', folder, 'binding.gyp'))).toBe(false);
});

/** Development tools with an install script, and why they work without it. CI and the release install with --ignore-scripts. */
const WORKS_WITHOUT: Readonly<Record<string, string>> = {
  esbuild: 'its script only replaces a starter in JavaScript by the binary, which comes as an optional package',
};

test('S52: nothing that users install runs a script, and no tool of ours needs one', () => {
  const scripted = foreignEntries(readLockfile('package-lock.json')).filter(
    ([, entry]) => entry.hasInstallScript === true,
  );
  expect(scripted.filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)).toEqual([]);
  expect(scripted).toHaveLength(Object.keys(WORKS_WITHOUT).length);
  for (const [path] of scripted)
    expect(Object.keys(WORKS_WITHOUT), path).toContain(path.slice(path.lastIndexOf('node_modules/') + 13));
});
