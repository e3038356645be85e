import { describe, expect, test } from 'vitest';
import { InformerNames, processNames } from '../../../src/informer/apply/informer-name.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { coded } from '../rig/informer-rig.ts';

describe('names', () => {
  test('MET-06 (TestNewInformerName): a name is used once, and never empty', () => {
    const names = new InformerNames();
    expect(names.reserve('a').name).toBe('a');
    expect(names.reserve('b').name).toBe('b');
    expect(() => names.reserve('')).toThrow(coded('INVALID_OPTION'));
    expect(() => names.reserve('a')).toThrow(/"a" is taken; release it first or choose another/);
    expect(() => names.reserve('a')).toThrow(coded('INVALID_OPTION'));
  });

  test('MET-06: separate InformerNames do not share names; processNames is one for the process', () => {
    new InformerNames().reserve('a');
    expect(new InformerNames().reserve('a').name).toBe('a');
    const reserved = processNames.reserve('identity.test');
    expect(() => processNames.reserve('identity.test')).toThrow(coded('INVALID_OPTION'));
    reserved.release();
    processNames.reserve('identity.test').release();
  });

  test('MET-06: names of properties of Object.prototype are names like any other', () => {
    const names = new InformerNames();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(names.reserve(name).withResource(name).reserved).toBe(true);
      expect(() => names.reserve(name)).toThrow(coded('INVALID_OPTION'));
    }
  });
});

describe('resources', () => {
  test('MET-07 (TestWithResource): the first informer of a resource reports, a second one is logged and does not', () => {
    const env = fakeEnv();
    const name = new InformerNames().reserve('mine');
    const [pods, nodes, again] = [
      name.withResource('pods', env),
      name.withResource('nodes', env),
      name.withResource('pods', env),
    ];
    expect([pods.reserved, nodes.reserved, again.reserved]).toEqual([true, true, false]);
    expect([again.name, again.resource]).toEqual(['mine', 'pods']);
    expect(env.lines.map(({ level, fields }) => [level, fields])).toEqual([
      ['warn', { name: 'mine', resource: 'pods' }],
    ]);
    expect(() => name.withResource('pods')).not.toThrow();
  });

  test('MET-06, MET-07 (TestRelease): a release frees the name and all its resources, ends their reporting, and may be repeated', () => {
    const names = new InformerNames();
    const name = names.reserve('mine');
    const pods = name.withResource('pods');
    name.release();
    const env = fakeEnv();
    expect([pods.reserved, name.withResource('nodes', env).reserved]).toEqual([false, false]);
    expect(env.lines.map(({ fields }) => fields)).toEqual([{ name: 'mine', resource: 'nodes' }]);
    const next = names.reserve('mine');
    expect(next.withResource('pods').reserved).toBe(true);
    // The old holder cannot take the name from the new one.
    name.release();
    expect(() => names.reserve('mine')).toThrow(coded('INVALID_OPTION'));
  });
});
