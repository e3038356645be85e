import { expect, test } from 'vitest';
import { KubeError } from '../../../../src/core/errors.ts';
import {
  decide,
  type EndedWatch,
  type Ending,
  NO_STREAK,
  type Streak,
} from '../../../../src/informer/reflector/decide.ts';
import { expired, statusFailure, tooLarge } from '../../../../src/testing/fake-source.ts';

const system = (code: string): Error => Object.assign(new Error(code), { code });
const closed: Ending = { kind: 'closed' };
const failed = (error: unknown): Ending => ({ kind: 'failed', error });
const sent = (error: unknown): Ending => ({ kind: 'bad-event', error });
const interrupted = (
  code: 'WATCH_BUFFERED' | 'WATCH_DEAF' | 'WATCH_ENDED' | 'STALE_SERVER' | 'CONTINUITY_LOST',
): Ending => ({
  kind: 'interrupted',
  error: new KubeError(code, code),
});
const server = statusFailure(503, 'ServiceUnavailable', 'later');
const internal = statusFailure(500, 'InternalError', 'boom');

const WATCH: Omit<EndedWatch, 'ending'> = {
  livedMs: 60_000,
  heard: false,
  opened: true,
  answered: true,
  forgotten: false,
  internalRetry: 'none',
  listsWork: undefined,
  now: 1_000_000,
};

test.each<[string, Ending, Partial<EndedWatch>, Partial<Streak>, string]>([
  ['the way buffers', interrupted('WATCH_BUFFERED'), {}, {}, 'poll'],
  ['withheld events, first time', interrupted('WATCH_DEAF'), {}, {}, 'reopen'],
  ['withheld events again within 10 minutes', interrupted('WATCH_DEAF'), {}, { deafAt: 400_000 }, 'poll'],
  ['withheld events again after that', interrupted('WATCH_DEAF'), {}, { deafAt: 399_999 }, 'reopen'],
  ['withheld events again, after others', interrupted('WATCH_DEAF'), { heard: true }, { deafAt: 400_000 }, 'poll'],
  ['silent, second time', interrupted('WATCH_ENDED'), {}, { silent: 1 }, 'reopen'],
  ['silent, third time', interrupted('WATCH_ENDED'), {}, { silent: 2 }, 'poll'],
  ['silent until its history was over, second time', interrupted('WATCH_ENDED'), { forgotten: true }, { silent: 1 }, 'relist'],
  ['silent until its history was over, third time', interrupted('WATCH_ENDED'), { forgotten: true }, { silent: 2 }, 'poll'],
  ['behind, first time', interrupted('STALE_SERVER'), { answered: false }, {}, 'wait'],
  ['behind again', interrupted('STALE_SERVER'), { answered: false }, { behind: 1 }, 'relist'],
  ['behind, by its bookmark', sent(new KubeError('STALE_SERVER', '')), { answered: false }, { behind: 1 }, 'relist'],
  ['the cache differs', interrupted('CONTINUITY_LOST'), {}, {}, 'relist'],
  ['expired', failed(expired('old')), {}, {}, 'relist'],
  ['expired in the stream', sent(expired('old')), {}, {}, 'relist'],
  ['too large', failed(tooLarge('10', '5')), {}, {}, 'relist'],
  ['a version that a list cannot parse', failed(statusFailure(400, 'BadRequest', 'resourceVersion: Invalid value: "x"')), {}, {}, 'relist'],
  ['a version that a watch cannot parse', failed(statusFailure(500, '', 'resourceVersion: Invalid value: "x"')), {}, {}, 'relist'],
  ['unreadable storage', sent(statusFailure(500, 'StorageReadError', '')), {}, {}, 'relist'],
  ['429', failed(statusFailure(429, 'TooManyRequests', '')), {}, {}, 'wait'],
  ['429 in the stream', sent(statusFailure(429, 'TooManyRequests', '')), {}, {}, 'wait'],
  ['forbidden', failed(statusFailure(403, 'Forbidden', '')), {}, {}, 'throw'],
  ['closed after a while', closed, {}, {}, 'reopen'],
  ['closed at once with an event', closed, { livedMs: 0, heard: true }, { barren: 2 }, 'reopen'],
  ['closed at once, second time', closed, { livedMs: 999 }, { barren: 1 }, 'wait'],
  ['closed at once, third time', closed, { livedMs: 999 }, { barren: 2 }, 'relist'],
  ['closed, unanswered, second time', closed, { answered: false }, { unseen: 1 }, 'reopen'],
  ['closed, unanswered, third time', closed, { answered: false }, { unseen: 2 }, 'relist'],
  ['cut after 20 idle seconds', failed(system('ECONNRESET')), { livedMs: 20_000 }, {}, 'reopen'],
  ['cut after 20 idle seconds on HTTP/2', failed(system('ERR_HTTP2_STREAM_ERROR')), { livedMs: 20_000 }, {}, 'reopen'],
  ['cut after 4 idle seconds', failed(system('ECONNRESET')), { livedMs: 4_000 }, {}, 'wait'],
  ['opened and cut at once, second time', failed(system('ECONNRESET')), { livedMs: 9 }, { barren: 1 }, 'wait'],
  ['opened and cut at once, third time', failed(system('ECONNRESET')), { livedMs: 9 }, { barren: 2 }, 'relist'],
  ['cut at once, third time, and it is unknown whether it was opened', failed(system('ECONNRESET')), { livedMs: 9, opened: undefined }, { barren: 2 }, 'wait'],
  ['opened and cut for 30 s while lists work', failed(system('ECONNRESET')), { livedMs: 9, listsWork: true }, { barren: 2, failingSince: 970_000 }, 'poll'],
  ['cut at once after an event', failed(system('ECONNRESET')), { livedMs: 0, heard: true }, {}, 'reopen'],
  ['refused for 29 s while lists work', failed(system('ECONNREFUSED')), { livedMs: 0, listsWork: true }, { failingSince: 970_001 }, 'wait'],
  ['refused for 30 s while lists work', failed(system('ECONNREFUSED')), { livedMs: 0, listsWork: true }, { failingSince: 970_000 }, 'poll'],
  ['refused for an hour, lists too', failed(system('ECONNREFUSED')), { livedMs: 0, listsWork: false }, { failingSince: 0 }, 'wait'],
  ['5xx for 30 s while lists work', failed(server), { livedMs: 0, listsWork: true }, { failingSince: 970_000 }, 'poll'],
  ['TLS for 30 s while lists work', failed(new KubeError('TRANSPORT', '', { cause: system('CERT_HAS_EXPIRED') })), { livedMs: 0, listsWork: true }, { failingSince: 970_000 }, 'poll'],
  ['a gateway that gives up after a minute, forever', failed(statusFailure(504, '', 'gateway')), { listsWork: true }, { failingSince: 970_000 }, 'poll'],
  ['an internal error inside its window', sent(internal), { internalRetry: 'open' }, { barren: 2 }, 'wait'],
  ['an internal error after its window', sent(internal), { internalRetry: 'over' }, {}, 'relist'],
  ['an internal error, second time', sent(internal), {}, { barren: 1 }, 'wait'],
  ['an internal error, third time', sent(internal), {}, { barren: 2 }, 'relist'],
  ['nonsense, third time', sent(new KubeError('WATCH_DECODE', '')), {}, { barren: 2 }, 'relist'],
])('WCH-10, WCH-11: %s', (_, ending, watch, streak, next) => {
  expect(decide({ ...WATCH, ...watch, ending }, { ...NO_STREAK, ...streak }).next.do).toBe(next);
}); // prettier-ignore

