import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ExecPlan } from '../../../../src/client/config/connection-plan.ts';
import { validateExecPolicy } from '../../../../src/client/auth/node/exec-policy.ts';
import { type CommandEnvironment, findCommand } from '../../../../src/client/auth/node/find-command.ts';
import { type ExecSourceOptions, execPluginSource } from '../../../../src/client/auth/node/exec-plugin.ts';
import { fakeEnv } from '../../../../src/testing/fake-clock.ts';
import { everyPrint, failure, never, TempDir, until } from '../../rig/auth-rig.ts';

const V1 = 'client.authentication.k8s.io/v1';
const PRINT = `console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${V1}', status: { token: 'abc' } }));`;

async function rig(body: string, more: Partial<ExecPlan> = {}, options: Partial<ExecSourceOptions> = {}) {
  const dir = await TempDir.create();
  const command = await dir.script(
    'bin/plugin',
    `const fs = require('node:fs'); fs.writeFileSync(__dirname + '/ran', ''); ${body}`,
  );
  const exec: ExecPlan = {
    apiVersion: V1, command, args: [], env: [], interactiveMode: 'Never', provideClusterInfo: false, beside: dir.join('config'), ...more,
  }; // prettier-ignore
  const env = fakeEnv();
  const source = execPluginSource({
    exec, where: 'users["dev"].user.exec', cluster: { server: 'https://api' }, env,
    environment: { ...process.env, PATH: `${dir.join('bin')}:${process.env['PATH']}` }, ...options,
  }); // prettier-ignore
  return {
    dir, env, source, command,
    ask: async () => (await source.current(never)).authorization,
    hasRun: () => readFile(dir.join('bin/ran')).then(() => true, () => false),
    [Symbol.asyncDispose]: async () => {
      source.close?.();
      await dir[Symbol.asyncDispose]();
    },
  }; // prettier-ignore
}

describe('S14: a command is a program, never a line for a shell', () => {
  test('S14: "curl evil|sh" is the name of a program that does not exist', async () => {
    await using r = await rig(PRINT, { command: 'plugin|touch owned' });
    expect((await failure(r.ask)).message).toContain('was not found');
    await using path = await rig(PRINT, { command: './bin/plugin; touch owned' });
    expect((await failure(path.ask)).message).toContain('was not found');
  });

  test('S14: a relative path starts at the kubeconfig, not in the working directory; spaces are part of it', async () => {
    await using r = await rig(PRINT, { command: './bin/plugin' });
    expect(await r.ask()).toBe('Bearer abc');
    await using dir = await TempDir.create();
    await dir.script('with space/my plugin', PRINT);
    await using spaced = await rig(PRINT, { command: 'with space/my plugin', beside: dir.join('config') });
    expect(await spaced.ask()).toBe('Bearer abc');
  });

  test('without a file to start from a relative path is refused', async () => {
    const world: CommandEnvironment = { platform: 'linux', path: '', isExecutable: () => Promise.resolve(true) };
    expect((await failure(() => findCommand('./plugin', undefined, 'exec', world))).message).toContain(
      'expected an absolute path or a bare name',
    );
  });

  test('a bare name is looked up on PATH, where relative directories do not count', async () => {
    const has = (...paths: string[]): CommandEnvironment => ({
      platform: 'linux', path: '.:bin::/usr/local/bin:/usr/bin', isExecutable: (path) => Promise.resolve(paths.includes(path)),
    }); // prettier-ignore
    expect(await findCommand('aws', '/k/config', 'x', has('/usr/bin/aws', '/usr/local/bin/aws'))).toBe(
      '/usr/local/bin/aws',
    );
    expect(await findCommand('aws', '/k/config', 'x', has('aws', 'bin/aws', '/k/aws'))).toBeUndefined();
    expect(await findCommand('../aws', '/k/x/config', 'x', has('/k/aws'))).toBe('/k/aws');
  });

  test('on Windows batch files are refused, and passed over on PATH', async () => {
    const has = (...paths: string[]): CommandEnvironment => ({
      platform: 'win32', path: 'C:\\bin;D:\\bin', isExecutable: (path) => Promise.resolve(paths.includes(path)),
    }); // prettier-ignore
    for (const command of ['x.bat', 'C:\\x.CMD', '.\\x.cmd', 'x.bat. ', 'x.cmd.'])
      expect((await failure(() => findCommand(command, 'C:\\k\\config', 'exec', has()))).message, command).toContain(
        'batch files',
      );
    expect(await findCommand('aws', 'C:\\k\\config', 'x', has('C:\\bin\\aws.cmd', 'D:\\bin\\aws.exe'))).toBe(
      'D:\\bin\\aws.exe',
    );
    expect(await findCommand('.\\aws.exe', 'C:\\k\\config', 'x', has('C:\\k\\aws.exe'))).toBe('C:\\k\\aws.exe');
  });

  test('a file that is not executable, and a directory, are not run', async () => {
    await using r = await rig(PRINT, { command: './config.txt' });
    await r.dir.write('config.txt', 'x');
    expect((await failure(r.ask)).message).toContain('was not found or is not executable');
    await using dir = await rig(PRINT, { command: './bin' });
    expect((await failure(dir.ask)).message).toContain('was not found or is not executable');
  });
});

