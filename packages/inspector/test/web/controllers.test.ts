import { describe, expect, test } from 'vitest';
import type { ControllerSummary, OperatorSummary, RunDetail } from '../../src/protocol/controller-messages.ts';
import { controllersHeadline } from '../../web/parts/controllers-headline.ts';
import { laneSteps } from '../../web/parts/lane-steps.ts';

const run = (given: Partial<RunDetail>): RunDetail => ({
  outcome: 'success', tone: 'good', events: [], queuedAt: undefined, startedAt: undefined, endedAt: undefined, attempt: 1, error: '',
  request: '', writes: [], ...given,
}); // prettier-ignore

const texts = (given: Partial<RunDetail>, now = 100_000): string[] =>
  laneSteps(run(given), now).map(({ kind, offset, text }) => `${offset} ${kind} ${text}`);

describe('CTR-53: the steps of a run', () => {
  test('event, queued, run, write, echo, in the order of time', () => {
    const writes = [
      { at: 10_020, answeredAt: 10_025, what: 'apply batch/v1/jobs db/a-1', version: '7', echoedAt: 10_032 },
      { at: 10_040, answeredAt: 10_040, what: 'delete v1/pods db/b', version: '', echoedAt: undefined },
    ];
    const events = [{ at: 9_000, reason: 'created' }, { at: 10_001, reason: 'owned(v1/pods db/b)' }]; // prettier-ignore
    expect(texts({ events, queuedAt: 9_998, startedAt: 10_000, endedAt: 10_045, attempt: 2, writes })).toEqual([
      '−1.0s event created',
      '−2ms queued in line for 2ms',
      '0 run ran for 45ms, attempt 2',
      '+1ms event owned(v1/pods db/b)',
      '+20ms write apply batch/v1/jobs db/a-1, answered after 5ms: version 7',
      '+32ms echo apply batch/v1/jobs db/a-1: in the cache 12ms later',
      '+40ms write delete v1/pods db/b, answered after 0ms',
    ]);
  });

  test('clocks that differ by a millisecond do not turn cause and effect around', () => {
    const events = [{ at: 9_999.4, reason: 'led' }];
    expect(texts({ events, queuedAt: 9_998.9, startedAt: 10_000, endedAt: 10_045 }).map((text) => text.split(' ')[1])).toEqual(['event', 'queued', 'run']);
    expect(texts({ events, queuedAt: 10_000.7, startedAt: 10_000, endedAt: 10_045 }).map((text) => text.split(' ')[1])).toEqual(['event', 'queued', 'run']);
  }); // prettier-ignore

  test('a run that has not ended, or not begun', () => {
    expect(texts({ outcome: 'running', startedAt: 98_000, queuedAt: 98_000, request: 'get v1/pods a' })).toEqual([
      '0 queued in line for 0ms',
      '0 run running for 2.0s; last request: get v1/pods a',
    ]);
    expect(texts({ outcome: 'waiting', queuedAt: 112_000 })).toEqual(['+12s queued due in 12s']);
    expect(texts({ outcome: 'ready', queuedAt: 99_000 })).toEqual(['−1.0s queued in line for 1.0s']);
    expect(texts({ outcome: 'stale', queuedAt: 99_000 })).toEqual(['−1.0s queued held until the caches have what the last run wrote']); // prettier-ignore
  });
});

const controller = (given: Partial<ControllerSummary> = {}): ControllerSummary => ({
  name: 'maps', resource: 'v1/configmaps', state: 'leading', tone: 'good', reason: '', ready: 0, waiting: 0, stale: 0, running: 0,
  hung: 0, workers: 4, runs: 0, failures: 0, lastFailure: undefined, keys: [], ...given,
}); // prettier-ignore

const operator = (id: string, state: string, leader = '', given: Partial<ControllerSummary> = {}): OperatorSummary => ({
  id, state, tone: 'plain', leader, since: undefined, steps: [], controllers: [controller(given)],
}); // prettier-ignore

describe('the headline of the controllers', () => {
  test.each([
    [[], 'plain', 'This process runs no controllers'],
    [[operator('operator 1', 'leading')], 'good', '1 controller at work'],
    [[operator('a', 'leading'), operator('b', 'standby', 'a')], 'good', 'a leads, 1 replica ready to take over'],
    [[operator('a', 'ended'), operator('b', 'leading'), operator('c', 'standby', 'b')], 'good', 'b leads, 1 replica ready to take over'],
    [[operator('a', 'standby', 'a'), operator('b', 'standby', 'a')], 'warn', 'No leader, 2 replicas waiting for the lease'],
    [[operator('a', 'ended'), operator('b', 'standby', 'a')], 'warn', 'No leader, 1 replica waiting for the lease'],
    [[operator('a', 'standby', 'pod-7')], 'warn', 'pod-7 leads; it is not in this process'],
    [[operator('a', 'starting')], 'warn', 'The controllers are starting or stopping'],
    [[operator('a', 'leading', '', { hung: 2 })], 'bad', '2 runs ignored the signal to stop'],
    [[operator('a', 'leading', '', { state: 'parked', reason: 'the server does not serve x' })], 'warn', 'maps waits: the server does not serve x'],
  ] as const)('%# %s', (operators, tone, text) => {
    expect(controllersHeadline(operators)).toEqual({ tone, text });
  }); // prettier-ignore
});
