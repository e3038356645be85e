import { rm, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FileRef, TlsPlan } from '../../../../src/client/config/connection-plan.ts';
import { credentialTls } from '../../../../src/client/auth/credential-tls.ts';
import type { Credentials } from '../../../../src/client/auth/credentials.ts';
import { TlsFiles } from '../../../../src/client/config/node/tls-files.ts';
import { fakeEnv } from '../../../../src/testing/fake-clock.ts';
import { everyPrint, failure, never, TempDir } from '../../rig/auth-rig.ts';
import { type Pair, TestAuthority } from '../../rig/certificates.ts';

let authority: TestAuthority;
let other: TestAuthority;
let first: Pair;
let second: Pair;
beforeAll(async () => {
  [authority, other] = [new TestAuthority('one'), new TestAuthority('two')];
  first = authority.client('first');
  second = authority.client('second');
});

async function rig(files: readonly ('ca' | 'cert' | 'key')[] = ['ca', 'cert', 'key'], more: TlsPlan = {}) {
  const dir = await TempDir.create();
  const env = fakeEnv();
  const texts: Record<string, string> = { ca: authority.ca, ...first };
  const write = (name: string, text: string): Promise<void> => writeFile(dir.join(name), text);
  for (const name of files) await write(name, texts[name] ?? '');
  const ref = (name: string): { file: FileRef } => ({ file: { path: dir.join(name), where: name } });
  const plan: TlsPlan = { ...Object.fromEntries(files.map((name) => [name, ref(name)])), ...more };
  const tls = await TlsFiles.open(plan, env);
  return { dir, env, clock: env.clock, tls, write, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

test('D8, G23: a changed certificate authority is noticed within a minute', async () => {
  await using r = await rig();
  const before = r.tls.current();
  expect(before.ca).toBe(authority.ca);
  await r.write('ca', other.ca);
  await r.clock.advance(59_999);
  expect(await r.tls.refresh()).toBe(false);
  expect(r.tls.current()).toBe(before);
  await r.clock.advance(1);
  expect(await r.tls.refresh()).toBe(true);
  expect(r.tls.current().ca).toBe(other.ca);
  expect(r.tls.current().certificate).toBe(before.certificate);
  await r.clock.advance(60_000);
  expect(await r.tls.refresh()).toBe(false);
});

test('D8, G23: a changed client certificate is noticed after a second', async () => {
  await using r = await rig();
  await r.write('cert', second.cert);
  await r.write('key', second.key);
  expect(await r.tls.refresh()).toBe(false);
  await r.clock.advance(1_000);
  expect(await r.tls.refresh()).toBe(true);
  const { certificate, ca } = r.tls.current();
  expect([certificate?.cert, certificate?.key, ca]).toEqual([second.cert, second.key, authority.ca]);
});

test('G23: between the two files of a rotation the old pair stays', async () => {
  await using r = await rig();
  await r.write('cert', second.cert);
  await r.clock.advance(1_000);
  expect(await r.tls.refresh()).toBe(false);
  expect(r.tls.current().certificate?.cert).toBe(first.cert);
  await r.write('key', second.key);
  await r.clock.advance(1_000);
  expect(await r.tls.refresh()).toBe(true);
  expect(r.tls.current().certificate?.cert).toBe(second.cert);
});

describe('D8: a file in a bad moment keeps the last good content, with one line in the log', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  test.each<[string, string]>([
    ['empty', ''],
    ['no PEM', 'hello'],
    ['a broken certificate', broken],
    ['cut off', 'half'],
    ['gone', 'gone'],
  ])('%s', async (_, bad) => {
    await using r = await rig();
    const before = r.tls.current();
    for (const name of ['ca', 'cert', 'key']) {
      if (bad === 'gone') await rm(r.dir.join(name));
      else await r.write(name, bad === 'half' ? authority.ca.slice(0, 200) : bad);
    }
    for (let i = 0; i < 3; i += 1) {
      await r.clock.advance(60_000);
      expect(await r.tls.refresh()).toBe(false);
    }
    expect(r.tls.current()).toBe(before);
    expect(r.env.lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
    await r.write('ca', other.ca);
    await r.clock.advance(60_000);
    expect(await r.tls.refresh()).toBe(true);
  });

  test('one bad certificate in a bundle keeps the old bundle', async () => {
    await using r = await rig(['ca']);
    await r.write('ca', other.ca + broken);
    await r.clock.advance(60_000);
    expect(await r.tls.refresh()).toBe(false);
    await r.write('ca', other.ca + authority.ca);
    await r.clock.advance(60_000);
    expect(await r.tls.refresh()).toBe(true);
  });
});

test('D8: many refreshes at once read once', async () => {
  await using r = await rig();
  await r.write('ca', other.ca);
  await r.clock.advance(60_000);
  expect(await Promise.all([r.tls.refresh(), r.tls.refresh(), r.tls.refresh()])).toEqual([true, true, true]);
});

test('D7: a file that is wrong from the start is an error with field and path, and without the content', async () => {
  await using dir = await TempDir.create();
  await dir.write('good.crt', first.cert);
  await dir.write('other.key', second.key);
  await dir.write('secret', 'CANARY\nCANARY');
  const ref = (name: string): { file: FileRef } => ({ file: { path: dir.join(name), where: `field ${name}` } });
  const problem = (plan: TlsPlan): Promise<Error> => failure(() => TlsFiles.open(plan));
  expect((await problem({ ca: ref('missing') })).message).toBe(`field missing: ${dir.join('missing')}: no such file`);
  expect((await problem({ ca: ref('secret') })).message).toContain('expected PEM certificates, found none');
  expect((await problem({ cert: ref('good.crt'), key: ref('other.key') })).message).toContain(
    'does not belong to the certificate',
  );
  expect((await problem({ cert: ref('good.crt'), key: ref('secret') })).message).toContain(
    'cannot parse the private key',
  );
  for (const plan of [
    { ca: ref('secret') },
    { cert: ref('good.crt'), key: ref('secret') },
    { cert: ref('secret'), key: ref('secret') },
  ])
    expect(everyPrint(await problem(plan))).not.toContain('CANARY');
});

test('S25: printing shows the kind of trust, and no material', async () => {
  await using r = await rig(['ca', 'cert', 'key'], { serverName: 'api.example.com' });
  const shown = everyPrint(r.tls);
  expect(shown).toContain('api.example.com');
  for (const value of [r.tls, r.tls.current().certificate]) expect(everyPrint(value)).not.toContain('BEGIN');
  expect(everyPrint(r.tls.current())).not.toContain('PRIVATE KEY');
});

test('D9, G23: a certificate that comes with credentials reaches the handshake, and its change is announced', async () => {
  await using r = await rig(['ca']);
  let given: Credentials = {};
  const inner = { kind: 'exec x', current: () => Promise.resolve(given), rejected: () => true };
  const { tls, credentials } = credentialTls(inner, r.tls);
  expect(tls.current().certificate).toBeUndefined();
  expect(await tls.refresh()).toBe(false);

  given = { certificate: first };
  await credentials.current(never);
  expect(tls.current()).toMatchObject({ ca: authority.ca, certificate: first });
  expect(tls.current()).toBe(tls.current());
  expect(await tls.refresh()).toBe(true);
  expect(await tls.refresh()).toBe(false);

  given = { certificate: second };
  await credentials.current(never);
  expect(tls.current().certificate).toBe(second);
  expect(await tls.refresh()).toBe(true);

  given = { authorization: 'Bearer x' };
  await credentials.current(never);
  expect(tls.current().certificate).toBeUndefined();
  await r.write('ca', other.ca);
  await r.clock.advance(60_000);
  expect(await tls.refresh()).toBe(true);
  expect(tls.current().ca).toBe(other.ca);
  expect(everyPrint([tls, credentials])).not.toContain('BEGIN');
});

test('many clients that look at their files at once share nothing that Node would take for a leak', async () => {
  const warnings: string[] = [];
  const warned = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', warned);
  try {
    const clients = await Promise.all(Array.from({ length: 12 }, () => rig([])));
    await Promise.all(clients.map(({ tls }) => tls.refresh()));
    // Warnings come in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  } finally {
    process.off('warning', warned);
  }
  expect(warnings).toEqual([]);
});
