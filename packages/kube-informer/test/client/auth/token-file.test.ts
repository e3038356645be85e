import { symlink, rename, rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readTextFile } from '../../../src/client/config/node/read-file.ts';
import {
  fixedSourceOfPassword,
  fixedSourceOfCertificate,
  fixedSourceOfNothing,
  fixedSourceOfToken,
} from '../../../src/client/auth/fixed-source.ts';
import { tokenFile } from '../../../src/client/auth/token-file.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { everyPrint, failure, never, TempDir } from '../rig/auth-rig.ts';

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl';

async function rig(content: string | undefined = 'one', fallback?: string) {
  const dir = await TempDir.create();
  const env = fakeEnv();
  const path = dir.join('token');
  const write = (text: string): Promise<void> => writeFile(path, text);
  if (content !== '-') await write(content);
  let reads = 0;
  const read = (): Promise<string> => {
    reads += 1;
    return readTextFile(path, 'tokenFile');
  };
  const source = tokenFile({ path, read, env, ...(fallback === undefined ? {} : { fallback }) });
  return {
    dir, env, clock: env.clock, path, write, source,
    reads: () => reads,
    ask: async () => (await source.current(never)).authorization,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  }; // prettier-ignore
}

test('S22, D8: a rotated token file is read again within a minute, and not for each request', async () => {
  await using r = await rig();
  expect(await r.ask()).toBe('Bearer one');
  await r.write('two');
  await r.clock.advance(49_999);
  expect(await r.ask()).toBe('Bearer one');
  expect(r.reads()).toBe(1);
  await r.clock.advance(1);
  expect(await r.ask()).toBe('Bearer two');
  expect(r.reads()).toBe(2);
});

describe('S22: a file in a bad moment never replaces a good token', () => {
  test.each<[string, string]>([
    ['empty', ''],
    ['only white space', ' \n'],
    ['cut off in the header', JWT.slice(0, 20)],
    ['cut off before the signature', JWT.slice(0, JWT.lastIndexOf('.') + 1)],
    ['several lines', 'one\ntwo'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----'],
    ['control characters', 'a\u0000b'],
    ['not ASCII', 'tökén'],
  ])('%s', async (_, bad) => {
    await using r = await rig(JWT);
    await r.ask();
    await r.write(bad);
    await r.clock.advance(60_000);
    expect(await r.ask()).toBe(`Bearer ${JWT}`);
    expect(r.env.lines).toMatchObject([{ level: 'warn' }]);
    expect(everyPrint(r.env.lines)).not.toContain(JWT);
    await r.write('recovered');
    await r.clock.advance(10_000);
    expect(await r.ask()).toBe('Bearer recovered');
  });

  test('gone', async () => {
    await using r = await rig();
    await r.ask();
    await rm(r.path);
    await r.clock.advance(60_000);
    expect(await r.ask()).toBe('Bearer one');
  });
});

test('S22: a byte order mark and line breaks around the token do not matter', async () => {
  await using r = await rig('\u{feff}one\r\n\n');
  expect(await r.ask()).toBe('Bearer one');
});

test('S22, F40: a 401 reads the file again at once, once for all', async () => {
  await using r = await rig();
  const old = await r.source.current(never);
  await r.write('two');
  expect([r.source.rejected(old), r.source.rejected(old)]).toEqual([true, true]);
  expect(await Promise.all([r.ask(), r.ask()])).toEqual(['Bearer two', 'Bearer two']);
  expect(r.reads()).toBe(2);
  // A request that set out before the renewal and came back late: there is a newer token already.
  expect(r.source.rejected(old)).toBe(true);
  await r.ask();
  expect(r.reads()).toBe(2);
});

test('G23: a projected volume swaps its link, and the token follows', async () => {
  await using dir = await TempDir.create();
  const env = fakeEnv();
  await dir.write('..1/token', 'one');
  await dir.write('..2/token', 'two');
  await symlink('..1', dir.join('..data'));
  await symlink('..data/token', dir.join('token'));
  const source = tokenFile({ path: dir.join('token'), read: () => readTextFile(dir.join('token'), 'token'), env });
  expect((await source.current(never)).authorization).toBe('Bearer one');
  await symlink('..2', dir.join('..tmp'));
  await rename(dir.join('..tmp'), dir.join('..data'));
  await env.clock.advance(50_000);
  expect((await source.current(never)).authorization).toBe('Bearer two');
});

test('D7: with a fixed token beside it the file wins, before and after it was readable', async () => {
  await using r = await rig('-', 'spare');
  expect(await r.ask()).toBe('Bearer spare');
  await r.write('one');
  await r.clock.advance(60_000);
  expect(await r.ask()).toBe('Bearer one');
  await rm(r.path);
  await r.clock.advance(60_000);
  expect(await r.ask()).toBe('Bearer one');
});

test('D8: without a token from the start there is an error, which says what is wrong and not what was read', async () => {
  await using gone = await rig('-');
  expect(await failure(gone.ask)).toMatchObject({
    code: 'INVALID_CONFIG',
    message: `tokenFile: ${gone.path}: no such file`,
  });
  await using empty = await rig('');
  expect(await failure(empty.ask)).toMatchObject({
    code: 'CREDENTIALS',
    message: `token file ${empty.path}: the file is empty`,
  });
  await using key = await rig('-----BEGIN CANARY\nCANARY');
  const error = await failure(key.ask);
  expect(error).toMatchObject({ code: 'CREDENTIALS' });
  expect(everyPrint(error)).not.toContain('CANARY');
});

describe('D8: fixed credentials', () => {
  test('are sent as they are and never renewed', async () => {
    const token = fixedSourceOfToken('abc', 'x');
    const basic = fixedSourceOfPassword('me', 'pässword', 'x');
    expect((await token.current(never)).authorization).toBe('Bearer abc');
    expect((await basic.current(never)).authorization).toBe(`Basic ${Buffer.from('me:pässword').toString('base64')}`);
    expect(await fixedSourceOfNothing().current(never)).toEqual({});
    expect((await fixedSourceOfCertificate().current(never)).authorization).toBeUndefined();
    for (const source of [token, basic, fixedSourceOfNothing(), fixedSourceOfCertificate()])
      expect(source.rejected(await source.current(never))).toBe(false);
  });

  test('S8: a token, a user name or a password that would break the header is refused at once', async () => {
    for (const bad of ['', 'a b', 'a\r\nX-Evil: 1', 'a\n', 'a\0', 'ä']) {
      const error = await failure(() => fixedSourceOfToken(bad, 'option token'));
      expect(error, bad).toMatchObject({ code: 'INVALID_CONFIG' });
      expect(error.message).not.toContain('Evil');
    }
    for (const [user, password] of [
      ['a:b', 'p'],
      ['', 'p'],
      ['a\r\n', 'p'],
      ['a', 'p\r\n'],
      ['a', '\0'],
    ] as const)
      expect(await failure(() => fixedSourceOfPassword(user, password, 'x')), user).toMatchObject({
        code: 'INVALID_CONFIG',
      });
  });

  test('S25: print their kind, and so do the credentials they give', async () => {
    for (const source of [fixedSourceOfToken('CANARY-1', 'x'), fixedSourceOfPassword('me', 'CANARY-1', 'x')]) {
      const credentials = await source.current(never);
      for (const value of [source, credentials]) {
        expect(everyPrint(value)).not.toContain('CANARY-1');
        expect(everyPrint(value)).not.toContain(btoa('me:CANARY-1'));
      }
    }
  });
});
