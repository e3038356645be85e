import { execFile } from 'node:child_process';
import { symlink, truncate } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  homeKubeconfigFile,
  kubeconfigFilePaths,
  loadKubeconfigFile,
  loadKubeconfigFiles,
} from '../../../../src/client/config/node/kubeconfig-files.ts';
import { absoluteFilePath, readRegularFile, readTextFile } from '../../../../src/client/config/node/read-file.ts';
import { fakeEnv } from '../../../../src/testing/fake-clock.ts';
import { failure, kubeconfig, TempDir } from '../../rig/auth-rig.ts';

const run = promisify(execFile);
const variables = (all: Record<string, string>) => (name: string) => all[name];

describe('D7: KUBECONFIG is a list of paths', () => {
  test.each<[string, string, string[]]>([
    ['linux', 'a:b', ['a', 'b']],
    ['linux', '::a::b:', ['a', 'b']],
    ['linux', 'a:b:a', ['a', 'b']],
    ['linux', 'C:\\x', ['C', '\\x']],
    ['win32', 'C:\\x;D:\\y;;C:\\x', ['C:\\x', 'D:\\y']],
    ['linux', '', []],
  ])('on %s: %s', (platform, KUBECONFIG, expected) => {
    expect(kubeconfigFilePaths({ read: variables({ KUBECONFIG }), platform })).toEqual(expected);
  });
});

describe('D7: the default file lies in the home directory', () => {
  const home = (all: Record<string, string>, usable: string[] = [], platform = 'win32') =>
    homeKubeconfigFile({
      read: variables(all),
      platform,
      can: (path, use) => Promise.resolve(usable.includes(`${use} ${path}`)),
    });
  const ALL = { HOME: 'C:\\home', HOMEDRIVE: 'H:', HOMEPATH: '\\drive', USERPROFILE: 'C:\\profile' };

  test('on systems other than Windows: HOME, and nothing without it', async () => {
    expect(await home({ HOME: '/home/me' }, [], 'linux')).toBe('/home/me/.kube/config');
    expect(await home({ USERPROFILE: 'C:\\profile' }, [], 'linux')).toBeUndefined();
  });

  test('on Windows the first of HOME, HOMEDRIVE+HOMEPATH, USERPROFILE that has one', async () => {
    const all = ['C:\\home', 'H:\\drive', 'C:\\profile'].map((dir) => `read ${dir}\\.kube\\config`);
    expect(await home(ALL, all)).toBe('C:\\home\\.kube\\config');
    expect(await home(ALL, all.slice(1))).toBe('H:\\drive\\.kube\\config');
    expect(await home(ALL, all.slice(2))).toBe('C:\\profile\\.kube\\config');
  });

  test('else the first of HOME, USERPROFILE, HOMEDRIVE+HOMEPATH that can be written to', async () => {
    expect(await home(ALL, ['write H:\\drive', 'write C:\\profile'])).toBe('C:\\profile\\.kube\\config');
    expect(await home(ALL, ['write H:\\drive'])).toBe('H:\\drive\\.kube\\config');
    expect(await home(ALL)).toBe('C:\\home\\.kube\\config');
    expect(await home({})).toBeUndefined();
  });
});

test('D7: files that do not exist are left out; one warning when none exists', async () => {
  await using dir = await TempDir.create();
  const one = await dir.write('one', kubeconfig());
  const env = fakeEnv();
  const some = await loadKubeconfigFiles([dir.join('missing'), one], { env });
  expect([some.files, some.problems, env.lines]).toEqual([[one], [], []]);
  const none = await loadKubeconfigFiles([dir.join('missing'), dir.join('gone')], { env });
  expect([none.files, none.problems, none.config.clusters.size]).toEqual([[], [], 0]);
  expect(env.lines).toMatchObject([{ level: 'warn', fields: { files: [dir.join('missing'), dir.join('gone')] } }]);
});

test('D7: a bad file is an error that names it, and the others still load', async () => {
  await using dir = await TempDir.create();
  const paths = [
    await dir.write('bad-yaml', 'a: [1'),
    await dir.write('good', kubeconfig()),
    await dir.write('bad-type', { clusters: 5 }),
  ];
  const { config, files, problems } = await loadKubeconfigFiles(paths);
  expect(files).toEqual([paths[1]]);
  expect(config.clusters.has('dev')).toBe(true);
  expect(problems.map(({ code }) => code)).toEqual(['INVALID_CONFIG', 'INVALID_CONFIG']);
  expect(problems[0]?.message).toContain(paths[0]);
  expect(problems[1]?.message).toContain(`${paths[2]}: clusters: expected a list`);
});

