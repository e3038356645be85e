import { expect, test } from 'vitest';
import { KubeError } from '../../../../src/core/errors.ts';
import { judgePollRound, type PollRound } from '../../../../src/informer/reflector/polling.ts';
import { type FailedWatchList, judgeFailedWatchList } from '../../../../src/informer/reflector/watch-list.ts';
import { expired, statusFailure, tooLarge } from '../../../../src/testing/fake-source.ts';

const system = (code: string): Error => Object.assign(new Error(code), { code });
const LIST: Omit<FailedWatchList, 'error'> = { tries: 1, isOverdue: false, accepted: 0, askedFor: '10' };

test.each<[string, unknown, Partial<FailedWatchList>, string]>([
  ['the way buffers', new KubeError('WATCH_BUFFERED', ''), { isOverdue: true }, 'poll'],
  ['refused', system('ECONNREFUSED'), { tries: 9 }, 'patient'],
  ['429', statusFailure(429, 'TooManyRequests', ''), { tries: 9 }, 'patient'],
  ['expired', expired('old'), {}, 'newest'],
  ['expired although the newest was asked for', expired('old'), { askedFor: '' }, 'list'],
  ['too large', tooLarge('10', '5'), {}, 'newest'],
  ['too large although the newest was asked for', tooLarge('', '5'), { askedFor: '' }, 'list'],
  ['a version that cannot be parsed', statusFailure(400, 'BadRequest', 'resourceVersion: Invalid value: "x"'), {}, 'newest'],
  ['older than asked for', new KubeError('STALE_SERVER', ''), {}, 'newest'],
  ['no marker in time', new KubeError('WATCH_LIST', ''), { isOverdue: true }, 'list-for-good'],
  ['422', statusFailure(422, 'Invalid', ''), {}, 'list-for-good'],
  ['400', statusFailure(400, 'BadRequest', ''), {}, 'list-for-good'],
  ['ended without its marker, second time', new KubeError('WATCH_LIST', ''), { tries: 2 }, 'again'],
  ['ended without its marker, third time', new KubeError('WATCH_LIST', ''), { tries: 3 }, 'list-for-good'],
  ['cut after some events, second time', system('ECONNRESET'), { accepted: 5, tries: 2 }, 'again'],
  ['cut after some events, third time', system('ECONNRESET'), { accepted: 5, tries: 3 }, 'list'],
  ['cut before any', system('ECONNRESET'), {}, 'list'],
  ['5xx', statusFailure(503, 'ServiceUnavailable', ''), {}, 'list'],
])('WLS-11: after a streaming list: %s', (_, error, list, next) => {
  expect(judgeFailedWatchList({ ...LIST, ...list, error })).toBe(next);
}); // prettier-ignore

const ROUND: PollRound = { sendsBookmarks: true, roundsBehind: 0, unreachedMs: 5_000, periodMs: 5_000 };

test.each<[string, Partial<PollRound>, string]>([
  ['all was shown', {}, 'counts'],
  ['all was shown at the time of the last question', { unreachedMs: 55_000 }, 'counts'],
  ['the next answer is due', { unreachedMs: 55_001 }, 'open'],
  ['it has been due for two rounds', { unreachedMs: 70_001 }, 'behind'],
  ['with a longer period, questions are rarer', { unreachedMs: 110_000, periodMs: 10_000 }, 'counts'],
  ['the first round below the version of the server', { roundsBehind: 1 }, 'counts'],
  ['the second round below it', { roundsBehind: 2 }, 'behind'],
  ['no bookmarks: no version is shown', { sendsBookmarks: false, roundsBehind: 9, unreachedMs: 1e9 }, 'counts'],
])('G19: a round of polling: %s', (_, round, verdict) => {
  expect(judgePollRound({ ...ROUND, ...round })).toBe(verdict);
});
