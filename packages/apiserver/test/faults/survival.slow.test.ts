import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, systemEnv } from 'kube-informer/core';
import { expect, test } from 'vitest';
import { type FaultRule, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { CONFIG_MAPS, configMap, open, watchPath } from '../rig/stream-client.ts';

/** Every action in every form, and headers that one protocol or the other does not have. */
const ACTIONS: readonly unknown[] = [
  ...['rst', 'fin', 'goaway', 'rst-stream'].map((cut) => ({ cut, code: 8 })),
  { end: true },
  { goaway: true },
  ...[true, 'deaf'].map((silence) => ({ silence })),
  { hang: 'headers' },
  { delay: { ms: 1, jitterMs: 1 } },
  { hold: true },
  { throttle: { bytesPerSecond: 1_000_000, chunk: 7 } },
  { split: 3 },
  { merge: { ms: 1 } },
  ...[200, 302, 429, 599].map((status) => ({ status })),
  { status: { code: 503, form: 'html', retryAfterSeconds: 1, retryAfterDate: true, continue: true } },
  { status: { code: 503, headers: { connection: 'close', 'transfer-encoding': 'chunked', upgrade: 'h2c' } } },
  { headers: { connection: 'keep-alive', 'transfer-encoding': 'chunked', 'content-length': '5', date: null } },
  { headers: { 'content-type': null, 'set-cookie': 'a=b', trailer: 'x' } },
  { requestHeaders: { accept: 'nonsense', 'accept-encoding': null, authorization: null, 'content-length': '-1' } },
  { query: { watch: null, limit: 'x', resourceVersion: '-1', continue: 'nonsense' } },
  { body: () => undefined },
  { body: () => 1n },
  ...['duplicate-item', 'missing-item', 'no-resource-version'].map((list) => ({ list })),
  { replay: 1000 },
  { duplicate: 2, as: 'ADDED' },
  ...['bookmarks', 'end-bookmark', 'events'].map((drop) => ({ drop })),
  ...['expired', 'not-a-status'].map((error) => ({ error })),
  { error: { any: 'thing' } },
  ...['truncated-json', 'html', 'empty', 'bom', 'unknown-type', 'long-content-length', 'corrupt-gzip'].map(
    (garbage) => ({ garbage }),
  ),
  { reorder: true },
  { bookmarksBehind: 3 },
  { inject: {} },
];

const PLACES: readonly unknown[] = [
  undefined,
  'start',
  'head',
  'bookmark',
  'end-bookmark',
  'end',
  'write',
  { event: 0 },
  { event: 1 },
  { event: [1, 2], offset: 'mid-utf8' },
  { event: 1, offset: 1_000_000 },
  { bytes: 0 },
  { bytes: [1, 50] },
  { ms: 1 },
  { object: 'default/a' },
];

test.each([
  ['HTTP/1.1', false],
  ['HTTP/2', true],
])('over %s, no accepted rule stops the server', { timeout: 240_000 }, async (_title, http2) => {
  await using server = await startApiServer({ env: { ...systemEnv, log: () => {} } });
  let taken = 0;
  for (const action of ACTIONS)
    for (const at of PLACES) {
      const rule = { do: action, illegal: true, times: Infinity, ...(at === undefined ? {} : { at }) };
      const session = http2 ? connect(server.url, { ca: server.ca ?? '' }) : undefined;
      session?.on('error', () => {});
      const one = { http2, ...(session === undefined ? {} : { session }) };
      const before = open(server, watchPath(server, '&allowWatchBookmarks=true'), one);
      try {
        server.faults.add(rule as FaultRule);
        taken += 1;
        const body = JSON.stringify(configMap('a', String(taken)));
        const streams = [
          open(server, watchPath(server, '&timeoutSeconds=1'), one),
          open(server, CONFIG_MAPS, one),
          open(server, CONFIG_MAPS, { ...one, method: 'POST', body }),
        ];
        for (let turn = 0; turn < 3; turn += 1) {
          await sleep(2);
          if (at !== 'write') server.load([configMap('a', `${taken} ${turn}`), configMap('b', `${taken} ${turn}`)]);
        }
        server.faults.clear();
        for (const stream of streams) stream.close();
      } catch (error) {
        if (!hasCode(error, 'INVALID_OPTION')) throw error;
      }
      before.close();
      session?.destroy();
    }
  expect(taken).toBeGreaterThan(200);
  expect((await ask(server, 'GET', CONFIG_MAPS)).body.items.length).toBeGreaterThan(0);
});
