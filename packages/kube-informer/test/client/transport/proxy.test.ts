import { describe, expect, test } from 'vitest';
import {
  isAddressInNetwork,
  isLoopbackAddress,
  isPublicAddress,
  parseAddress,
} from '../../../src/client/transport/addresses.ts';
import { environmentProxy, proxyUrl } from '../../../src/client/transport/proxy.ts';
import { failure } from '../rig/auth-rig.ts';

function rig(server: string, variables: Record<string, string>): string | undefined {
  return environmentProxy(new URL(server), (name) => variables[name])?.href;
}
const PROXY = 'http://proxy:3128/';

describe('D7: the environment names a proxy', () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ['https://api', { HTTPS_PROXY: 'http://proxy:3128' }, PROXY],
    ['https://api', { https_proxy: 'http://proxy:3128' }, PROXY],
    ['https://api', { HTTPS_PROXY: 'http://upper:1', https_proxy: 'http://lower:1' }, 'http://upper:1/'],
    ['https://api', { HTTPS_PROXY: '', https_proxy: 'http://lower:1' }, 'http://lower:1/'],
    ['https://api', { HTTPS_PROXY: 'proxy:3128' }, PROXY],
    ['https://api', { HTTPS_PROXY: 'socks5://proxy:1080' }, 'socks5://proxy:1080'],
    ['https://api', { HTTP_PROXY: 'http://proxy:3128' }, undefined],
    ['http://api', { HTTP_PROXY: 'http://proxy:3128' }, PROXY],
    ['http://api', { HTTP_PROXY: 'http://proxy:3128', REQUEST_METHOD: 'GET' }, undefined],
    ['http://api', { HTTPS_PROXY: 'http://proxy:3128' }, undefined],
    ['https://localhost:6443', { HTTPS_PROXY: 'http://proxy:3128' }, undefined],
    ['https://127.0.0.1:6443', { HTTPS_PROXY: 'http://proxy:3128' }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY: 'http://proxy:3128' }, undefined],
    ['https://api', {}, undefined],
  ])('%s with %o', (server, variables, expected) => {
    expect(rig(server, variables)).toBe(expected);
  });
});

