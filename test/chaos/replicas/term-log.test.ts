import { expect, test } from 'vitest';
import { differences, orphans, type Site, strandedByRestore } from './sites.ts';
import { TermLog } from './term-log.ts';

const term = (replica: string, acquiredAt: number, transitions: number) => ({ replica, acquiredAt, transitions });
const write = (replica: string, at: number) => ({ replica, at, what: 'PATCH a' });

test('X03: a write that is sent after another replica took the lease is found, and one that is sent before is not', () => {
  const log = new TermLog();
  log.held(term('one', 1_000, 0));
  log.held(term('one', 1_000, 0));
  log.sent(write('one', 1_500));
  log.held(term('two', 20_000, 1));
  log.sent(write('two', 20_100));
  log.sent(write('one', 19_999));
  expect([log.terms, log.violations()]).toEqual([2, []]);
  log.sent(write('one', 20_050));
  log.sent(write('three', 20_200));
  log.sent(write('one', 500));
  expect(log.violations()).toEqual([
    'one sent PATCH a without the lease: two took the lease 50 ms before',
    'three sent PATCH a without the lease: two took the lease 200 ms before',
    'one sent PATCH a without the lease: nobody held the lease',
  ]);
});

test('X03: while a storage is restored, the holder of the lease is unknown', () => {
  const log = new TermLog();
  log.held(term('one', 1_000, 0));
  const done = log.restoring(5_000);
  log.sent(write('two', 6_000));
  done(8_000);
  expect(log.violations()).toEqual([]);
  log.sent(write('two', 8_001));
  expect(log.violations()).toHaveLength(1);
});

test('X03: copies too few, too many and wrong, a status and a deletion that are not done are differences', () => {
  const site = (name: string, metadata: object = {}, observedGeneration = 1): Site => ({
    metadata: { name, generation: 1, ...metadata },
    spec: { message: 'm', copies: 1 },
    status: { conditions: [{ observedGeneration }] },
  });
  const copy = (name: string, message = 'm', metadata: object = {}) => ({
    metadata: { name, ...metadata },
    data: { message },
  });
  const outside = ['a', 'b', 'c'].map((name) => copy(`${name}-outside`));
  expect(differences([site('a')], [copy('a-0'), copy('a-outside'), copy('kube-root-ca.crt')])).toEqual([]);
  const all = [site('a'), site('b', {}, 0), site('c', { deletionTimestamp: 'now' })];
  expect(differences(all, [copy('a-0', 'x'), copy('a-1'), copy('c-0'), ...outside.slice(1)])).toEqual([
    'site b is not reported',
    'site c is not deleted',
    'a-0 is x, not m',
    'a-1 is left over',
    'a-outside is missing',
    'b-0 is missing',
  ]);
  const owned = (uid: string) => copy(uid, 'm', { ownerReferences: [{ uid }] });
  expect(orphans([owned('u1'), owned('u2'), copy('a-outside')], [site('a', { uid: 'u1' })])).toEqual([owned('u2')]);
});

test('X03: only a copy outside that was made while a storage was restored, and whose site is gone, is not a difference', () => {
  const log = new TermLog();
  const at = Date.parse('2026-01-01T00:00:10Z');
  log.restoring(at)(at + 5_000);
  const copy = (name: string, creationTimestamp: string) => ({ metadata: { name, creationTimestamp } });
  const during = '2026-01-01T00:00:12Z';
  const copies = [
    copy('gone-outside', during),
    copy('gone-0', during),
    copy('there-outside', during),
    copy('early-outside', '2026-01-01T00:00:08Z'),
    copy('late-outside', '2026-01-01T00:00:15Z'),
  ];
  const there = { metadata: { name: 'there' }, spec: { message: 'm', copies: 0 } } as Site;
  const stranded = strandedByRestore(copies, [there], (when) => log.isUncertain(when));
  expect(stranded.map(({ metadata }) => metadata?.name)).toEqual(['gone-outside']);
});