describe('S15: a plugin the policy does not allow is not run', () => {
  test('deny, an empty list, and a list without it', async () => {
    for (const policy of ['deny', { allow: [] }, { allow: ['other', '/usr/bin/other'] }] as const) {
      await using r = await rig(PRINT, {}, { policy });
      expect(await failure(r.ask)).toMatchObject({
        code: 'CREDENTIALS',
        message: expect.stringContaining('was not run: option execPolicy') as string,
      });
      expect(await r.hasRun()).toBe(false);
    }
  });

  test('a list with its path or its name on PATH', async () => {
    await using probe = await rig(PRINT);
    const { command, dir } = probe;
    const environment = { ...process.env, PATH: `${dir.join('bin')}:${process.env['PATH']}` };
    for (const entry of [command, 'plugin'])
      for (const named of [command, 'plugin', './bin/plugin', `${dir.path}/x/../bin/plugin`]) {
        await using r = await rig(
          PRINT,
          { command: named, beside: dir.join('config') },
          { policy: { allow: [entry] }, environment },
        );
        expect(await r.ask(), `${entry} allows ${named}`).toBe('Bearer abc');
      }
  });

  test('a program of the same name elsewhere is another program', async () => {
    await using r = await rig(PRINT, {}, { policy: { allow: ['plugin'] }, environment: { PATH: '/usr/bin' } });
    expect(await failure(r.ask)).toMatchObject({ code: 'CREDENTIALS' });
    expect(await r.hasRun()).toBe(false);
  });

  test('entries that could be read in two ways are refused as options', async () => {
    for (const entry of [
      '',
      './plugin',
      'bin/plugin',
      '/usr/../bin/plugin',
      '/usr/bin/./plugin',
      '/usr//bin/plugin',
      '..',
      '.',
      5 as unknown as string,
    ])
      expect(await failure(() => validateExecPolicy({ allow: [entry] }, { platform: 'linux' })), entry).toMatchObject({
        code: 'INVALID_OPTION',
      });
    for (const policy of ['prompt', {}, null, { allow: 'aws' }] as never[])
      expect(await failure(() => validateExecPolicy(policy, { platform: 'linux' }))).toMatchObject({
        code: 'INVALID_OPTION',
      });
  });
});

