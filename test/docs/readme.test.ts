import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const pagesOf = async (dir: string): Promise<string[]> => (await readdir(dir)).map((file) => join(dir, file));
const guides = (await Promise.all(['docs/guides', 'docs/zh'].map(pagesOf))).flat();
const packages = (await readdir('packages')).map((name) => join('packages', name, 'README.md'));
const names = ['docs/coming-from-client-go.md', 'docs/coming-from-controller-runtime.md'];
const pages = ['README.md', 'README.zh-CN.md', ...names, ...guides, ...packages];

interface Snippet {
  readonly page: string;
  /** How many headings stand before it. */
  readonly section: number;
  /** `examples/informers/informer.ts`, `examples/informers/informer.ts#part`, `examples/informers/informer.ts#part,another` */
  readonly source: string;
  readonly language: string;
  readonly code: string;
}

const texts = new Map(await Promise.all(pages.map(async (page) => [page, await readFile(page, 'utf8')] as const)));
const snippets = [...texts].flatMap(([page, text]): Snippet[] =>
  [...text.matchAll(/<!-- cut from (\S+) -->\n```(ts|js|yaml)\n([\s\S]*?)```/g)].map(
    ({ index, 1: source = '', 2: language = '', 3: code = '' }) => {
      const before = text.slice(0, index).replaceAll(/^```[\s\S]*?^```/gm, '');
      return { page, section: before.match(/^#+ /gm)?.length ?? 0, source, language, code };
    },
  ),
);

/** The text between `#region name` and `#endregion`, without common indentation. */
function regionOf(text: string, name: string): string | undefined {
  const code = new RegExp(`^ *(?://|#) #region ${name}\\n([\\s\\S]*?)^ *(?://|#) #endregion`, 'm').exec(text)?.[1];
  const indents = code?.match(/^ *(?=\S)/gm)?.map(({ length }) => length) ?? [0];
  return code?.replaceAll(new RegExp(`^ {${Math.min(...indents)}}`, 'gm'), '');
}

test.each([...texts])('every snippet of %s is cut from a file', (page, text) => {
  const fences = [...text.matchAll(/```(?:ts|js|yaml)\n/g)];
  expect(fences).toHaveLength(snippets.filter((snippet) => snippet.page === page).length);
});

test.each(snippets)('$page shows $source as it compiles and runs', async ({ source, code }) => {
  const [file = '', names = 'readme'] = source.split('#');
  const text = await readFile(file, 'utf8');
  const regions = names.split(',').map((name) => regionOf(text, name));
  expect(code).toBe(regions.join('\n'));
});

/** A block continues those before it that stand in the same section and are cut from the same example. */
const programs = new Map<string, string>();
for (const { page, section, source, code } of snippets.filter(({ language }) => language === 'ts')) {
  const [file = ''] = source.split('#');
  const name = `${page} ${section} ${file}`.replaceAll('/', '-');
  // Files beside the example are found there.
  const beside = code.replaceAll(/(?<=from ')\.(?=\/)/g, resolve(dirname(file)));
  programs.set(name, (programs.get(name) ?? '') + beside);
}

// Apart from each other: what only a browser has (`name`, `status`, `Event`) would stand in for what a program for Node forgot.
test.each([
  { platform: 'Node', lib: ['ES2023', 'ESNext.Disposable'], isMeant: (name: string) => !name.includes('browser') },
  { platform: 'browsers', lib: ['ES2023', 'DOM'], isMeant: (name: string) => name.includes('browser') },
])('what the pages show for $platform compiles as it stands there', async ({ lib, isMeant }) => {
  const dir = await mkdtemp(join(tmpdir(), 'snippets-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const meant = [...programs].filter(([name]) => isMeant(name));
  expect(meant).not.toEqual([]);
  for (const [name, code] of meant) await writeFile(join(dir, name), code);
  await symlink(resolve('node_modules'), join(dir, 'node_modules'), 'junction');
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  const config = { extends: resolve('tsconfig.test.json'), compilerOptions: { lib }, include: ['*.ts'] };
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(config));
  const compiler = resolve('node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler], { cwd: dir }).catch((error: Error & { stdout: string }) => {
    throw new Error(error.stdout || error.message, { cause: error });
  });
});

test('there are snippets', () => {
  expect(snippets.length).toBeGreaterThan(15);
});

test('the page of the repository and the page of the package open with the same program', () => {
  const [repository, ofPackage] = ['README.md', 'packages/kube-informer/README.md'].map((page) =>
    snippets.find((snippet) => snippet.page === page),
  );
  expect(repository?.source).toBe('examples/informers/informer.ts');
  expect(ofPackage?.source).toBe(repository?.source);
});

test.each([...texts])('every link of %s leads to a file of this repository, or out of it', async (page, text) => {
  const outside = /^(?:https?:|#)/;
  for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (outside.test(target)) continue;
    const [path = ''] = target.split('#');
    const there = await readdir(dirname(join(dirname(page), path)));
    expect(there, `${page} links to ${target}`).toContain(path.split('/').filter(Boolean).at(-1));
  }
});

test('figures that point at the evidence are in it', async () => {
  const evidence = await readFile('docs/evidence.md', 'utf8');
  const figures = [...(texts.get('README.md') ?? '').matchAll(/\[(\d[^\]]*)\]\(docs\/evidence\.md\)/g)];
  expect(figures.length).toBeGreaterThan(0);
  for (const [, figure = ''] of figures) expect(evidence, `README.md says ${figure}`).toContain(figure);

  const rows = (evidence.split('### All scripts\n')[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const [header = '', ...scripts] = rows.map((row) => row.split(' | ')).filter(([first]) => !first?.startsWith('| -'));
  const column = header.indexOf('client-node');
  const verdicts = scripts.map((row) => row[column] ?? '').filter((verdict) => !/^(does not|not run)/.test(verdict));
  const held = verdicts.filter((verdict) => verdict.startsWith('✔'));
  expect(texts.get('README.md')).toContain(`[${held.length} of ${verdicts.length}](docs/evidence.md#all-scripts)`);
});
