import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { fakeEnv } from 'kube-informer/testing';
import type { KubeObject } from 'kube-informer';
import { describe, expect, test } from 'vitest';
import { CacheTracker } from '../../src/caches/cache-tracker.ts';
import { EventStreams } from '../../src/server/event-streams.ts';
import { History } from '../../src/history/inspector-history.ts';
import { IndexMask } from '../../src/mask/index-mask.ts';
import { Mask } from '../../src/mask/mask.ts';
import type { ChangesMessage, Overview, RowsMessage } from '../../src/protocol/messages.ts';
import { RowFeed } from '../../src/summaries/row-feed.ts';
import { parseRowQuery } from '../../src/summaries/row-query.ts';
import { configMap, fakeCache, follow, rig } from '../rigs/inspector.ts';

const thing = (name: string, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { namespace: 'default', name, labels },
});

/** A client that reads on demand only. */
class SlowResponse extends EventEmitter {
  readonly written: string[] = [];
  writableLength = 0;
  destroyed = false;

  write(text: string): boolean {
    this.written.push(text);
    this.writableLength += text.length;
    return true;
  }

  read(): void {
    this.writableLength = 0;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  end(): void {
    this.emit('close');
  }

  events(): readonly string[] {
    return this.written.map((text) => /^event: (\w+)/.exec(text)?.[1] ?? '');
  }
}

async function slowRig(objects: readonly KubeObject[], overview = (): Overview => ({ at: 0 }) as Overview) {
  const env = fakeEnv();
  const { source, informer, cache } = await fakeCache(objects);
  const tracker = new CacheTracker(() => [cache], env, new History());
  const streams = new EventStreams({ env, tracker, overview, maxBytes: 10_000 });
  const [record] = tracker.refresh();
  if (record === undefined) throw new Error('no cache');
  const response = new SlowResponse();
  const feed = new RowFeed({
    record,
    query: parseRowQuery(new URLSearchParams('cache=v1/things')),
    mask: new Mask(),
    indexMask: new IndexMask(new Mask()),
    env,
  });
  streams.open(response as unknown as ServerResponse, feed);
  const last = <T>(event: string): T => {
    const text = response.written.findLast((one) => one.startsWith(`event: ${event}\n`)) ?? '';
    return JSON.parse(text.slice(text.indexOf('data: ') + 6)) as T;
  };
  const arrived = async (): Promise<void> => {
    await expect.poll(() => informer.store.resourceVersion, { timeout: 30_000 }).toBe(source.resourceVersion);
    await expect.poll(() => informer.health().handlers.map(({ pending }) => pending), { timeout: 30_000 }).toEqual([0]);
  };
  return { env, source, streams, response, tracker, last, arrived };
}

describe('live messages', () => {
  test('S48: the seventeenth page is refused, and accepted when another one closes', async () => {
    const whole = await rig();
    const pages = [];
    for (let i = 0; i < 16; i += 1) pages.push(await follow(whole));
    expect(pages.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
    const refused = await whole.ask('/api/stream');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    await pages[15]?.until('overview');
    pages[3]?.close();
    await expect.poll(async () => (await follow(whole)).status, { timeout: 30_000 }).toBe(200);
  });

  test('S48: the buffer of a client that does not read is bounded, and the client then gets a new snapshot', async () => {
    const { env, source, response, last, arrived } = await slowRig([thing('first')]);
    await env.clock.advance(100);
    expect(response.events()).toEqual(['overview', 'rows']);
    response.writableLength = 10_001;
    const before = response.written.length;
    for (let i = 0; i < 300; i += 1) source.create(thing(`more-${i}`));
    await arrived();
    await env.clock.advance(5_000);
    expect(response.written).toHaveLength(before);
    response.read();
    await env.clock.advance(200);
    expect(response.events().slice(before)).toEqual(['overview', 'rows']);
    expect(last<RowsMessage>('rows').matching).toBe(301);
  });

  test('S48: too many changes become one new snapshot', async () => {
    const { env, source, response, last, arrived } = await slowRig([]);
    await env.clock.advance(100);
    for (let i = 0; i < 2_500; i += 1) source.create(thing(`many-${i}`));
    await arrived();
    await env.clock.advance(300);
    expect(response.events()).not.toContain('changes');
    expect(last<RowsMessage>('rows').matching).toBe(2_500);
  });

  test('S48: a client that reads nothing for a minute is disconnected', async () => {
    const { env, response, streams } = await slowRig([]);
    await env.clock.advance(100);
    response.writableLength = 10_001;
    await env.clock.advance(59_000);
    expect([response.destroyed, streams.size]).toEqual([false, 1]);
    await env.clock.advance(3_000);
    expect([response.destroyed, streams.size]).toEqual([true, 0]);
    await env.clock.advance(1_000);
    expect(env.clock.sleeping).toBe(0);
  });

  test('changes are sent as rows; objects that are deleted or no longer match are sent as gone', async () => {
    const whole = await rig();
    const { server, cluster } = whole;
    const make = (name: string, labels: object): ReturnType<typeof server.local.create> =>
      server.local.create('', 'configmaps', configMap(name, {}, { labels }));
    const one = make('one', { app: 'web' });
    make('other', { app: 'db' });
    await cluster.informer('v1/configmaps').synced({ timeoutMs: 30_000 });
    const page = await follow(whole, 'cache=v1/configmaps&labels=app%3Dweb');
    const rows = await page.until<RowsMessage>('rows');
    expect(rows).toMatchObject({ matching: 1, rows: [{ key: 'default/one', labels: 'app=web', status: '0 keys' }] });
    make('two', { app: 'web' });
    const added = await page.until<ChangesMessage>('changes', ({ matching }) => matching === 2);
    expect(added).toMatchObject({ gone: [], rows: [{ key: 'default/two', changedAt: expect.any(Number) }] });
    server.local.update('', 'configmaps', { ...one, metadata: { ...one.metadata, labels: { app: 'db' } } });
    expect(await page.until<ChangesMessage>('changes', ({ gone }) => gone.includes('default/one'))).toMatchObject({ matching: 1 });
    server.local.remove('', 'configmaps', 'default', 'two');
    expect(await page.until<ChangesMessage>('changes', ({ gone }) => gone.includes('default/two'))).toMatchObject({ matching: 0 });
  }); // prettier-ignore

  test('an invalid selector is reported, and the stream continues', async () => {
    const whole = await rig();
    await whole.cluster.informer('v1/configmaps').synced({ timeoutMs: 30_000 });
    const page = await follow(whole, 'cache=v1/configmaps&labels=app+in+%28');
    expect(await page.until('problem')).toMatchObject({ error: expect.stringMatching(/selector/) });
    await page.until('overview');
    expect(page.messages.some(({ event }) => event === 'rows')).toBe(false);
  });

  test('a cache opened later is shown, and a closed one is removed', async () => {
    const whole = await rig();
    const page = await follow(whole);
    await page.until<Overview>('overview', ({ caches }) => caches.length === 0);
    const nodes = whole.cluster.informer('v1/nodes');
    await page.until<Overview>('overview', ({ caches }) => caches.some(({ id, state }) => id === 'v1/nodes' && state === 'synced'));
    await nodes[Symbol.asyncDispose]();
    const since = page.messages.length;
    await expect.poll(() => page.messages.slice(since).some(({ event, data }) => event === 'overview' && (data as Overview).caches.length === 0), { timeout: 30_000 }).toBe(true);
  }); // prettier-ignore
});

describe('what cannot be shown', () => {
  test('S114: a failure closes the page it is for, and does not end the inspected process', async () => {
    const unhandled: unknown[] = [];
    const catchIt = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', catchIt);
    try {
      const { response } = await slowRig([thing('a')], () => {
        throw new Error('a getter of the process failed');
      });
      await expect.poll(() => response.destroyed, { timeout: 30_000 }).toBe(true);
      await turnOfTheLoop(); // Node tells of a rejection after the turn it happened in
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', catchIt);
    }
  });

  test('S114: an object with anything in place of its labels is a row like any other', async () => {
    const odd = [null, 'text', 5, [1], { a: 5, b: null }].map(
      (labels, at) =>
        ({ apiVersion: 'v1', kind: 'Thing', metadata: { namespace: 'default', name: `odd-${at}`, labels } }) as unknown as KubeObject,
    ); // prettier-ignore
    const { last, response } = await slowRig([...odd, thing('good', { app: 'x' })]);
    await expect.poll(() => response.events(), { timeout: 30_000 }).toContain('rows');
    const { rows } = last<RowsMessage>('rows');
    expect(rows.map(({ name, labels }) => `${name} ${labels}`)).toEqual([
      'good app=x',
      'odd-0 ',
      'odd-1 ',
      'odd-2 ',
      'odd-3 ',
      'odd-4 a=5  b=null',
    ]);
  });
});
