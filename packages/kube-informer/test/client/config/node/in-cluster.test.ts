import { beforeAll, expect, test } from 'vitest';
import {
  type InClusterOptions,
  inClusterConfigPlan,
  hasInClusterConfig,
} from '../../../../src/client/config/node/in-cluster-config.ts';
import { type FakeEnv, fakeEnv } from '../../../../src/testing/fake-clock.ts';
import { failure, TempDir } from '../../rig/auth-rig.ts';
import { TestAuthority } from '../../rig/certificates.ts';

let authority: TestAuthority;
beforeAll(async () => {
  authority = new TestAuthority();
});

interface Pod extends AsyncDisposable {
  readonly dir: TempDir;
  readonly env: FakeEnv;
  readonly options: InClusterOptions;
}

async function rig(files: Record<string, string> = {}, variables: Record<string, string> = {}): Promise<Pod> {
  const dir = await TempDir.create();
  const all: Record<string, string> = {
    token: 'the-token',
    'ca.crt': authority.ca,
    namespace: 'of-the-pod\n',
    ...files,
  };
  for (const [name, content] of Object.entries(all)) if (content !== 'missing') await dir.write(name, content);
  const set: Record<string, string> = {
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    ...variables,
  };
  const env = fakeEnv();
  const options = { read: (name: string) => set[name], directory: dir.path, env };
  return { dir, env, options, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

test('D8: the server comes from two variables, the rest from the mounted files', async () => {
  await using pod = await rig();
  expect(await hasInClusterConfig(pod.options)).toBe(true);
  const plan = await inClusterConfigPlan(pod.options);
  expect(plan).toMatchObject({
    server: 'https://10.0.0.1:443',
    namespace: 'of-the-pod',
    tls: { ca: { file: { path: pod.dir.join('ca.crt') } } },
    auth: { type: 'token', file: { path: pod.dir.join('token') } },
    origin: 'service account of the pod',
  });
});

test('D8: an IPv6 host gets its brackets', async () => {
  await using pod = await rig({}, { KUBERNETES_SERVICE_HOST: 'fd00::1' });
  expect((await inClusterConfigPlan(pod.options)).server).toBe('https://[fd00::1]:443');
  await using bracketed = await rig({}, { KUBERNETES_SERVICE_HOST: '[fd00::1]' });
  expect((await inClusterConfigPlan(bracketed.options)).server).toBe('https://[fd00::1]:443');
});

test('D8: both variables and the token are needed', async () => {
  for (const name of ['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT']) {
    await using pod = await rig({}, { [name]: '' });
    expect(await hasInClusterConfig(pod.options)).toBe(false);
    expect(await failure(() => inClusterConfigPlan(pod.options))).toMatchObject({ code: 'INVALID_CONFIG' });
  }
  await using pod = await rig({ token: 'missing' });
  expect(await hasInClusterConfig(pod.options)).toBe(false);
  expect((await failure(() => inClusterConfigPlan(pod.options))).message).toContain('no such file');
});

test('D8: a certificate authority that is missing or broken is logged, and the platform is trusted', async () => {
  for (const content of [
    'missing',
    '',
    'no certificate',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  ]) {
    await using pod = await rig({ 'ca.crt': content });
    expect((await inClusterConfigPlan(pod.options)).tls).toEqual({});
    expect(pod.env.lines).toMatchObject([{ level: 'error' }]);
  }
});

test('D7: the namespace is POD_NAMESPACE, else that of the file, else undefined', async () => {
  await using named = await rig({}, { POD_NAMESPACE: 'named' });
  expect((await inClusterConfigPlan(named.options)).namespace).toBe('named');
  await using empty = await rig({ namespace: '\n' });
  expect((await inClusterConfigPlan(empty.options)).namespace).toBeUndefined();
  await using none = await rig({ namespace: 'missing' });
  expect((await inClusterConfigPlan(none.options)).namespace).toBeUndefined();
  await using odd = await rig({ namespace: '../x' });
  expect(await failure(() => inClusterConfigPlan(odd.options))).toMatchObject({ code: 'INVALID_CONFIG' });
});
