import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error a script without types
import { billsOfMaterials } from '../../tools/release/sbom.mjs';
import { foreignEntries, LOCKFILES, packages, readLockfile, readText, repository } from './workspace.ts';

/** Licences of packages that users install: only those that ask for no more than keeping the notice. */
const FOR_USERS = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD']);
/** Licences of development tools. File-based copyleft is fine for a tool whose files we neither change nor distribute. */
const FOR_TOOLS = new Set([...FOR_USERS, 'BlueOak-1.0.0', 'Python-2.0', 'PSF-2.0', 'Unlicense', 'MPL-2.0']);
/** Packages without a licence in package.json, and the licence in their file. */
const READ_BY_HAND: Readonly<Record<string, RegExp>> = {
  'node_modules/spawndamnit': /Permission is hereby granted, free of charge/,
};

function complaints(lockfile: string): string[] {
  return foreignEntries(readLockfile(lockfile)).flatMap(([path, { license = 'none', dev, devOptional }]) => {
    const byHand = READ_BY_HAND[path];
    if (byHand !== undefined && byHand.test(readFileSync(join(repository, path, 'LICENSE'), 'utf8'))) return [];
    // Folders that are never published have only tools, also as runtime dependencies.
    const isTool = dev === true || devOptional === true || lockfile !== 'package-lock.json';
    return (isTool ? FOR_TOOLS : FOR_USERS).has(license) ? [] : [`${path}: ${license}`];
  });
}

test.each(LOCKFILES)('S57: every licence in %s is one we take', (lockfile) => {
  expect(complaints(lockfile)).toEqual([]);
});

test('S57: the lockfile says of licences what the installed packages say', () => {
  // Only this platform's packages are installed; a licence can change only with the version.
  const installed = foreignEntries(readLockfile('package-lock.json')).flatMap(([path, { license }]) => {
    try {
      const manifest = JSON.parse(readFileSync(join(repository, path, 'package.json'), 'utf8')) as {
        license?: unknown;
      };
      return [{ path, locked: license, says: manifest.license }];
    } catch {
      return [];
    }
  });
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(({ locked, says }) => locked !== says)).toEqual([]);
});

test('S57: our own packages are Apache-2.0, and carry the text', () => {
  const text = readText('LICENSE');
  expect(text).toMatch(/Apache License\s+Version 2\.0/);
  for (const [folder, { license }] of packages) {
    expect(license, folder).toBe('Apache-2.0');
    expect(readText(`packages/${folder}/LICENSE`), folder).toBe(text);
  }
});

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}
interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

test('S57: the bill of materials names all that an installation brings, with licence and hash, and is the same each time', () => {
  const bills = billsOfMaterials() as Bill[];
  expect(bills).toEqual(billsOfMaterials());
  expect(bills.map(({ metadata }) => metadata.component.name).toSorted()).toEqual(
    [...packages.values()].map(({ name }) => name).toSorted(),
  );
  const ours = new Set([...packages.values()].map(({ name }) => name));
  for (const bill of bills) {
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const all = [bill.metadata.component, ...bill.components];
    expect(bill.dependencies.map(({ ref }) => ref)).toEqual(all.map((component) => component['bom-ref']).toSorted());
    for (const { name, purl, version, licenses, hashes } of all) {
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(FOR_USERS).toContain(licenses[0]?.license.id);
      if (!ours.has(name))
        expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    }
  }
  const [cli] = bills.filter(({ metadata }) => metadata.component.name === '@kube-informer/cli');
  expect(cli?.components.map(({ name }) => name)).toEqual([
    '@kube-informer/apiserver',
    '@kube-informer/controller',
    '@kube-informer/inspector',
    '@kube-informer/kubernetes',
    'kube-informer',
    'yaml',
  ]);
});

test('S57: a bill follows Node: the nearest folder of modules wins, and what is missing is said', () => {
  const entry = (version: string, dependencies: object = {}) => ({
    version,
    license: 'MIT',
    integrity: 'sha512-AAAA',
    dependencies,
  });
  const lock = {
    packages: {
      'packages/a': { name: 'a', ...entry('1.0.0', { b: '1.0.0', c: '2.0.0' }) },
      'packages/a/node_modules/c': entry('2.0.0'),
      'node_modules/b': entry('1.0.0', { c: '1.0.0' }),
      'node_modules/c': entry('1.0.0'),
    },
  };
  const [bill] = billsOfMaterials(lock) as Bill[];
  expect(bill?.dependencies).toEqual([
    { ref: 'a@1.0.0', dependsOn: ['b@1.0.0', 'c@2.0.0'] },
    { ref: 'b@1.0.0', dependsOn: ['c@1.0.0'] },
    { ref: 'c@1.0.0', dependsOn: [] },
    { ref: 'c@2.0.0', dependsOn: [] },
  ]);
  expect(() => billsOfMaterials({ packages: { 'packages/a': entry('1.0.0', { gone: '1.0.0' }) } })).toThrow(/no gone/);
});
