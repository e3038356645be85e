import { expect, test } from 'vitest';
import {
  type Job,
  packages,
  readText,
  readWorkflow,
  readYaml,
  rootManifest,
  stepsOf,
  type Workflow,
  workflowTexts,
} from './workspace.ts';

const workflows = new Map(
  await Promise.all([...workflowTexts].map(async ([file, text]) => [file, await readWorkflow(text)] as const)),
);
const named = (file: string): Workflow => workflows.get(file) ?? { on: {}, jobs: {} };
const jobsOf = (workflow: Workflow): [string, Job][] => Object.entries(workflow.jobs);
const mayWrite = (permissions: Job['permissions']): string[] =>
  Object.entries(permissions ?? {}).flatMap(([what, may]) => (may === 'write' ? [what] : []));

/** `owner/name/path@hash # v1.2.3`: the hash decides, the comment is for people and for updates. */
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
/** In every workflow the same action at the same version. */
const ACTIONS = /^\s*(?:- )?uses: (?<used>.*)$/gm;

/** The errors of a workflow, as sentences. */
async function complaints(text: string): Promise<string[]> {
  const workflow = await readWorkflow(text);
  const found: string[] = [];
  const used = [...text.matchAll(ACTIONS)].map(({ groups }) => groups?.['used'] ?? '');
  if (used.length !== stepsOf(workflow).filter((step) => step.uses !== undefined).length)
    found.push('an action is hidden');
  for (const action of used) if (!PINNED.test(action)) found.push(`not pinned to a commit: ${action}`);
  if (typeof workflow.permissions !== 'object') found.push('a token that may do everything');
  else found.push(...mayWrite(workflow.permissions).map((what) => `every job may write ${what}`));
  if (workflow.concurrency === undefined) found.push('runs pile up');
  if (/\bsecrets\b/.test(text)) found.push('uses a secret');
  if ('pull_request_target' in workflow.on || 'workflow_run' in workflow.on)
    found.push("a fork's code with our rights");
  if (/NODE_AUTH_TOKEN|NPM_TOKEN|_authToken/i.test(text)) found.push('a long-lived token');
  for (const [name, job] of jobsOf(workflow)) {
    if (!((job['timeout-minutes'] ?? 360) <= 90)) found.push(`${name} may hang for hours`);
    if (job.container !== undefined || job.services !== undefined)
      found.push(`${name} runs in an image that is not pinned`);
    for (const { uses, run, with: options } of job.steps) {
      if (uses?.startsWith('actions/checkout@') === true && options?.['persist-credentials'] !== false)
        found.push(`${name} leaves the token in .git/config`);
      // A text that others choose, such as the name of a branch, would become a command.
      if (run?.includes('${{') === true) found.push(`${name} pastes an expression into a shell`);
    }
  }
  return found;
}

test.each([...workflowTexts])(
  'S56: %s pins its actions by commit, reads only, and uses no secret',
  async (file, text) => {
    expect(stepsOf(named(file)).length).toBeGreaterThan(0);
    expect(await complaints(text)).toEqual([]);
  },
);

test('S56: what a job may write is known: reports of CodeQL, and the release', () => {
  const writes = [...workflowTexts.keys()].map((file) => [
    file,
    jobsOf(named(file)).flatMap(([, job]) => mayWrite(job.permissions)),
  ]);
  expect(Object.fromEntries(writes)).toEqual({
    'ci.yml': [],
    'codeql.yml': ['security-events'],
    'release.yml': ['id-token', 'contents'],
  });
});

test('S56: one action has one version in all workflows', () => {
  const used = [...workflowTexts.values()].flatMap((text) =>
    [...text.matchAll(ACTIONS)].map(({ groups }) => groups?.['used'] ?? ''),
  );
  const versions = new Map<string, Set<string>>();
  for (const action of used) {
    const [name = '', version = ''] = action.split('@');
    // Parts of one repository have one commit.
    const repository = name.split('/').slice(0, 2).join('/');
    versions.set(repository, (versions.get(repository) ?? new Set()).add(version));
  }
  expect(versions.size).toBeGreaterThan(3);
  expect([...versions].filter(([, { size }]) => size > 1)).toEqual([]);
});