describe('D7: NO_PROXY exempts names, addresses, networks and ports', () => {
  test.each<[string, string, boolean]>([
    ['https://api.example.com', '*', true],
    ['https://api.example.com', 'example.com', true],
    ['https://api.example.com', 'EXAMPLE.com', true],
    ['https://example.com', 'example.com', true],
    ['https://notexample.com', 'example.com', false],
    ['https://example.com', '.example.com', false],
    ['https://api.example.com', '.example.com', true],
    ['https://api.example.com', '*.example.com', true],
    ['https://example.com', '*.example.com', false],
    ['https://api.example.com', ' other , example.com ', true],
    ['https://api.example.com', ',,', false],
    ['https://api.example.com', '.', false],
    ['https://api.example.com:6443', 'example.com:6443', true],
    ['https://api.example.com:6443', 'example.com:443', false],
    ['https://api.example.com', 'example.com:443', true],
    ['https://10.1.2.3:6443', '10.0.0.0/8', true],
    ['https://11.1.2.3:6443', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://10.1.2.30', '10.1.2.3', false],
    ['https://10.1.2.3:6443', '10.1.2.3:6443', true],
    ['https://10.1.2.3:6443', '10.1.2.3:1', false],
    ['https://[fd00::1]:6443', 'fd00::/8', true],
    ['https://[fd00::1]:6443', 'fd00::1', true],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', true],
    ['https://[fd00::1]:6443', '[fd00::1]:1', false],
    ['https://api.example.com', '10.0.0.0/8', false],
    ['https://10.1.2.3', 'nonsense/8', false],
    ['https://10.1.2.3', '10.0.0.0/64', false],
  ])('%s, NO_PROXY=%s: %s', (server, NO_PROXY, isExempt) => {
    expect(rig(server, { HTTPS_PROXY: PROXY, NO_PROXY })).toBe(isExempt ? undefined : PROXY);
    expect(rig(server, { HTTPS_PROXY: PROXY, no_proxy: NO_PROXY })).toBe(isExempt ? undefined : PROXY);
  });
});

test('D7: a proxy is http, https or socks5; the error never shows the URL', async () => {
  for (const url of ['http://p', 'https://me:pw@p:1', 'socks5://p:1080']) expect(proxyUrl(url, 'x').host).not.toBe('');
  for (const url of ['ftp://me:CANARY@p', 'CANARY', 'file:///CANARY', 'http://', 'socks4://CANARY']) {
    const error = await failure(() => proxyUrl(url, 'clusters["dev"].cluster.proxy-url'));
    expect(error).toMatchObject({ code: 'INVALID_CONFIG' });
    expect(error.message).toMatch(/^clusters\["dev"\]\.cluster\.proxy-url: expected a URL/);
    expect(error.message).not.toContain('CANARY');
  }
  expect((await failure(() => rig('https://api', { HTTPS_PROXY: 'ftp://CANARY' }))).message).toBe(
    'environment variable HTTPS_PROXY: expected a URL that starts with http://, https:// or socks5://',
  );
});

test('D7: a % in a password is literal where nothing is encoded; an ambiguous one is refused', async () => {
  for (const password of ['50%off', '%', 'a%2', '100%25', '%40%25'])
    expect(proxyUrl(`http://me:${password}@p`, 'x').password).toBe(password);
  for (const user of ['me:50%25%CANARY', 'me:%ffCANARY', '%40%x:CANARY'])
    expect((await failure(() => proxyUrl(`http://${user}@p`, 'option proxy'))).message).toBe(
      'option proxy: user name or password: write a literal % as %25',
    );
});

describe('S19: addresses', () => {
  test.each([
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '199.36.153.8',
    '161.26.0.10',
    '166.9.1.1',
    '192.0.0.192',
    '100.100.100.200',
    'fd20:ce::254',
  ])('S89: %s is answered by the platform, not by the internet', (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'fc00::1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '2001:db8::1',
    'ff02::1',
    'example.com',
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
  test.each([
    '8.8.8.8',
    '172.32.0.1',
    '169.253.1.1',
    '100.128.0.1',
    '2606:4700::1111',
    '[2606:4700::1111]',
    '::ffff:8.8.8.8',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  test('are parsed strictly', () => {
    for (const text of [
      '1.2.3',
      '1.2.3.256',
      '01.2.3.4',
      '1.2.3.4.5',
      'a',
      '1::2::3',
      ':::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '12345::',
      '::1.2.3',
      '1:2:3:4:5:6:7::8',
    ])
      expect(parseAddress(text), text).toBeUndefined();
    expect(parseAddress('1:2:3:4:5:6:1.2.3.4')).toHaveLength(16);
    expect(parseAddress('::')).toEqual(Array(16).fill(0));
    expect(parseAddress('1::')).toEqual([0, 1, ...Array(14).fill(0)]);
  });

  test('networks end at any bit', () => {
    expect(isAddressInNetwork([10, 0, 0, 129], '10.0.0.128/25')).toBe(true);
    expect(isAddressInNetwork([10, 0, 0, 127], '10.0.0.128/25')).toBe(false);
    expect(isAddressInNetwork([1, 2, 3, 4], '0.0.0.0/0')).toBe(true);
    expect(isAddressInNetwork([1, 2, 3, 4], '1.2.3.4/32')).toBe(true);
    expect(isAddressInNetwork([1, 2, 3, 4], '::/0')).toBe(false);
    expect(isAddressInNetwork([1, 2, 3, 4], '1.2.3.4/')).toBe(false);
    expect(isAddressInNetwork([1, 2, 3, 4], '1.2.3.4/33')).toBe(false);
  });

  test('loopback has several names', () => {
    for (const host of ['localhost', 'LOCALHOST', 'a.localhost', 'localhost.', '127.1.2.3', '[::1]'])
      expect(isLoopbackAddress(host), host).toBe(true);
    for (const host of ['notlocalhost', 'localhost.example.com', '128.0.0.1', '[::2]', ''])
      expect(isLoopbackAddress(host), host).toBe(false);
  });
});
