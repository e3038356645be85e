import { describe, expect, test } from 'vitest';
import { KubeError } from '../../../src/core/errors.ts';
import { type Applied, type Evidence, EvidenceBook } from '../../../src/informer/freshness/evidence.ts';
import { ReportedVersions } from '../../../src/informer/freshness/reported-versions.ts';
import { freshnessOf, nextFreshnessChange, freshnessStaleForMs } from '../../../src/informer/freshness/freshness.ts';

const NOTHING: Evidence = {
  provenAt: 0,
  validUntil: 70_000,
  unfinishedSince: undefined,
  contradiction: undefined,
  backlogSince: undefined,
  polling: undefined,
};
const behind = new KubeError('STALE_SERVER', 'behind');
const polling = { since: 0, error: new KubeError('WATCH_BUFFERED', 'held back'), periodMs: 5_000 };

describe('the judgement', () => {
  test.each<[string, Partial<Evidence>, number, string]>([
    ['evidence counts', {}, 70_000, 'synced'],
    ['it ran out', {}, 70_001, 'stale'],
    ['a change waits for 10 s', { backlogSince: 0 }, 10_000, 'synced'],
    ['a change waits for longer', { backlogSince: 0 }, 10_001, 'stale'],
    ['a contradiction stands', { contradiction: { since: 0, error: behind, refutedBy: 'echo' } }, 1, 'stale'],
    ['a round of polling counts', { polling, validUntil: 15_000 }, 15_000, 'polling'],
    ['no round for longer', { polling, validUntil: 15_000 }, 15_001, 'stale'],
    [
      'polling a server that is behind',
      { polling, contradiction: { since: 0, error: behind, refutedBy: 'event' } },
      1,
      'stale',
    ],
    ['an event is unfinished for 3 s', { unfinishedSince: 0 }, 3_000, 'synced'],
    ['an event is unfinished for longer', { unfinishedSince: 0 }, 3_001, 'stale'],
    ['polling where events stop in the middle', { polling, unfinishedSince: 0 }, 4_000, 'polling'],
  ])('G16, G19: %s', (_, evidence, now, kind) => {
    const all = { ...NOTHING, ...evidence };
    expect(freshnessOf(all, now).kind).toBe(kind);
    // Without any timer: nothing changes before the time it names.
    if (kind === 'synced') expect(freshnessOf(all, nextFreshnessChange(all) - 1).kind).toBe('synced');
  });

  test('G19: staleness counts from the evidence, and from the oldest change that is not applied', () => {
    expect(freshnessStaleForMs({ ...NOTHING, provenAt: 40 }, 100)).toBe(60);
    expect(freshnessStaleForMs({ ...NOTHING, provenAt: 90, backlogSince: 10 }, 100)).toBe(90);
    expect(freshnessStaleForMs({ ...NOTHING, provenAt: Number.NEGATIVE_INFINITY }, 100)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the evidence', () => {
  interface World {
    readonly book: EvidenceBook;
    readonly applied: { pending: number; resourceVersion: string };
  }
  const world = (): World => {
    const applied = { pending: 0, resourceVersion: '' };
    return { applied, book: new EvidenceBook({ applied: (): Applied => applied, onChange: () => {} }) };
  };
  const kind = ({ book }: World, now: number): string => freshnessOf(book.read(), now).kind;

  test('G17: an event counts for 71 s, and for 5 s after the end of its stream, unless the next one opens well', () => {
    const one = world();
    one.book.heard('10', 1_000, false);
    expect([kind(one, 72_000), kind(one, 72_001)]).toEqual(['synced', 'stale']);
    one.book.heard('11', 80_000, false);
    one.book.streamEnded(81_000);
    expect([kind(one, 86_000), kind(one, 86_001)]).toEqual(['synced', 'stale']);
    one.book.streamOpened('');
    // Opening shows nothing new: the event still counts for 71 s.
    expect([kind(one, 151_000), kind(one, 151_001)]).toEqual(['synced', 'stale']);
  });

  test('F81, G19: a bookmark alone does not show that the server is current; it does from a version that the server reported', () => {
    const one = world();
    one.book.heard('10', 0, false);
    one.book.heard('11', 60_000, true);
    expect([freshnessStaleForMs(one.book.read(), 60_000), kind(one, 71_001)]).toEqual([60_000, 'stale']);
    one.book.answered('20', 117_000);
    one.book.heard('19', 119_000, true);
    expect(freshnessStaleForMs(one.book.read(), 119_000)).toBe(119_000);
    one.book.heard('20', 120_000, true);
    expect([freshnessStaleForMs(one.book.read(), 120_000), kind(one, 188_000), kind(one, 188_001)]).toEqual([
      3_000,
      'synced',
      'stale',
    ]);
  });

  test('G19: a witness counts as of its request, and never overrides later evidence', () => {
    const one = world();
    one.book.witnessed(10_000);
    expect([freshnessStaleForMs(one.book.read(), 15_000), kind(one, 81_000), kind(one, 81_001)]).toEqual([
      5_000,
      'synced',
      'stale',
    ]);
    one.book.heard('10', 20_000, false);
    one.book.witnessed(15_000);
    expect(freshnessStaleForMs(one.book.read(), 20_000)).toBe(0);
  });

  test('F81, G19: a replica that got no request itself counts as of an earlier report that it has reached', () => {
    const one = world();
    one.book.answered('20', 10_000);
    one.book.answered('30', 20_000);
    one.book.reached('25');
    expect(freshnessStaleForMs(one.book.read(), 30_000)).toBe(20_000);
    // A storage that went back has another history.
    one.book.answered('5', 40_000);
    one.book.reached('35');
    expect(freshnessStaleForMs(one.book.read(), 50_000)).toBe(10_000);
  });

  test.each<[string, (book: EvidenceBook) => void]>([
    ['a witness', (book) => book.witnessed(132_000)],
    [
      'the opening and a later event',
      (book) => {
        book.streamOpened('15');
        book.heard('15', 132_000, false);
      },
    ],
  ])('G19: after a pause the cache is as old as before until it has what was missed, whatever %s shows', (_, show) => {
    const one = world();
    one.book.heard('10', 1_000, false);
    one.book.streamEnded(2_000);
    one.applied.resourceVersion = '10';
    expect(freshnessStaleForMs(one.book.read(), 2_000)).toBe(1_000);
    one.book.streamResumes(0);
    one.applied.pending = 3;
    one.book.heard('14', 131_000, false);
    show(one.book);
    expect([freshnessStaleForMs(one.book.read(), 132_000), kind(one, 132_000)]).toEqual([131_000, 'stale']);
    one.applied.pending = 0;
    one.applied.resourceVersion = '15';
    expect([freshnessStaleForMs(one.book.read(), 132_000), kind(one, 132_000)]).toEqual([0, 'synced']);
  });

  test('G19, G22: a stream that resumes has caught up when its bookmark reaches the version that the server reported after the opening', () => {
    const { book } = world();
    book.heard('10', 1_000, false);
    book.answered('12', 1_500);
    book.streamEnded(2_000);
    book.streamResumes(2_100);
    // Told before the opening: what happened since then may be missing.
    expect(book.heard('14', 62_000, true)).toBe(false);
    book.answered('20', 117_000);
    expect(book.heard('19', 119_000, true)).toBe(false);
    expect(freshnessStaleForMs(book.read(), 119_000)).toBe(118_000);
    expect(book.heard('20', 120_000, true)).toBe(true);
    expect(freshnessStaleForMs(book.read(), 120_000)).toBe(3_000);
  });

  test('G19: an event does not tell when it happened, so it does not end the catching up', () => {
    const { book } = world();
    book.heard('10', 1_000, false);
    book.streamEnded(2_000);
    book.streamResumes(2_100);
    book.answered('20', 3_000);
    expect(book.heard('21', 60_000, false)).toBe(false);
    expect(freshnessStaleForMs(book.read(), 60_000)).toBe(59_000);
  });

  test('G19: the first round of polling brings what the watches before it withheld: until the cache has that, it is as old as before', () => {
    const one = world();
    one.book.heard('10', 1_000, false);
    one.applied.resourceVersion = '10';
    one.book.poll(polling);
    one.book.heard('11', 129_000, false);
    Object.assign(one.applied, { resourceVersion: '11', pending: 3 });
    one.book.heard('14', 131_000, false);
    one.book.polled(132_000);
    expect([freshnessStaleForMs(one.book.read(), 132_000), kind(one, 132_000)]).toEqual([131_000, 'stale']);
    one.applied.pending = 0;
    one.applied.resourceVersion = '14';
    expect([freshnessStaleForMs(one.book.read(), 132_000), kind(one, 132_000)]).toEqual([0, 'polling']);
    // The next round continues from there.
    one.applied.pending = 1;
    one.book.heard('15', 135_000, false);
    one.book.polled(137_000);
    expect(freshnessStaleForMs(one.book.read(), 137_000)).toBe(2_000);
  });

  test('G19: what the stream delivers below a version that the server had does not count', () => {
    const one = world();
    one.book.heard('10', 0, false);
    one.book.streamOpened('20');
    expect(one.book.heard('15', 60_000, false)).toBe(false);
    expect([freshnessStaleForMs(one.book.read(), 60_000), kind(one, 71_001)]).toEqual([60_000, 'stale']);
    expect(one.book.heard('20', 75_000, false)).toBe(true);
    expect([freshnessStaleForMs(one.book.read(), 75_000), kind(one, 75_000)]).toEqual([0, 'synced']);
  });

  test('a list of a cached state shows nothing about now; one of the newest state counts until the stream must open', () => {
    const one = world();
    one.book.listed('10', 0, false, 100);
    expect(kind(one, 100)).toBe('stale');
    one.book.listed('11', 100, true, 200);
    expect([kind(one, 5_200), kind(one, 5_201)]).toEqual(['synced', 'stale']);
    expect(freshnessStaleForMs(one.book.read(), 300)).toBe(200);
  });

  test.each([
    ['a witness', (book: EvidenceBook): void => book.witnessed(4_000)],
    ['a list of the newest state', (book: EvidenceBook): void => book.listed('12', 4_000, true, 4_000)],
  ])(
    'F81, G17: the finding that a server cannot report its current version is refuted by %s, not by an older list',
    (_, answer) => {
      const one = world();
      one.book.heard('10', 0, false);
      one.book.contradicted(behind, 'echo', 1_000);
      one.book.heard('11', 2_000, false);
      one.book.listed('12', 2_000, false, 3_000);
      expect(kind(one, 3_000)).toBe('stale');
      answer(one.book);
      expect(kind(one, 4_000)).toBe('synced');
    },
  );

  test('G22: the answers to one informer measure the pace for all of the same resource', () => {
    const reported = new ReportedVersions();
    const books = [1, 2].map(
      () =>
        new EvidenceBook({
          applied: () => ({ pending: 0, resourceVersion: '' }),
          onChange: () => {},
          reported: () => reported,
        }),
    );
    const [asking, listening] = books as [EvidenceBook, EvidenceBook];
    for (let minute = 0; minute <= 4; minute += 1) {
      asking.answered(String(1_000 + minute * 100), minute * 60_000);
      listening.heard(String(1_000 + minute * 100), minute * 60_000 + 3_000, true);
    }
    expect(books.map(({ isSteady }) => isSteady)).toEqual([true, true]);
    listening.heard('1500', 300_000, true);
    expect(freshnessStaleForMs(listening.read(), 300_000)).toBe(0);
  });

  test('events that a stream withheld are refuted by an event, a list or a witness, not by a stream that opens well', () => {
    for (const [refute, is] of [
      [(book: EvidenceBook) => book.streamOpened(''), 'stale'],
      [(book: EvidenceBook) => book.witnessed(2_000), 'synced'],
      [(book: EvidenceBook) => book.heard('11', 2_000, false), 'synced'],
      [(book: EvidenceBook) => book.listed('11', 2_000, true, 2_000), 'synced'],
    ] as const) {
      const one = world();
      one.book.heard('10', 0, false);
      one.book.contradicted(behind, 'event', 1_000);
      refute(one.book);
      expect(kind(one, 2_000)).toBe(is);
    }
  });

  test('G19: the oldest unapplied change counts, not the newest, and reading that is paused counts too', () => {
    const one = world();
    Object.assign(one.applied, { pending: 3, resourceVersion: '9' });
    for (let second = 0; second < 20; second += 1) one.book.heard(String(10 + second), second * 1_000, false);
    expect(one.book.read().backlogSince).toBe(0);
    expect(kind(one, 20_000)).toBe('stale');
    one.applied.resourceVersion = '25';
    expect(one.book.read().backlogSince).toBe(15_000);
    one.applied.pending = 0;
    expect(one.book.read().backlogSince).toBeUndefined();
    one.book.paused(21_000);
    expect(kind(one, 31_001)).toBe('stale');
    one.book.paused(undefined);
    expect(kind(one, 31_001)).toBe('synced');
  });

  test('F64: after a suspend no evidence counts until the stream or the server confirms it', () => {
    const one = world();
    one.book.heard('10', 0, false);
    one.book.slept(25_000);
    expect(kind(one, 25_000)).toBe('stale');
    // What waited in the connection is news of the past.
    one.book.heard('11', 25_002, false);
    expect(kind(one, 25_002)).toBe('stale');
    one.book.streamOpened('11');
    one.book.heard('12', 25_003, false);
    expect(kind(one, 25_003)).toBe('synced');
  });

  test('polling: a whole round counts for two periods and 5 s, and the end of a round ends nothing', () => {
    const one = world();
    one.book.poll(polling);
    one.book.polled(1_000);
    one.book.streamEnded(1_000);
    expect([kind(one, 16_000), kind(one, 16_001)]).toEqual(['polling', 'stale']);
  });
});
