import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { snippets } from './snippets.ts';

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
