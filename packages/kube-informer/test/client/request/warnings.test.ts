import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KnownSecrets } from '../../../src/core/known-secrets.ts';
import { type ApiWarning, parseWarnings, warningHandler, WarningLog } from '../../../src/client/request/warnings.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';

/** Held as long as the tests run: the redaction knows the secrets of connections in use. */
const known = new KnownSecrets();

const texts = (header: string): string[] => parseWarnings(header).map(({ text }) => text);
const warning = (text: string): ApiWarning => ({ code: 299, agent: '-', text, method: 'GET', path: '/x' });

function rig() {
  const env = fakeEnv();
  const log = new WarningLog(env);
  return { env, log };
}

describe('the header', () => {
  test.each([
    ['299 - "old API"', ['old API']],
    ['299 - "one", 299 - "two"', ['one', 'two']],
    ['299 - "one",299 kube/1.30 "two"', ['one', 'two']],
    ['299 - "one" "Sat, 25 Aug 2012 23:34:45 GMT", 299 - "two"', ['one', 'two']],
    ['299 - "a \\"quoted\\" word, and a comma"', ['a "quoted" word, and a comma']],
    ['299 - "back\\\\slash"', ['back\\slash']],
    ['299 - "=?utf-8?q?caf=C3=A9?="', ['=?utf-8?q?caf=C3=A9?=']],
    ['299 - ""', ['']],
    [Buffer.from('299 - "unknown field \\"数据 😀\\""').toString('latin1'), ['unknown field "数据 😀"']],
    ['299 - "caf\xe9"', ['café']],
    ['299 - "already 数据, caf\xc3\xa9"', ['already 数据, caf\xc3\xa9']],
  ])('D11: %s is read', (header, expected) => {
    expect(texts(header)).toEqual(expected);
  });

  test.each([
    ['199 - "not for people", 299 - "this is"', ['this is']],
    ['299 - "control \u0007 character", 299 - "fine"', ['fine']],
  ])('D11: of %j only the shown part is reported', (header, expected) => {
    expect(texts(header)).toEqual(expected);
  });

  test.each([
    ['299 - "one", nonsense, 299 - "two"', ['one']],
    ['299 - "one" 299 - "two"', []],
    ['299 - "unclosed', []],
    ['299 -"no space"', []],
    ['299  "no agent"', []],
    ['29 - "short"', []],
    ['2999 - "long"', []],
    ['', []],
  ])('D11: what does not parse ends the reading: %j', (header, expected) => {
    expect(texts(header)).toEqual(expected);
  });

  test('D11: agent and code are reported too', () => {
    expect(parseWarnings('299 kube-apiserver "x"')).toEqual([{ code: 299, agent: 'kube-apiserver', text: 'x' }]);
  });

  test('D11: any text that is formatted is parsed again', () => {
    const printable = fc.string({ unit: fc.constantFrom(' ', 'a', 'b', ',', '"', '\\', '=', '?', '-', '1') });
    fc.assert(
      fc.property(fc.array(printable, { maxLength: 5 }), (all) => {
        const header = all.map((text) => `299 - "${text.replaceAll(/["\\]/g, '\\$&')}"`).join(', ');
        expect(texts(header)).toEqual(all);
      }),
    );
  });

  test('D11: no input makes it throw or take long', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('2', '9', ' ', '"', '\\', ',', '-', 'a') }), (header) => {
        expect(parseWarnings(header).length).toBeLessThanOrEqual(header.length);
      }),
    );
    // Milliseconds. Work that grows with the square of the length takes longer than any test may.
    parseWarnings(`299 - "${'\\'.repeat(2_000_000)}`);
    parseWarnings('299 - '.repeat(500_000));
  });

  test('S26: a secret in a warning is redacted', () => {
    known.remember('warned-canary-123456');
    expect(texts('299 - "your token warned-canary-123456 is old"')).toEqual(['your token [redacted] is old']);
    expect(texts(`299 - "${'x'.repeat(10_000)}"`)[0]).toHaveLength(4_097);
  });
});

describe('the policies', () => {
  test('D11: each text is logged once, and counted', () => {
    const { env, log } = rig();
    const handle = warningHandler('log', log, env);
    for (let i = 0; i < 3; i += 1) handle(warning('old'));
    handle(warning('older'));
    expect(env.lines.map(({ level, fields }) => [level, fields['text']])).toEqual([
      ['warn', 'old'],
      ['warn', 'older'],
    ]);
    expect([...log.counts]).toEqual([
      ['old', 3],
      ['older', 1],
    ]);
  });

  test('D11: a thousand texts are remembered, the least recent forgotten first', () => {
    const { env, log } = rig();
    log.handle(warning('kept'));
    for (let i = 0; i < 999; i += 1) log.handle(warning(`text ${i}`));
    log.handle(warning('kept'));
    log.handle(warning('one more'));
    expect(log.counts.size).toBe(1_000);
    expect(log.counts.get('kept')).toBe(2);
    expect(log.counts.has('text 0')).toBe(false);
    const before = env.lines.length;
    log.handle(warning('kept'));
    expect(env.lines).toHaveLength(before);
    log.handle(warning('text 0'));
    expect(env.lines).toHaveLength(before + 1);
  });

  test('D11: none ignores it, throw fails, a handler gets it', () => {
    const { env, log } = rig();
    warningHandler('none', log, env)(warning('old'));
    expect(env.lines).toEqual([]);
    expect(() => warningHandler('throw', log, env)(warning('old'))).toThrow(
      expect.objectContaining({ code: 'API_WARNING', message: 'GET /x: the server sent a warning: old' }),
    );
    const got: ApiWarning[] = [];
    warningHandler((one) => got.push(one), log, env)(warning('old'));
    expect(got).toEqual([warning('old')]);
  });

  test('D11: the handler of a client gets each text once, unless it asks for each', () => {
    const env = fakeEnv();
    const heard: string[] = [];
    const log = new WarningLog(env);
    const tell = warningHandler(({ text }) => void heard.push(text), log, env, { once: true });
    const each = warningHandler({ each: ({ text }) => void heard.push(`each ${text}`) }, log, env, { once: true });
    const warning = { code: 299, agent: '-', text: 'old', method: 'GET', path: '/' };
    for (const handler of [tell, tell, each, each]) handler(warning);
    expect(heard).toEqual(['old', 'each old', 'each old']);
  });

  test('D11: a handler that throws is logged, and the call continues', () => {
    const { env, log } = rig();
    warningHandler(
      () => {
        throw new Error('handler is broken');
      },
      log,
      env,
    )(warning('old'));
    expect(env.lines).toMatchObject([{ level: 'error', fields: { error: 'handler is broken' } }]);
  });
});