test('WCH-11: a row of failures is broken by a watch that delivered, never by a response about it', () => {
  const row: Streak = { barren: 2, hasty: 0, behind: 1, unseen: 2, silent: 1, deafAt: 7, failingSince: 5 };
  const after = (heard: boolean): Streak =>
    decide({ ...WATCH, ending: failed(server), heard, answered: true }, row).streak;
  expect(after(true)).toEqual({ ...NO_STREAK, deafAt: 7, failingSince: WATCH.now });
  expect(after(false)).toEqual({ ...row, behind: 0, unseen: 0 });
});

test('G18: a stream that was open ends the time for which none could be opened', () => {
  const row = { ...NO_STREAK, failingSince: 5 };
  const cut = { ...WATCH, ending: failed(system('ECONNRESET')), livedMs: 20_000 };
  expect(decide(cut, row).streak.failingSince).toBeUndefined();
  expect(decide({ ...WATCH, ending: closed }, row).streak.failingSince).toBeUndefined();
});

test('G4, G17: lists between watches that stay silent do not break their row', () => {
  const silent = { ...WATCH, ending: interrupted('WATCH_ENDED'), forgotten: true };
  const { streak } = decide(silent, NO_STREAK);
  expect(decide({ ...silent, heard: true, onlyListed: true }, { ...streak, silent: 2 }).next.do).toBe('poll');
  expect(decide({ ...silent, heard: true }, { ...streak, silent: 2 }).next.do).toBe('relist');
  expect(streak.silent).toBe(1);
});

test('G4: lists between watches that are cut do not end the time for which watches failed', () => {
  const cut = { ...WATCH, ending: failed(system('ECONNRESET')), livedMs: 9 };
  const { next, streak } = decide(cut, { ...NO_STREAK, barren: 2, failingSince: 5 });
  expect([next.do, streak.failingSince]).toEqual(['relist', 5]);
  const listed = decide({ ...cut, heard: true, onlyListed: true }, streak);
  expect([listed.next.do, listed.streak.failingSince]).toEqual(['reopen', 5]);
  expect(decide({ ...cut, heard: true }, streak).streak.failingSince).toBeUndefined();
});

test('G22: watches that end within a second are asked for at most once a second', () => {
  const watch: EndedWatch = { ...WATCH, ending: closed, livedMs: 200, heard: true };
  let streak = NO_STREAK;
  const pauses: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    const decision = decide(watch, streak);
    streak = decision.streak;
    pauses.push(decision.next.do === 'reopen' ? decision.next.pauseMs : -1);
  }
  expect(pauses).toEqual([0, 0, 800, 800]);
});
