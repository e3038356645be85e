import { describe, expect, test } from 'vitest';
import { chooseContext, type KubeconfigSelection } from '../../../src/client/config/choose-context.ts';
import { parseKubeconfig } from '../../../src/client/config/kubeconfig.ts';
import { failure, kubeconfig, type KubeconfigParts } from '../rig/auth-rig.ts';

const PEM = btoa('-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----');
const EXEC = { apiVersion: 'client.authentication.k8s.io/v1', command: 'plugin', interactiveMode: 'Never' };

async function rig(parts: KubeconfigParts | object, selection: KubeconfigSelection = {}) {
  const content = 'clusters' in parts ? parts : kubeconfig(parts);
  return chooseContext(await parseKubeconfig(content, { file: '/home/me/.kube/config' }), selection);
}
const problem = async (parts: KubeconfigParts | object, selection?: KubeconfigSelection): Promise<string> =>
  (await failure(() => rig(parts, selection))).message;

describe('D7: a context that means nothing is refused with the file and the field', () => {
  const user = 'kubeconfig /home/me/.kube/config: users["dev"].user';
  const cluster = 'kubeconfig /home/me/.kube/config: clusters["dev"].cluster';
  test.each<[string, KubeconfigParts, string]>([
    ['no server', { cluster: { server: '' } }, `${cluster}.server: is missing`],
    [
      'CA as file and as data',
      { cluster: { 'certificate-authority': 'a', 'certificate-authority-data': PEM } },
      `${cluster}.certificate-authority-data: cannot be given together`,
    ],
    [
      'CA together with insecure',
      { cluster: { 'certificate-authority': 'a', 'insecure-skip-tls-verify': true } },
      `${cluster}.insecure-skip-tls-verify: cannot be true`,
    ],
    [
      'CA data that is not base64',
      { cluster: { 'certificate-authority-data': '%%%' } },
      `${cluster}.certificate-authority-data: expected PEM text in base64`,
    ],
    [
      'CA data that is not PEM',
      { cluster: { 'certificate-authority-data': btoa('hello') } },
      `${cluster}.certificate-authority-data: expected PEM text in base64`,
    ],
    [
      'certificate as file and as data',
      { user: { 'client-certificate': 'a', 'client-certificate-data': PEM, 'client-key': 'k' } },
      `${user}.client-certificate-data: cannot be given together`,
    ],
    [
      'key as file and as data',
      { user: { 'client-certificate': 'a', 'client-key': 'k', 'client-key-data': PEM } },
      `${user}.client-key-data: cannot be given together`,
    ],
    ['certificate without key', { user: { 'client-certificate': 'a' } }, `${user}.client-key: is missing`],
    ['key without certificate', { user: { 'client-key': 'a' } }, `${user}.client-certificate: is missing`],
    [
      'token and basic',
      { user: { token: 't', username: 'u' } },
      `${user}: a token cannot be given together with username`,
    ],
    [
      'token file and basic',
      { user: { tokenFile: 't', username: 'u' } },
      `${user}: a token cannot be given together with username`,
    ],
    [
      'exec and auth-provider',
      { user: { exec: EXEC, 'auth-provider': { name: 'oidc' } } },
      `${user}.exec: cannot be given together with auth-provider`,
    ],
    [
      'an auth-provider that is gone',
      { user: { 'auth-provider': { name: 'gcp' } } },
      `${user}.auth-provider.name: expected oidc, got "gcp"`,
    ],
    ['exec without a command', { user: { exec: { ...EXEC, command: '' } } }, `${user}.exec.command: is missing`],
    ['exec without a version', { user: { exec: { ...EXEC, apiVersion: '' } } }, `${user}.exec.apiVersion: is missing`],
    [
      'exec of an old version',
      { user: { exec: { ...EXEC, apiVersion: 'client.authentication.k8s.io/v1alpha1' } } },
      `${user}.exec.apiVersion: expected`,
    ],
    [
      'exec v1 without a mode',
      { user: { exec: { ...EXEC, interactiveMode: '' } } },
      `${user}.exec.interactiveMode: expected Never, IfAvailable, Always: is missing`,
    ],
    [
      'exec with an unknown mode',
      { user: { exec: { ...EXEC, interactiveMode: 'Sometimes' } } },
      `${user}.exec.interactiveMode: expected`,
    ],
    [
      'exec with a nameless variable',
      { user: { exec: { ...EXEC, env: [{ name: '', value: 'x' }] } } },
      `${user}.exec.env[0].name: expected the name`,
    ],
    [
      'exec with "=" in a name',
      { user: { exec: { ...EXEC, env: [{ name: 'A=B', value: 'x' }] } } },
      `${user}.exec.env[0].name: expected the name`,
    ],
    [
      'exec with NUL in a value',
      { user: { exec: { ...EXEC, env: [{ name: 'A', value: 'x\0' }] } } },
      `${user}.exec.env[0].value: contains a NUL`,
    ],
    [
      'exec with NUL in an argument',
      { user: { exec: { ...EXEC, args: ['x\0'] } } },
      `${user}.exec.args: contains a NUL`,
    ],
    ['groups without a user', { user: { 'as-groups': ['g'] } }, `${user}.as: is missing`],
    ['uid without a user', { user: { 'as-uid': '1' } }, `${user}.as: is missing`],
    ['extra without a user', { user: { 'as-user-extra': { a: ['b'] } } }, `${user}.as: is missing`],
    [
      'a namespace that is none',
      { context: { namespace: '../x' } },
      'kubeconfig /home/me/.kube/config: contexts["dev"].context.namespace: expected a namespace',
    ],
    [
      'a namespace with 64 characters',
      { context: { namespace: 'a'.repeat(64) } },
      'contexts["dev"].context.namespace: expected a namespace',
    ],
    ['a context without a cluster', { context: { cluster: '' } }, 'contexts["dev"].context.cluster: is missing'],
    [
      'a cluster that does not exist',
      { context: { cluster: 'prod' } },
      'contexts["dev"].context.cluster: cluster "prod" does not exist in the kubeconfig; clusters: "dev"',
    ],
    [
      'a user that does not exist',
      { context: { user: 'root' } },
      'contexts["dev"].context.user: user "root" does not exist',
    ],
  ])('%s', async (_, parts, expected) => {
    expect(await problem(parts)).toContain(expected);
  });

  test('a context that does not exist, and none at all: the message lists those there are', async () => {
    expect(await problem({}, { context: 'prod' })).toBe(
      'context "prod" does not exist in the kubeconfig; contexts: "dev"',
    );
    expect(await problem({ ...kubeconfig(), 'current-context': '' })).toBe(
      'the kubeconfig has no current-context: set option context to one of "dev"',
    );
  });
});

