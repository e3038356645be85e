import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ExecPlan } from '../../../../src/client/config/connection-plan.ts';
import { type ExecSourceOptions, execPluginSource } from '../../../../src/client/auth/node/exec-plugin.ts';
import { systemEnv } from '../../../../src/core/env.ts';
import { reasonOf } from '../../../../src/informer/reflector/watch-error.ts';
import { fakeEnv } from '../../../../src/testing/fake-clock.ts';
import { failure, never, TempDir, until } from '../../rig/auth-rig.ts';
import { type Pair, TestAuthority } from '../../rig/certificates.ts';

const V1 = 'client.authentication.k8s.io/v1';
const V1BETA1 = 'client.authentication.k8s.io/v1beta1';

let authority: TestAuthority;
let pair: Pair;
beforeAll(async () => {
  authority = new TestAuthority();
  pair = authority.client('plugin');
});

/** A plugin that appends a line to `runs` each time, then does what `body` says; `print(status)` is there to use. */
async function rig(body: string, more: Partial<ExecPlan> = {}, options: Partial<ExecSourceOptions> = {}) {
  const dir = await TempDir.create();
  const command = await dir.script(
    'plugin',
    `const fs = require('node:fs');
     fs.appendFileSync(${JSON.stringify(dir.join('runs'))}, 'x');
     const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
     const print = (status, more) => console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: info.apiVersion, status, ...more }));
     ${body}`,
  );
  const exec: ExecPlan = {
    apiVersion: V1, command, args: [], env: [], interactiveMode: 'Never', provideClusterInfo: false, beside: dir.join('config'), ...more,
  }; // prettier-ignore
  const env = fakeEnv();
  const source = execPluginSource({
    exec,
    where: 'users["dev"].user.exec',
    cluster: { server: 'https://api' },
    env,
    ...options,
  });
  return {
    dir, env, clock: env.clock, source, command,
    ask: async () => (await source.current(new AbortController().signal)).authorization,
    runs: async () => (await readFile(dir.join('runs'), 'utf8').catch(() => '')).length,
    [Symbol.asyncDispose]: async () => {
      source.close?.();
      await dir[Symbol.asyncDispose]();
    },
  }; // prettier-ignore
}

describe('D9: what a plugin prints becomes credentials', () => {
  test.each([V1, V1BETA1] as const)('a token, %s', async (apiVersion) => {
    await using r = await rig(`print({ token: 'abc' })`, { apiVersion });
    expect(await r.ask()).toBe('Bearer abc');
    expect(r.source.kind).toBe('exec plugin');
  });

  test('a certificate with its key, and both together with a token', async () => {
    await using r = await rig(
      `print({ token: 'abc', clientCertificateData: process.env.CERT, clientKeyData: process.env.KEY })`,
      {
        env: [
          { name: 'CERT', value: pair.cert },
          { name: 'KEY', value: pair.key },
        ],
      },
    );
    const { authorization, certificate } = await r.source.current(never);
    expect([authorization, certificate?.cert, certificate?.key]).toEqual(['Bearer abc', pair.cert, pair.key]);
  });

  test('YAML is understood too', async () => {
    await using r = await rig(`console.log('kind: ExecCredential\\napiVersion: ${V1}\\nstatus:\\n  token: abc')`);
    expect(await r.ask()).toBe('Bearer abc');
  });
});

describe('D9: the plugin receives what it may know', () => {
  const echo = `print({ token: Buffer.from(JSON.stringify(info)).toString('base64url') })`;
  const received = (authorization = ''): unknown =>
    JSON.parse(Buffer.from(authorization.slice(7), 'base64url').toString());

  test('version, kind, and that it cannot prompt; nothing about the cluster', async () => {
    await using r = await rig(echo, { apiVersion: V1BETA1 });
    expect(received(await r.ask())).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1BETA1,
      spec: { interactive: false },
    });
  });

  test('with provideClusterInfo the cluster, with its authority as it is now and its extension', async () => {
    const cluster = {
      server: 'https://api:6443', tlsServerName: 'name', ca: () => 'CA now', proxyUrl: 'http://proxy', disableCompression: true, insecureSkipTlsVerify: false,
    }; // prettier-ignore
    await using r = await rig(echo, { provideClusterInfo: true, clusterConfig: { audience: 'x' } }, { cluster });
    expect(received(await r.ask())).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: {
        interactive: false,
        cluster: {
          server: 'https://api:6443', 'tls-server-name': 'name', 'certificate-authority-data': btoa('CA now'), 'proxy-url': 'http://proxy',
          'disable-compression': true, config: { audience: 'x' },
        },
      },
    }); // prettier-ignore
  });

  test("its arguments one by one, our variables, and the kubeconfig's over them", async () => {
    await using r = await rig(`print({ token: [...process.argv.slice(2), process.env.OURS, process.env.BOTH].join('|').replaceAll(' ', '_') })`, {
      args: ['a b', '$HOME', '; echo x', '*'],
      env: [{ name: 'BOTH', value: 'theirs' }],
    }, { environment: { ...process.env, OURS: 'ours', BOTH: 'ours' } }); // prettier-ignore
    expect(await r.ask()).toBe('Bearer a_b|$HOME|;_echo_x|*|ours|theirs');
  });
});

