import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { foreignEntries, LOCKFILES, type Lockfile, readLockfile, readText, repository } from './workspace.ts';

const REGISTRY = 'https://registry.npmjs.org/';

/** The committed files that match; undefined where the sources are no clone, or there is no git. */
function committed(...patterns: readonly string[]): readonly string[] | undefined {
  const { status, stdout } = spawnSync('git', ['ls-files', ...patterns], { cwd: repository, encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n').toSorted() : undefined;
}

/** The errors of a lockfile, as sentences. */
function complaints(lockfile: Lockfile): string[] {
  const found: string[] = [];
  if (lockfile.lockfileVersion < 3) found.push('its format is older than npm 7');
  for (const [path, { integrity, resolved, version, name }] of foreignEntries(lockfile)) {
    const folder = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (integrity === undefined || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))
      found.push(`${path} has no SHA-512`);
    // No address is fine: npm then uses its configured registry, and the hash decides.
    if (resolved !== undefined && !resolved.startsWith(`${REGISTRY}${name ?? folder}/-/`))
      found.push(`${path} comes from elsewhere: ${resolved}`);
    if (version === undefined || !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))
      found.push(`${path} has no plain version: ${version}`);
  }
  return found;
}

test.each(LOCKFILES)('S55: %s is committed, and every package in it has a hash and comes from the registry', (path) => {
  expect(committed(path) ?? [path]).toEqual([path]);
  const lockfile = readLockfile(path);
  expect(foreignEntries(lockfile).length).toBeGreaterThan(0);
  expect(complaints(lockfile)).toEqual([]);
});

test.each([
  ['no hash', { version: '1.0.0' }, /has no SHA-512/],
  ['a weak hash', { version: '1.0.0', integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, /has no SHA-512/],
  [
    'another registry',
    { version: '1.0.0', resolved: 'https://registry.evil.example/x/-/x-1.0.0.tgz' },
    /from elsewhere/,
  ],
  ['another package', { version: '1.0.0', resolved: `${REGISTRY}y/-/y-1.0.0.tgz` }, /from elsewhere/],
  [
    'a registry without TLS',
    { version: '1.0.0', resolved: 'http://registry.npmjs.org/x/-/x-1.0.0.tgz' },
    /from elsewhere/,
  ],
  [
    'a repository',
    { version: 'git+ssh://git@github.com/x/x.git#abc', resolved: 'git+ssh://git@github.com/x/x.git#abc' },
    /no plain version/,
  ],
])('S55: a lockfile with %s is noticed', (_, entry, complaint) => {
  expect(complaints({ lockfileVersion: 3, packages: { 'node_modules/x': entry } }).join('\n')).toMatch(complaint);
});

test('S55: every lockfile of the repository is among those', ({ skip }) => {
  const files = committed('*package-lock.json', '*yarn.lock', '*pnpm-lock.yaml', '*bun.lock*');
  skip(files === undefined, 'SKIPPED: not a clone, or git is missing');
  expect(files).toEqual([...LOCKFILES].toSorted());
});

test('S55: what installs in CI and for a release installs the lockfile and nothing else', () => {
  for (const path of [
    '.ci/run',
    '.github/workflows/ci.yml',
    '.github/workflows/release.yml',
    '.github/workflows/codeql.yml',
  ]) {
    const installs = readText(path).match(/\bnpm (?:ci|i|install|add|update|exec)\b.*|\bnpx .*/g) ?? [];
    // npm itself is the one exception: pinned to a version.
    const other = installs.filter(
      (line) =>
        !line.startsWith('npm ci ') &&
        !/^npm install --global --ignore-scripts ("\$\(node -p 'require\("\.\/package\.json"\)\.packageManager'\)"|npm@\d+\.\d+\.\d+)$/.test(
          line,
        ),
    );
    expect(other, path).toEqual([]);
  }
});
