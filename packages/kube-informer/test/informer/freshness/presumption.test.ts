import { expect, test } from 'vitest';
import { EvidenceBook } from '../../../src/informer/freshness/evidence.ts';
import { freshnessOf } from '../../../src/informer/freshness/freshness.ts';

test('G17, G19: streams that are cut before they show anything do not add up to evidence, however well they open', () => {
  const book = new EvidenceBook({
    applied: () => ({ pending: 0, resourceVersion: '' }),
    onChange: () => {},
  });
  const kindAt = (now: number): string => freshnessOf(book.read(), now).kind;
  book.heard('10', 0, false);
  for (let now = 20_000; now <= 80_000; now += 20_000) {
    book.streamEnded(now - 1_000);
    book.streamResumes();
    book.streamOpened('20');
    expect([now, kindAt(now)]).toEqual([now, now <= 69_000 ? 'synced' : 'stale']);
  }
  book.heard('20', 81_000, false);
  expect(kindAt(81_000)).toBe('synced');
});

test('G17, F81: a server that cannot tell its version is in doubt until it lists its newest state; an older list says nothing', () => {
  const book = new EvidenceBook({ applied: () => ({ pending: 0, resourceVersion: '30' }), onChange: () => {} });
  const kindAt = (now: number): string => freshnessOf(book.read(), now).kind;
  book.listed('10', 0, true, 0);
  book.contradicted(new Error('no answer'), 'echo', 1_000);
  book.heard('20', 1_500, false);
  book.listed('20', 2_000, false, 2_000);
  expect(kindAt(2_000)).toBe('stale');
  book.listed('30', 3_000, true, 3_000);
  expect(kindAt(3_000)).toBe('synced');
});
