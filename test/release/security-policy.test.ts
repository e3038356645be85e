import { expect, test } from 'vitest';
import { packages, readText } from './workspace.ts';

/** The text below each heading of the second level. */
function sections(markdown: string): Map<string, string> {
  return new Map(
    markdown
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.split('\n', 1)[0] ?? '', part]),
  );
}

const policy = sections(readText('SECURITY.md'));

test.each([
  ['Reporting a vulnerability', 'a private way, by name', /\*\*Security → Report a vulnerability\*\*/],
  ['Reporting a vulnerability', 'not in public', /not open a public issue/],
  ['Reporting a vulnerability', 'when an answer comes', /^\| within \d+ working days \|/m],
  [
    'Reporting a vulnerability',
    'fixed and published within 90 days',
    /^\| within 90 days of your report \| a fixed version is released and the advisory published/m,
  ],
  ['Supported versions', 'which ones get fixes', /^\| the newest minor version of each package \| yes \|$/m],
  ['Advisories', 'published where `npm audit` finds them', /GHSA number and, where it applies, a CVE/],
  ['What you install', 'how to check it', /npm audit signatures/],
])('S59: SECURITY.md says, under %s: %s', (section, _, sentence) => {
  expect(policy.get(section)).toMatch(sentence);
});

test('S59: the package points to the policy, and to no other address', () => {
  expect(readText('README.md')).toContain('SECURITY.md');
  expect(readText('SECURITY.md')).not.toMatch(/[\w.]+@[\w-]+\.[a-z]{2,}/);
  for (const folder of packages.keys()) expect(readText(`packages/${folder}/README.md`).length).toBeGreaterThan(200);
});

test('S55: CONTRIBUTING.md says how long a new version waits', () => {
  expect(sections(readText('CONTRIBUTING.md')).get('Dependencies')).toMatch(
    /no version younger than \*\*seven days\*\*/,
  );
});

test('S53: CONTRIBUTING.md says what has to be set outside this repository', () => {
  const releases = sections(readText('CONTRIBUTING.md')).get('Releases') ?? '';
  for (const setting of [
    'trusted publisher',
    'two-factor',
    'required reviewers',
    'create tags',
    'private vulnerability reporting',
  ])
    expect(releases).toContain(setting);
});
