import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { linkedAbort, untilAborted } from '../../../src/core/async/abort.ts';
import { settle } from '../../../src/testing/fake-clock.ts';

interface Rig {
  readonly parent: AbortController;
  /** Work that ends when told. */
  readonly work: Promise<string>;
  readonly finish: (value: string) => void;
  readonly fail: (error: unknown) => void;
  readonly listeners: () => number;
}

function rig(): Rig {
  const parent = new AbortController();
  let finish: (value: string) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const work = new Promise<string>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  return { parent, work, finish, fail, listeners: () => getEventListeners(parent.signal, 'abort').length };
}

describe('untilAborted', () => {
  test('settles like the work, and takes its listener off either way', async () => {
    const good = rig();
    const result = untilAborted(good.work, good.parent.signal, 'list');
    expect(good.listeners()).toBe(1);
    good.finish('done');
    await expect(result).resolves.toBe('done');
    expect(good.listeners()).toBe(0);

    const bad = rig();
    const failed = untilAborted(bad.work, bad.parent.signal, 'list');
    const bug = new Error('no');
    bad.fail(bug);
    await expect(failed).rejects.toBe(bug);
    expect(bad.listeners()).toBe(0);
  });

  test('REF-07: rejects ABORTED at once, with the reason as its cause; what comes late is ignored', async () => {
    const { parent, work, finish, listeners } = rig();
    const result = untilAborted(work, parent.signal, 'list');
    const reason = new Error('stop');
    parent.abort(reason);
    await expect(result).rejects.toMatchObject({ code: 'ABORTED', message: 'list was aborted', cause: reason });
    finish('late');
    await settle();
    expect(listeners()).toBe(0);
  });

  test('REF-07: a late failure, and one of work that nothing awaits, is not an unhandled rejection', async () => {
    const late = rig();
    const result = untilAborted(late.work, late.parent.signal, 'list');
    late.parent.abort();
    await expect(result).rejects.toMatchObject({ code: 'ABORTED' });
    late.fail(new Error('late'));
    const never = rig();
    never.parent.abort();
    await expect(untilAborted(never.work, never.parent.signal, 'probe')).rejects.toMatchObject({ code: 'ABORTED' });
    never.fail(new Error('late'));
    await settle();
    expect(never.listeners()).toBe(0);
  });

  test('after fifty waits on one signal it has no listener', async () => {
    const { parent, listeners } = rig();
    for (let i = 0; i < 50; i += 1) await untilAborted(Promise.resolve(i), parent.signal, 'x');
    expect(listeners()).toBe(0);
  });
});

describe('linkedAbort', () => {
  test('follows its parent, with the reason', () => {
    const { parent, listeners } = rig();
    const child = linkedAbort(parent.signal);
    expect(child.signal.aborted).toBe(false);
    parent.abort('stop');
    expect(child.signal).toMatchObject({ aborted: true, reason: 'stop' });
    expect(listeners()).toBe(0);
  });

  test('a parent that is already aborted', () => {
    const { parent, listeners } = rig();
    parent.abort('stop');
    expect(linkedAbort(parent.signal).signal.reason).toBe('stop');
    expect(listeners()).toBe(0);
  });

  test('aborts on its own, leaves the parent alone and takes itself off it', () => {
    const { parent, listeners } = rig();
    const child = linkedAbort(parent.signal);
    child.abort('mine');
    child.abort('again');
    expect(child.signal.reason).toBe('mine');
    expect(parent.signal.aborted).toBe(false);
    expect(listeners()).toBe(0);
  });

  test('disposed, it follows no longer', () => {
    const { parent, listeners } = rig();
    const child = linkedAbort(parent.signal);
    child[Symbol.dispose]();
    expect(listeners()).toBe(0);
    parent.abort();
    expect(child.signal.aborted).toBe(false);
  });
});