describe('S15, S87: a list of allowed programs is not got round by variables of the kubeconfig', () => {
  const policy = { allow: ['plugin'] };
  const variable = (name: string): Partial<ExecPlan> => ({ env: [{ name, value: 'CANARY' }] });

  test.each([
    'PATH', 'Path', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'GCONV_PATH', 'BASH_ENV', 'ENV',
    'BASH_FUNC_echo%%', 'SHELLOPTS', 'PS4', 'NODE_OPTIONS', 'node_options', 'NODE_PATH', 'PYTHONPATH', 'PYTHONSTARTUP', 'PYTHONHOME',
    'PERL5OPT', 'PERL5LIB', 'RUBYOPT', 'RUBYLIB', 'JAVA_TOOL_OPTIONS', 'CLASSPATH', 'DOTNET_STARTUP_HOOKS', 'OPENSSL_CONF', ' PATH ',
    'GIT_SSH_COMMAND', 'CLOUDSDK_PYTHON', 'COMSPEC', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'XDG_DATA_DIRS', 'AWS_CONFIG_FILE', 'AWS_CA_BUNDLE',
    'AZURE_EXTENSION_DIR', 'CLOUDSDK_CONFIG', 'GOOGLE_APPLICATION_CREDENTIALS', 'KUBECONFIG', 'HTTPS_PROXY', 'NODE_EXTRA_CA_CERTS', 'TMPDIR',
    'aws_profile', '__proto__', 'constructor', 'ANYTHING_NEW', '',
  ])('S87: %s', async (name) => {
    const error = await failure(() => rig(PRINT, variable(name), { policy }));
    expect(error).toMatchObject({ code: 'INVALID_CONFIG' });
    expect(error.message).toContain(`users["dev"].user.exec.env: variable ${JSON.stringify(name)} can make the plugin`);
    expect(error.message).not.toContain('CANARY');
  }); // prettier-ignore

  test('S87: harmless variables and those the user names reach a listed plugin, and without a list all do', async () => {
    const env = ['KUBECONFIG', 'HTTPS_PROXY', 'MY_PATH'];
    for (const name of ['AWS_PROFILE', 'AWS_REGION', 'AZURE_TENANT_ID', ...env]) {
      await using r = await rig(PRINT, variable(name), { policy: { ...policy, env } });
      expect(await r.ask(), name).toBe('Bearer abc');
    }
    await using r = await rig(PRINT, variable('BASH_ENV'), { policy: 'allow' });
    expect(await r.ask()).toBe('Bearer abc');
  });
});