describe('D9: interactive plugins', () => {
  const body = `print({ token: String(info.spec.interactive) })`;
  test.each<[ExecPlan['interactiveMode'], boolean, boolean, string]>([
    ['Never', true, false, 'Bearer false'],
    ['IfAvailable', true, false, 'Bearer true'],
    ['IfAvailable', false, false, 'Bearer false'],
    ['IfAvailable', true, true, 'Bearer false'],
    ['Always', true, false, 'Bearer true'],
    ['Always', false, false, 'needs a terminal'],
    ['Always', true, true, 'needs a terminal'],
  ])('%s, terminal: %s, stdin reserved: %s', async (interactiveMode, isTerminal, isStdinReserved, expected) => {
    await using r = await rig(
      body,
      { interactiveMode },
      { isTerminal: () => isTerminal, isStdinReserved, onPrompt: () => {} },
    );
    expect(expected.startsWith('Bearer') ? await r.ask() : (await failure(r.ask)).message).toContain(expected);
  });

  test('what they write to stderr is shown as it comes, redacted', async () => {
    const shown: string[] = [];
    const onPrompt = (text: string): void => void shown.push(text);
    await using r = await rig(
      `console.error('open https://login.example.com and enter ABCD-1234, password=CANARY'); ${body}`,
      { interactiveMode: 'IfAvailable' },
      { isTerminal: () => true, onPrompt },
    );
    await r.ask();
    expect(shown.join('')).toBe('open https://login.example.com and enter ABCD-1234, password=[redacted]\n');
  });
});

describe('F68: a plugin runs when it must, and not more often', () => {
  test('single flight: a hundred requests at once run it once', async () => {
    await using r = await rig(`print({ token: 'abc' })`);
    await Promise.all(Array.from({ length: 100 }, r.ask));
    expect(await r.runs()).toBe(1);
  });

  test('again ten seconds before the credentials expire', async () => {
    const expirationTimestamp = new Date(fakeEnv().wallNow() + 60_000).toISOString();
    await using r = await rig(`print({ token: 'abc', expirationTimestamp: '${expirationTimestamp}' })`);
    await r.ask();
    await r.clock.advance(49_999);
    await r.ask();
    expect(await r.runs()).toBe(1);
    await r.clock.advance(1);
    await r.ask();
    expect(await r.runs()).toBe(2);
    // The plugin's output has not changed, so it stays expired: each is still used for ten seconds.
    await r.clock.advance(9_000);
    await r.ask();
    expect(await r.runs()).toBe(2);
    await r.clock.advance(1_000);
    await r.ask();
    expect(await r.runs()).toBe(3);
  });

  test('credentials that have expired already are used, with a warning: the clock that is wrong may be ours', async () => {
    await using r = await rig(`print({ token: 'abc', expirationTimestamp: '2020-01-01T00:00:00Z' })`);
    expect(await r.ask()).toBe('Bearer abc');
    expect(await r.ask()).toBe('Bearer abc');
    expect(await r.runs()).toBe(1);
    expect(r.env.lines).toMatchObject([{ level: 'warn' }]);
  });

  test('F40: after a 401, once for all requests that got one', async () => {
    await using r = await rig(
      `print({ token: 'abc' + fs.readFileSync(${JSON.stringify('/dev/null')}).length + fs.statSync(require('node:path').join(__dirname, 'runs')).size })`,
    );
    const old = await r.source.current(never);
    expect(old.authorization).toBe('Bearer abc01');
    expect([r.source.rejected(old), r.source.rejected(old)]).toEqual([true, true]);
    expect(await Promise.all([r.ask(), r.ask()])).toEqual(['Bearer abc02', 'Bearer abc02']);
    expect(r.source.rejected(await r.source.current(never))).toBe(false);
    expect(await r.runs()).toBe(2);
  });

  test('a failure is not remembered: the next request runs it again', async () => {
    await using r = await rig(
      `if (fs.statSync(require('node:path').join(__dirname, 'runs')).size < 2) process.exit(3); print({ token: 'abc' })`,
    );
    expect((await failure(r.ask)).message).toContain('failed with exit code 3');
    expect(await r.ask()).toBe('Bearer abc');
  });
});

test('D9: G23: a plugin that renews its certificate gives the new pair', async () => {
  const next = authority.client('next');
  await using r = await rig(`const n = fs.statSync(require('node:path').join(__dirname, 'runs')).size;
    print({ clientCertificateData: process.env['CERT' + n], clientKeyData: process.env['KEY' + n] })`, {
    env: [
      { name: 'CERT1', value: pair.cert }, { name: 'KEY1', value: pair.key },
      { name: 'CERT2', value: next.cert }, { name: 'KEY2', value: next.key },
    ],
  }); // prettier-ignore
  const old = await r.source.current(never);
  expect(r.source.rejected(old)).toBe(true);
  expect((await r.source.current(never)).certificate?.cert).toBe(next.cert);
});