const GOOD = `
on: { push: { branches: [main] } }
permissions: { contents: read }
concurrency: { group: x }
jobs:
  one:
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@${'a'.repeat(40)} # v1.0.0
        with: { persist-credentials: false }
      - run: npm test
`;

test.each([
  ['a tag instead of a commit', `actions/checkout@${'a'.repeat(40)} # v1.0.0`, 'actions/checkout@v6', /not pinned/],
  ['a commit without its version', ' # v1.0.0', '', /not pinned/],
  ['a writable token', 'contents: read', 'contents: write', /may write contents/],
  ['the default token', 'permissions: { contents: read }', '', /may do everything/],
  ['no concurrency', 'concurrency: { group: x }', '', /pile up/],
  ['no limit of time', 'timeout-minutes: 5', 'name: x', /may hang/],
  ['a secret', 'run: npm test', 'run: npm test\n        env: { T: "${{ secrets.T }}" }', /uses a secret/],
  ['a token of npm', 'run: npm test', 'run: npm test\n        env: { NODE_AUTH_TOKEN: x }', /long-lived/],
  ['code of forks', 'push: { branches: [main] }', 'pull_request_target: {}', /fork/],
  ['credentials on disk', 'persist-credentials: false', 'persist-credentials: true', /\.git\/config/],
  ['an expression in a shell', 'run: npm test', 'run: echo ${{ github.head_ref }}', /pastes/],
  ['an image', 'timeout-minutes: 5', 'timeout-minutes: 5\n    container: node:20', /image/],
])('S56: a workflow with %s is noticed', async (_, before, after, complaint) => {
  expect(await complaints(GOOD)).toEqual([]);
  expect(GOOD).toContain(before);
  expect((await complaints(GOOD.replace(before, after))).join('\n')).toMatch(complaint);
});

test('S56: CI runs .ci/run for every pull request and on main, within 90 minutes, without write permission', () => {
  const ci = named('ci.yml');
  expect(Object.keys(ci.on).toSorted()).toEqual(['pull_request', 'push']);
  expect(ci.permissions).toEqual({ contents: 'read' });
  for (const [name, job] of jobsOf(ci)) expect(job.permissions, name).toBeUndefined();
  const [runs] = jobsOf(ci).filter(([, { steps }]) => steps.some(({ run }) => run?.endsWith(' .ci/run')));
  expect(runs?.[1]['timeout-minutes']).toBe(90);
});

test('S56: a pull request reads the cache of main and never fills it; a release uses none', () => {
  const steps = stepsOf(named('ci.yml')).filter(({ uses }) => uses?.startsWith('actions/cache'));
  expect(steps.map(({ uses }) => uses?.split('@')[0])).toEqual(['actions/cache/restore', 'actions/cache/save']);
  expect(steps[1]?.if).toMatch(/^github\.event_name == 'push' && /);
  for (const workflow of ['ci.yml', 'release.yml', 'codeql.yml'].map(named))
    for (const { uses, with: options } of stepsOf(workflow)) {
      if (uses?.startsWith('actions/setup-node@') === true) expect(options?.['package-manager-cache']).toBe(false);
      if (uses?.startsWith('actions/setup-go@') === true) expect(options?.['cache']).toBe(false);
    }
  expect(stepsOf(named('release.yml')).filter(({ uses }) => uses?.includes('cache'))).toEqual([]);
});

test('S55: updates wait seven days, for every ecosystem we use', async () => {
  const { updates } = (await readYaml(readText('.github/dependabot.yml'))) as {
    updates: { 'package-ecosystem': string; cooldown?: { 'default-days'?: number } }[];
  };
  expect(updates.map((update) => update['package-ecosystem']).toSorted()).toEqual(['github-actions', 'gomod', 'npm']);
  for (const { cooldown, ...update } of updates)
    expect(cooldown?.['default-days'], update['package-ecosystem']).toBeGreaterThanOrEqual(7);
});

const release = named('release.yml');