describe('S16: a plugin that misbehaves is an error, and nothing of what it printed is in it', () => {
  const credential = (body: string): string => `console.log(JSON.stringify(${body}))`;
  test.each<[string, string, RegExp]>([
    [
      'another kind',
      credential(`{ kind: 'CANARY', apiVersion: '${V1}', status: { token: 'CANARY' } }`),
      /kind: expected ExecCredential/,
    ],
    [
      'another version',
      credential(`{ kind: 'ExecCredential', apiVersion: '${V1}beta1', status: { token: 'CANARY' } }`),
      /apiVersion: expected client\.authentication\.k8s\.io\/v1,/,
    ],
    ['no status', credential(`{ kind: 'ExecCredential', apiVersion: '${V1}' }`), /status: is missing/],
    [
      'an empty status',
      credential(`{ kind: 'ExecCredential', apiVersion: '${V1}', status: {} }`),
      /status\.token: is missing/,
    ],
    [
      'a token that is a number',
      credential(`{ kind: 'ExecCredential', apiVersion: '${V1}', status: { token: 5 } }`),
      /status\.token: expected a string/,
    ],
    [
      'a token with a line break',
      credential(`{ kind: 'ExecCredential', apiVersion: '${V1}', status: { token: 'CANARY\\r\\nX-Evil: 1' } }`),
      /status\.token: expected a token/,
    ],
    [
      'a certificate alone',
      credential(`{ kind: 'ExecCredential', apiVersion: '${V1}', status: { clientCertificateData: 'CANARY' } }`),
      /clientKeyData: is missing/,
    ],
    [
      'a key alone',
      credential(`{ kind: 'ExecCredential', apiVersion: '${V1}', status: { token: 'x', clientKeyData: 'CANARY' } }`),
      /clientCertificateData: is missing/,
    ],
    [
      'a pair that is none',
      credential(
        `{ kind: 'ExecCredential', apiVersion: '${V1}', status: { clientCertificateData: 'CANARY', clientKeyData: 'CANARY' } }`,
      ),
      /expected PEM certificates/,
    ],
    [
      'a time that is none',
      credential(
        `{ kind: 'ExecCredential', apiVersion: '${V1}', status: { token: 'CANARY', expirationTimestamp: 'CANARY' } }`,
      ),
      /expirationTimestamp: expected an RFC 3339 time/,
    ],
    ['not JSON', `console.log('{"CANARY')`, /did not print credentials/],
    ['nothing', '', /the content: expected a mapping|did not print credentials/],
    ['broken UTF-8', `process.stdout.write(Buffer.from([0x43, 0xff]))`, /did not print credentials/],
    ['an alias bomb', `console.log('a: &a [x]\\n' + 'b: [*a, '.repeat(5000))`, /nested deeper|aliases/],
    [
      'killed by a signal',
      `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`,
      /was killed by SIGTERM/,
    ],
  ])('S16: %s', async (_, body, expected) => {
    await using r = await rig(body);
    const error = await failure(r.ask);
    expect(error).toMatchObject({ code: 'CREDENTIALS' });
    expect(error.message).toMatch(expected);
    expect(everyPrint(error)).not.toContain('CANARY');
  });

  test('S16: more than 1 MiB on stdout: killed', async () => {
    await using r = await rig(
      `const chunk = 'x'.repeat(65536); const go = () => { while (process.stdout.write(chunk)); process.stdout.once('drain', go); }; go();`,
    );
    expect((await failure(r.ask)).message).toContain('printed more than 1 MiB and was killed');
  });

  test('endless stderr does not stop it, and is not kept', async () => {
    await using r = await rig(`process.stderr.write('x'.repeat(4 << 20), () => { ${PRINT} })`);
    expect(await r.ask()).toBe('Bearer abc');
  });

  // Names of their own: what an earlier test printed as a token is known by now, and would be hidden anyway.
  test('a token on stderr is not shown, and stderr is bounded and printable', async () => {
    await using r = await rig(
      `console.error('login failed for jane\\u001b[2J'); console.error('token: S3CR3T-a'); console.error('got k8s-aws-v1.S3CR3TaHR0cHM6Ly9zdHMuYW1hem9uYXdz');
       console.error(process.env.PLUGIN_PASS + ' ' + process.argv[3]); console.error('long '.repeat(5000)); process.exitCode = 7;`,
      { args: ['--client-secret', 'S3CR3T-b'], env: [{ name: 'PLUGIN_PASS', value: 'S3CR3T-c' }] },
    );
    const error = await failure(r.ask);
    expect(error.message).toContain('failed with exit code 7: login failed for jane\\u{1b}[2J');
    expect(error.message.length).toBeLessThan(2_500);
    expect(everyPrint(error)).not.toContain('S3CR3T');
  });

  test('S16: a plugin that hangs is killed after the timeout, with everything it started', async () => {
    await using r = await rig(
      `const { spawn } = require('node:child_process');
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
       fs.writeFileSync(__dirname + '/pids', process.pid + ' ' + child.pid + '\\n'); setInterval(() => {}, 1000);`,
      {},
      { timeoutMs: 1_500 },
    );
    const waiting = failure(r.ask);
    const written = (): Promise<string> => readFile(r.dir.join('bin/pids'), 'utf8').catch(() => '');
    await until('it and its child run', async () => / \d+\n$/.test(await written()));
    await r.env.clock.advance(1_500);
    expect((await waiting).message).toContain('did not exit within 1.5 s and was killed');
    const pids = (await written()).split(' ').map(Number);
    expect(pids).toHaveLength(2);
    for (const pid of pids) await until(`${pid} is gone`, async () => !(await isRunning(pid)));
  });

  test('the timeout is 60 s by default', async () => {
    await using r = await rig(`setInterval(() => {}, 1000)`);
    const waiting = failure(r.ask);
    await until('it runs', r.hasRun);
    await r.env.clock.advance(59_999);
    expect(r.env.clock.sleeping).toBeGreaterThan(0);
    await r.env.clock.advance(1);
    expect((await waiting).message).toContain('did not exit within 60 s');
  });
});

test('S17: variables of the kubeconfig reach the child and its children only', async () => {
  const names = ['NODE_OPTIONS', 'LD_PRELOAD', 'PATH', '__proto__', 'S17_MARK'];
  const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  await using r = await rig(
    `console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${V1}', status: { token: [process.env.S17_MARK, process.env.PATH, process.env.NODE_OPTIONS].join('|') } }))`,
    {
      command: 'plugin',
      env: [
        { name: 'S17_MARK', value: 'mark' },
        // Would find another program, if it were ours to search with.
        { name: 'PATH', value: '/nowhere' },
        { name: 'NODE_OPTIONS', value: '--no-warnings' },
        { name: '__proto__', value: 'polluted' },
      ],
    },
  );
  expect(await r.ask()).toBe('Bearer mark|/nowhere|--no-warnings');
  expect(Object.fromEntries(names.map((name) => [name, process.env[name]]))).toEqual(before);
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
});

/** A killed process stays in the table until its parent looks; a zombie does not run. */
async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