test('D9: a missing program is an error with the install hint, without control characters, at most ten times an hour', async () => {
  await using r = await rig('', {
    command: 'surely-not-installed',
    installHint: 'get it\u001b[31m at\nhttps://example.com',
  });
  const hints = async (n: number): Promise<number> => {
    let count = 0;
    for (let i = 0; i < n; i += 1) {
      const { message } = await failure(r.ask);
      expect(message).toContain('credential plugin "surely-not-installed" was not found');
      if (message.includes('. get it\\u{1b}[31m at https://example.com')) count += 1;
    }
    return count;
  };
  expect(await hints(15)).toBe(10);
  await r.clock.advance(3_600_000);
  expect(await hints(15)).toBe(10);
});

test('D9, F68: a plugin continues when no request waits for it any more; closing kills it', async () => {
  await using r = await rig(
    `fs.writeFileSync(require('node:path').join(__dirname, 'pid'), String(process.pid));
     setInterval(() => { if (fs.existsSync(__dirname + '/ping')) fs.writeFileSync(__dirname + '/pong', ''); }, 10);`,
    {},
    { env: systemEnv },
  );
  const isAlive = async (): Promise<boolean> => {
    const pid = Number(await readFile(r.dir.join('pid'), 'utf8').catch(() => '0'));
    try {
      return pid > 0 && process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const [one, two] = [new AbortController(), new AbortController()];
  const waiting = [failure(() => r.source.current(one.signal)), failure(() => r.source.current(two.signal))];
  await until('the plugin runs', isAlive);
  one.abort();
  expect(await waiting[0]).toMatchObject({ code: 'ABORTED' });
  expect(await isAlive()).toBe(true);
  two.abort();
  expect(await waiting[1]).toMatchObject({ code: 'ABORTED' });
  // A process that was killed may look alive for a moment; it answers no more.
  await r.dir.write('ping', '');
  await until(
    'the plugin answers',
    () =>
      readFile(r.dir.join('pong')).then(
        () => true,
        () => false,
      ),
    5_000,
  );
  r.source.close?.();
  await until('the plugin is gone', async () => !(await isAlive()));
});

test('F68: a plugin that is slower than its callers are patient still brings its token, in one run', async () => {
  await using r = await rig(
    `fs.appendFileSync(__dirname + '/starts', 'x');
     const timer = setInterval(() => { if (fs.existsSync(__dirname + '/go')) { clearInterval(timer); print({ token: 'abc' }); } }, 10);`,
    {},
    { env: systemEnv },
  );
  for (let i = 0; i < 3; i += 1) {
    const stop = new AbortController();
    const waiting = failure(() => r.source.current(stop.signal));
    await until('it runs', () => readFile(r.dir.join('starts')).then(Boolean, () => false));
    stop.abort();
    expect(await waiting).toMatchObject({ code: 'ABORTED' });
  }
  await r.dir.write('go', '');
  expect(await r.ask()).toBe('Bearer abc');
  expect(await readFile(r.dir.join('starts'), 'utf8')).toBe('x');
});

test('D9: a child of the plugin that keeps the pipe open does not keep us', async () => {
  await using r = await rig(
    `const child = 'setInterval(() => require("node:fs").existsSync(process.argv[1]) || process.exit(), 100)';
     require('node:child_process').spawn(process.execPath, ['-e', child, __filename], { stdio: 'inherit' }).unref();
     print({ token: 'abc' });`,
    {},
    { env: systemEnv },
  );
  // It stays as long as the folder is there, so a call that waits for it waits until the time for a test is over.
  expect(await r.ask()).toBe('Bearer abc');
});

test('D9, ERR-11: a plugin that cannot be started says why, and the reason is its credentials, not the network', async () => {
  await using dir = await TempDir.create();
  const command = dir.join('plugin');
  await writeFile(command, '#!/no/such/interpreter\n', { mode: 0o755 });
  const exec: ExecPlan = {
    apiVersion: V1, command, args: [], env: [], interactiveMode: 'Never', provideClusterInfo: false, beside: dir.join('config'),
  }; // prettier-ignore
  const source = execPluginSource({
    exec,
    where: 'users["dev"].user.exec',
    cluster: { server: 'https://api' },
    env: fakeEnv(),
  });
  const error = await failure(() => source.current(new AbortController().signal));
  expect(error).toMatchObject({
    code: 'CREDENTIALS',
    message: expect.stringContaining(
      'could not be started: the interpreter in its first line (#!) was not found (ENOENT)',
    ) as string,
  });
  expect(reasonOf(error)).toBe('credentials');
});
