import { describe, expect, test } from 'vitest';
import {
  doubtAboutStream,
  judgeStreamAnswer,
  type SeenStream,
  type StreamAnswer,
  streamSilentInMs,
} from '../../../src/informer/freshness/stream-doubt.ts';

/** A stream that was opened some minutes ago and has just proved itself. */
const SEEN: SeenStream = {
  isPaused: false,
  hasSlept: false,
  openForMs: 200_000,
  isUnconfirmed: false,
  lacksResponse: false,
  unfinishedMs: undefined,
  unprovenMs: 2_000,
  sinceBookmarkMs: 20_000,
  endsInMs: 100_000,
  sinceAskedMs: Number.POSITIVE_INFINITY,
  sinceEventsMs: [],
  isSteady: false,
  sendsBookmarks: true,
  isBookmarkBehind: false,
  needsAnswer: false,
};
/** A bookmark is due in 3 s, and nothing arrived since the last one. */
const NEAR = { sinceBookmarkMs: 57_000, unprovenMs: 60_000 };

describe('doubts about an open stream', () => {
  test.each<[string, Partial<SeenStream>, string | undefined]>([
    ['it has just proved itself', {}, undefined],
    ['reading is paused, whatever else', { isPaused: true, hasSlept: true, unprovenMs: 1e9, needsAnswer: true }, undefined],
    ['the process did not run', { hasSlept: true, isUnconfirmed: true, unprovenMs: 1e9 }, 'slept'],
    ['just opened', { openForMs: 998, isUnconfirmed: true, lacksResponse: true }, undefined],
    ['opened a second ago, by a clock of fractions', { openForMs: 999, isUnconfirmed: true }, 'opening'],
    ['opened a second ago, and confirmed', { openForMs: 1_000 }, undefined],
    ['unconfirmed for so long that it is silent, too', { isUnconfirmed: true, unprovenMs: 1e9 }, 'opening'],
    ['no response for less than 3 s', { openForMs: 2_999, lacksResponse: true }, undefined],
    ['no response for 3 s', { openForMs: 3_000, lacksResponse: true }, 'headers'],
    ['unfinished for less than 3 s', { unfinishedMs: 2_999 }, undefined],
    ['unfinished for 3 s', { unfinishedMs: 3_000, unprovenMs: 1e9 }, 'unfinished'],
    ['nothing proved for less than 64 s', { unprovenMs: 62_998 }, undefined],
    ['nothing proved for 64 s', { unprovenMs: 63_999 }, 'silent'],
    ['64 s, and the next bookmark will prove itself', { unprovenMs: 64_000, sinceBookmarkMs: 59_000, isSteady: true }, undefined],
    ['68.5 s, and the next bookmark would have proved itself', { unprovenMs: 68_500, sinceBookmarkMs: 64_000, isSteady: true }, 'silent'],
    ['64 s, and the last bookmark has not proved itself', { unprovenMs: 64_000, sinceBookmarkMs: 4_000, isSteady: true }, 'silent'],
    ['64 s, and no bookmark has ever come', { unprovenMs: 64_000, sinceBookmarkMs: 59_000, isSteady: true, sendsBookmarks: false }, 'silent'],
    ['the server could not tell its version', { needsAnswer: true }, 'silent'],
    ['a bookmark below what the server told', { isBookmarkBehind: true }, 'silent'],
    ['a bookmark is near', NEAR, 'quiet'],
    ['a bookmark is near, by a clock of fractions', { ...NEAR, sinceBookmarkMs: 56_999 }, 'quiet'],
    ['a bookmark is not near yet', { ...NEAR, sinceBookmarkMs: 56_998 }, undefined],
    ['it should have come already', { sinceBookmarkMs: 64_000, unprovenMs: 60_000 }, undefined],
    ['64 s, and the next bookmark was asked about', { unprovenMs: 64_000, sinceBookmarkMs: 59_000, sinceAskedMs: 2_000 }, undefined],
    ['64 s, and it was asked about, and did not come', { unprovenMs: 64_000, sinceBookmarkMs: 64_000, sinceAskedMs: 7_000 }, 'silent'],
    ['the last bookmark is near', { unprovenMs: 40_000, endsInMs: 4_501 }, 'quiet'],
    ['the last bookmark is not near yet', { unprovenMs: 40_000, endsInMs: 4_502 }, undefined],
    ['the last bookmark may have come', { unprovenMs: 40_000, endsInMs: 3_000 }, undefined],
    ['the last bookmark will date itself', { unprovenMs: 40_000, endsInMs: 4_000, isSteady: true }, undefined],
    ['what is known lasts until the first one of the next watch', { unprovenMs: 6_999, endsInMs: 4_000 }, undefined],
    ['it will date itself', { ...NEAR, isSteady: true }, undefined],
    ['it was asked about', { ...NEAR, sinceAskedMs: 6_999 }, undefined],
    ['it was asked about the one before', { ...NEAR, sinceAskedMs: 7_000 }, 'quiet'],
    ['what is known lasts until the one after it', { ...NEAR, unprovenMs: 6_999 }, undefined],
    ['three events, the last in the last half minute', { ...NEAR, unprovenMs: 29_999, sinceEventsMs: [29_999, 30_000, 119_999] }, undefined],
    ['three events, the last half a minute ago', { ...NEAR, unprovenMs: 30_000, sinceEventsMs: [30_000, 31_000, 32_000] }, 'quiet'],
    ['three events, the first two minutes ago', { ...NEAR, unprovenMs: 10_000, sinceEventsMs: [10_000, 20_000, 120_000] }, 'quiet'],
    ['two events', { ...NEAR, unprovenMs: 10_000, sinceEventsMs: [10_000, 20_000] }, 'quiet'],
    ['an answer came in the last half minute', { ...NEAR, unprovenMs: 29_999 }, 'quiet'],
  ])('G17: %s', (_, seen, doubt) => {
    expect(doubtAboutStream({ ...SEEN, ...seen })).toBe(doubt);
  }); // prettier-ignore

  test('G17: the time that is left until a stream counts as silent', () => {
    expect(streamSilentInMs({ ...SEEN, unprovenMs: 60_000 })).toBe(4_000);
    expect(streamSilentInMs({ ...SEEN, unprovenMs: 60_000, sinceBookmarkMs: 50_000, isSteady: true })).toBe(8_500);
    expect(streamSilentInMs({ ...SEEN, unprovenMs: 60_000, sinceBookmarkMs: 49_999, isSteady: true })).toBe(4_000);
  });
});