test('S53: npm trusts the job, not a token: OIDC, provenance, and a person who approves', () => {
  expect(release.on).toEqual({ push: { tags: ['v*'] } });
  expect(release.permissions).toEqual({});
  const { publish } = release.jobs;
  expect(publish?.permissions).toEqual({ 'id-token': 'write' });
  expect(publish?.environment).toBe('npm');
  const script = publish?.steps.map(({ run }) => run ?? '').join('\n') ?? '';
  expect(script.match(/npm publish .*/g)).toEqual([expect.stringMatching(/--provenance\b/)]);
  expect(stepsOf(release).filter(({ run }) => run?.includes('npm publish') === true)).toHaveLength(1);
  // Trusted publishing needs Node 22.14 and npm 11.5.1.
  const node = publish?.steps.find(({ uses }) => uses?.startsWith('actions/setup-node@') === true)?.with?.[
    'node-version'
  ];
  expect(Number.parseInt(String(node), 10)).toBeGreaterThanOrEqual(24);
  expect(script).toContain(`npm install --global --ignore-scripts ${rootManifest.packageManager}`);
});

test('S53: where there is a right to publish, no code of ours and no dependency runs', () => {
  for (const [name, job] of jobsOf(release)) {
    const privileged = mayWrite(job.permissions).length > 0;
    const runs = job.steps.map(({ run }) => run ?? '').join('\n');
    const checksOut = job.steps.some(({ uses }) => uses?.startsWith('actions/checkout@'));
    if (privileged)
      expect({ name, checksOut, runs }).toMatchObject({
        checksOut: false,
        runs: expect.not.stringMatching(/npm (?:ci|run|test|exec)|npx|tools\//),
      });
  }
  expect(jobsOf(release).map(([name, job]) => [name, job.needs, mayWrite(job.permissions)])).toEqual([
    ['build', undefined, []],
    ['publish', 'build', ['id-token']],
    ['announce', 'publish', ['contents']],
  ]);
});

test('S53: what is published is what was checked: the tag is the version, the hashes agree, each package has its turn', () => {
  const build = release.jobs['build']?.steps.map(({ run }) => run ?? '').join('\n') ?? '';
  expect(build).toMatch(/test "\$GITHUB_REF_NAME" = "v\$\(node -p .*packages\/kube-informer\/package\.json/);
  expect(build).toMatch(/npm run check\n[\s\S]*npm pack --workspaces[\s\S]*sha256sum \*\.tgz/);
  const publish = release.jobs['publish']?.steps.map(({ run }) => run ?? '').join('\n') ?? '';
  expect(publish.indexOf('sha256sum --check SHA256SUMS')).toBeLessThan(publish.indexOf('npm publish'));
  const order = /for package in (?<names>[^;]+);/.exec(publish)?.groups?.['names']?.split(' ') ?? [];
  const tarball = ({ name }: { readonly name: string }) => name.replace('@', '').replace('/', '-');
  expect(order.toSorted()).toEqual([...packages.values()].map(tarball).toSorted());
  for (const manifest of packages.values())
    for (const other of packages.values())
      if (other.name in (manifest.dependencies ?? {}))
        expect(order.indexOf(tarball(other)), `${other.name} before ${manifest.name}`).toBeLessThan(
          order.indexOf(tarball(manifest)),
        );
});

test('S57: a bill of materials is made for each release, and attached to it', () => {
  const runs = (job: string) => release.jobs[job]?.steps.map(({ run }) => run ?? '').join('\n');
  expect(runs('build')).toContain('node tools/release/sbom.mjs release');
  expect(runs('announce')).toMatch(/gh release create .* release\/\*/);
});

test('S57: CodeQL looks at TypeScript and at the workflows, on every change and every week; CI asks npm for advisories', () => {
  const codeql = named('codeql.yml');
  expect(Object.keys(codeql.on).toSorted()).toEqual(['pull_request', 'push', 'schedule']);
  const init = stepsOf(codeql).find(({ uses }) => uses?.startsWith('github/codeql-action/init@') === true);
  expect(init?.with).toEqual({ languages: 'javascript-typescript, actions', queries: 'security-extended' });
  expect(stepsOf(codeql).some(({ uses }) => uses?.startsWith('github/codeql-action/analyze@') === true)).toBe(true);
  for (const file of ['ci.yml', 'release.yml'])
    expect(
      stepsOf(named(file)).filter(({ run }) => run === 'npm audit --audit-level=high'),
      file,
    ).toHaveLength(1);
});
