import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { snippets, texts } from './snippets.ts';

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
