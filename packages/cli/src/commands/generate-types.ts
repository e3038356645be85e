import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { defined } from '@kube-informer/inspector/internal';
import { KubeError } from 'kube-informer/core';
import { usageError } from '../arguments/invocation.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { openSession } from '../session/session.ts';
import { logTo } from '../output/notices.ts';
import { CONNECTION_OPTIONS } from '../arguments/options.ts';
import { escapeText } from '../text/escape.ts';
import { counted } from '../text/numbers.ts';

export const generateTypes: Command = {
  name: 'generate-types',
  summary: 'TypeScript types of everything a cluster serves, custom resources included',
  usage: '--out <folder> [options]',
  about:
    'Writes one file per group and version, and tables of resources and kinds. The same cluster gives the same bytes.\n' +
    'Files of the same names are overwritten, others are left alone.',
  examples: [
    ['kube-informer generate-types --out src/kube', 'everything'],
    ['kube-informer generate-types --out src/kube --group-version example.com/v1', 'one custom group'],
  ],
  options: {
    out: { type: 'string', value: 'folder', help: 'where the files go' },
    'group-version': { type: 'string', multiple: true, value: 'group/version', help: 'only this one; may be repeated' },
    ...CONNECTION_OPTIONS,
  },
  words: { max: 0 },

  async run(invocation, host) {
    const { env, stderr, stdout, signal } = host;
    const out = invocation.text('out');
    if (out === undefined || out === '') throw usageError('--out is missing: where should the files go?');
    const groupVersions = invocation.texts('group-version');
    const opened = await openSession(invocation, host, { env: logTo(env, (line) => stderr.write(`${line}\n`)) });
    try {
      const { client } = opened;
      const { generate, readServer } = await import('@kube-informer/kubernetes/generate');
      const get = async (path: string, accept?: string): Promise<unknown> => {
        const answer = await client.request({
          path,
          signal,
          ...defined({ headers: accept === undefined ? undefined : { accept } }),
        });
        // Real servers send the list of schemas as text/plain.
        return typeof answer === 'string' ? (JSON.parse(answer) as unknown) : answer;
      };
      const schemas = await readServer(get, groupVersions.length === 0 ? {} : { groupVersions });
      const read = Object.keys(schemas.documents).map((name) => name.replace(/^apis?\//, ''));
      const missing = groupVersions.filter((one) => !read.includes(one));
      if (missing.length > 0)
        throw new KubeError('NOT_FOUND', `the server has no schemas of ${missing.map(escapeText).join(', ')}`);
      if (read.length === 0)
        throw new KubeError(
          'NOT_FOUND',
          'the server has no schemas at /openapi/v3 yet: it may still be starting, try again',
        );
      const files = generate(schemas, { header: 'Written by kube-informer generate-types. Changes are overwritten.' });
      await write(resolve(out), files);
      stdout.write(
        `${counted(files.size, 'file')} for ${counted(read.length, 'group-version')} in ${escapeText(out)}\n`,
      );
      return EXIT.success;
    } finally {
      await opened[Symbol.asyncDispose]();
    }
  },
};

async function write(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    const file = join(folder, path);
    // Paths contain names the server sent.
    if (!file.startsWith(folder + sep)) throw new KubeError('ILLEGAL_STATE', `${path} would leave ${folder}`);
    await makeFolder(dirname(file));
    await writeFile(file, text);
  }
}

/**
 * Creates parent folders. Not with `recursive`: Node loops forever where creating fails although the parent exists, as
 * in /proc.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    await makeFolder(dirname(path));
    await mkdir(path);
  }
}
