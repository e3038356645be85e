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
    book.streamResumes(0);
    book.streamOpened('20');
    expect([now, kindAt(now)]).toEqual([now, now <= 71_000 ? 'synced' : 'stale']);
  }
  book.heard('20', 81_000, false);
  expect(kindAt(81_000)).toBe('synced');
});
