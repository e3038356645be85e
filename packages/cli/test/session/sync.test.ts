import type { ClusterInformer, KubeObject } from 'kube-informer';
import { KubeError } from 'kube-informer/core';
import type { ProblemReason } from 'kube-informer/informer';
import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { untilSessionSynced } from '../../src/session/session-sync.ts';

const starting = (reason: ProblemReason, error: Error): ClusterInformer<KubeObject> =>
  ({ hasSynced: false, state: { kind: 'starting', problem: { since: 0, reason, error } } }) as never;

test.each<ProblemReason>(['forbidden', 'unauthorized', 'not-found', 'tls', 'credentials'])(
  'a command does not wait when the reason is %s',
  async (reason) => {
    const error = new KubeError('TRANSPORT', 'no');
    const waited = untilSessionSynced(starting(reason, error), fakeEnv(), new AbortController().signal);
    await expect(waited).rejects.toBe(error);
  },
);

test.each<ProblemReason>(['unreachable', 'buffered', 'stale-server'])(
  'a command waits when the reason is %s',
  async (reason) => {
    const env = fakeEnv();
    const stop = new AbortController();
    const waited = untilSessionSynced(starting(reason, new KubeError('TRANSPORT', 'no')), env, stop.signal);
    await env.clock.advance(10_000);
    stop.abort();
    await expect(waited).resolves.toBeUndefined();
  },
);