test('S23: relative paths belong to the file that named them', async () => {
  await using dir = await TempDir.create();
  const first = await dir.write('one/config', { users: [{ name: 'a', user: { tokenFile: 'token' } }] });
  const second = await dir.write('two/config', {
    users: [
      { name: 'a', user: { token: 'other' } },
      { name: 'b', user: { tokenFile: '../shared/token' } },
    ],
  });
  const { config } = await loadKubeconfigFiles([first, second]);
  const path = (user: string): string => {
    const { tokenFile = '', file = '' } = config.users.get(user) ?? {};
    return absoluteFilePath({ path: tokenFile, beside: file, where: 'x' });
  };
  expect(path('a')).toBe(dir.join('one/token'));
  expect(path('b')).toBe(dir.join('shared/token'));
});

test('D7: a named file must exist, and is found from the working directory', async () => {
  await using dir = await TempDir.create();
  const error = await failure(() => loadKubeconfigFile(dir.join('missing')));
  expect(error).toMatchObject({ code: 'INVALID_CONFIG', message: `kubeconfig: ${dir.join('missing')}: no such file` });
  expect(error.cause).toMatchObject({ code: 'ENOENT' });
});

test('D7: UTF-16 with a byte order mark is read, as some Windows tools write it; broken text is refused', async () => {
  await using dir = await TempDir.create();
  const text = JSON.stringify(kubeconfig());
  const le = new Uint8Array([0xff, 0xfe, ...Buffer.from(text, 'utf16le')]);
  const be = new Uint8Array([0xfe, 0xff, ...Buffer.from(text, 'utf16le').swap16()]);
  const bom = new Uint8Array([0xef, 0xbb, 0xbf, ...Buffer.from(text)]);
  for (const bytes of [le, be, bom])
    expect((await loadKubeconfigFile(await dir.write('c', bytes))).currentContext).toBe('dev');
  expect(
    (await failure(async () => loadKubeconfigFile(await dir.write('c', new Uint8Array([0x61, 0xff]))))).message,
  ).toContain('not valid utf-8');
});

describe('S18: a file named in a configuration is small and regular, or it is not read', () => {
  test('a FIFO is refused without waiting for its writer', async () => {
    await using dir = await TempDir.create();
    await run('mkfifo', [dir.join('pipe')]);
    expect((await failure(() => readRegularFile(dir.join('pipe'), 'tokenFile'))).message).toBe(
      `tokenFile: ${dir.join('pipe')}: not a regular file`,
    );
  });

  test.each(['/dev/zero', '/dev/null', '/dev', '/dev/tty'])('%s', async (path) => {
    expect((await failure(() => readRegularFile(path, 'ca'))).message).toMatch(
      /^ca: .*: (?:not a regular file|cannot open the file|cannot read the file)$/,
    );
  });

  test('5 GB, without reading them', async () => {
    await using dir = await TempDir.create();
    const path = await dir.write('large', '');
    await truncate(path, 5 * 2 ** 30);
    expect((await failure(() => readRegularFile(path, 'ca'))).message).toContain('larger than 1048576 bytes');
  });

  test('exactly as large as allowed, also through a link', async () => {
    await using dir = await TempDir.create();
    await dir.write('..data/token', 'x'.repeat(1000));
    await symlink('..data/token', dir.join('token'));
    expect(await readTextFile(dir.join('token'), 'token', 1000)).toHaveLength(1000);
    expect((await failure(() => readTextFile(dir.join('token'), 'token', 999))).message).toContain(
      'larger than 999 bytes',
    );
  });

  test('and a relative path in a kubeconfig without a file is refused', async () => {
    const error = await failure(() =>
      absoluteFilePath({ path: 'ca.crt', where: 'kubeconfig: clusters["dev"].cluster.certificate-authority' }),
    );
    expect(error).toMatchObject({ code: 'INVALID_CONFIG' });
    expect(error.message).toContain('expected an absolute path');
  });
});