const ANSWER: StreamAnswer = {
  doubt: 'silent',
  kind: 'current',
  isCutOff: false,
  tries: 0,
  openForMs: 200_000,
  isOpened: true,
  isTrusted: false,
  sendsBookmarks: true,
};

describe('what follows the answer to a doubt', () => {
  test.each<[string, Partial<StreamAnswer>, string]>([
    ['guilty', { kind: 'guilty', isTrusted: true }, 'leave-guilty'],
    ['nothing is newer', {}, 'proved'],
    ['moved on, after the opening', { kind: 'moved', doubt: 'opening' }, 'opened'],
    ['moved on, after the opening, and the source cannot tell', { kind: 'moved', doubt: 'opening', isOpened: undefined }, 'opened'],
    ['moved on, after the opening, and no response', { kind: 'moved', doubt: 'opening', isOpened: false }, 'go-on'],
    ['moved on, before a bookmark', { kind: 'moved', doubt: 'quiet' }, 'go-on'],
    ['undecided, no bookmark so far', { kind: 'undecided', tries: 9, sendsBookmarks: false }, 'missed-bookmark'],
    ['undecided, first time', { kind: 'undecided', tries: 1 }, 'ask-again'],
    ['undecided, second time, a young stream', { kind: 'undecided', tries: 2, openForMs: 63_999 }, 'ask-again'],
    ['undecided, second time', { kind: 'undecided', tries: 2, openForMs: 64_000 }, 'leave-silent'],
    ['failed, first time', { kind: 'failed', tries: 1, isOpened: false }, 'ask-again'],
    ['failed, second time, no response', { kind: 'failed', tries: 2, isOpened: false, isCutOff: true, isTrusted: true }, 'leave-unopened'],
    ['cut off from the storage, first time', { kind: 'failed', tries: 1, isCutOff: true }, 'cut-off'],
    ['cut off from the storage, again', { kind: 'failed', tries: 2, isCutOff: true }, 'cut-off'],
    ['failed, second time', { kind: 'failed', tries: 2 }, 'leave-unanswered'],
    ['failed, second time, and the source cannot tell', { kind: 'failed', tries: 2, isOpened: undefined }, 'leave-unanswered'],
    ['failed, second time, and the stream delivers', { kind: 'failed', tries: 2, isTrusted: true }, 'ask-again'],
  ])('G17: %s', (_, answer, after) => {
    expect(judgeStreamAnswer({ ...ANSWER, ...answer })).toBe(after);
  }); // prettier-ignore
});