test('D7: context, cluster and user are chosen by name, each over the current context', async () => {
  const two = {
    'current-context': 'a',
    clusters: [
      { name: 'a', cluster: { server: 'https://a' } },
      { name: 'b', cluster: { server: 'https://b' } },
    ],
    users: [
      { name: 'a', user: { token: 'ta' } },
      { name: 'b', user: { token: 'tb' } },
    ],
    contexts: [
      { name: 'a', context: { cluster: 'a', user: 'a', namespace: 'na' } },
      { name: 'b', context: { cluster: 'b', user: 'b' } },
    ],
  };
  const look = async (selection: KubeconfigSelection): Promise<unknown[]> => {
    const { server, auth, namespace } = await rig(two, selection);
    return [server, auth.type === 'token' ? auth.token : auth.type, namespace];
  };
  expect(await look({})).toEqual(['https://a', 'ta', 'na']);
  expect(await look({ context: 'b' })).toEqual(['https://b', 'tb', undefined]);
  expect(await look({ cluster: 'b' })).toEqual(['https://b', 'ta', 'na']);
  expect(await look({ user: 'b' })).toEqual(['https://a', 'tb', 'na']);
  const noContext = { ...two, 'current-context': '' };
  const { server, auth } = await rig(noContext, { cluster: 'b' });
  expect([server, auth.type]).toEqual(['https://b', 'none']);
});

describe('D7: within a user fixed credentials win over those that have to be fetched', () => {
  const pair = { 'client-certificate-data': PEM, 'client-key-data': PEM };
  const oidc = { 'auth-provider': { name: 'oidc', config: {} } };
  test.each<[string, object, string, boolean]>([
    ['a token over exec', { token: 't', exec: EXEC }, 'token', false],
    ['a token file over exec', { tokenFile: 'f', exec: EXEC }, 'token', false],
    ['basic over exec', { username: 'u', password: 'p', exec: EXEC }, 'basic', false],
    ['a certificate over exec', { ...pair, exec: EXEC }, 'none', true],
    ['a token over oidc', { token: 't', ...oidc }, 'token', false],
    ['exec alone', { exec: EXEC }, 'exec', false],
    ['oidc alone', oidc, 'oidc', false],
    ['a token with a certificate: both', { token: 't', ...pair }, 'token', true],
    ['nothing', {}, 'none', false],
  ])('%s', async (_, user, type, hasCertificate) => {
    const plan = await rig({ user });
    expect([plan.auth.type, plan.tls.cert !== undefined]).toEqual([type, hasCertificate]);
  });

  test('a broken exec is an error even when a token makes it superfluous', async () => {
    expect(await problem({ user: { token: 't', exec: { ...EXEC, command: '' } } })).toContain(
      'exec.command: is missing',
    );
  });
});

test('D7: interactiveMode defaults to IfAvailable for v1beta1', async () => {
  const { auth } = await rig({ user: { exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'p' } } });
  expect(auth.type === 'exec' && auth.exec.interactiveMode).toBe('IfAvailable');
});

test('D7: a path stays as it is, together with the file that named it', async () => {
  const plan = await rig({ cluster: { 'certificate-authority': '../ca.crt' }, user: { tokenFile: 'token' } });
  expect(plan.tls.ca).toMatchObject({ file: { path: '../ca.crt', beside: '/home/me/.kube/config' } });
  expect(plan.auth).toHaveProperty('file', expect.objectContaining({ path: 'token', beside: '/home/me/.kube/config' }));
});
