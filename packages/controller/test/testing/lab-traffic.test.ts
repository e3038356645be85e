import type { Transport, TransportRequest } from 'kube-informer/client';
import { expect, test } from 'vitest';
import { Traffic } from '../../src/testing/lab-traffic.ts';

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1);
  yield new Uint8Array(1);
}

const transport: Transport = {
  send: () => Promise.resolve({ status: 200, headers: new Map(), body: bytes() }),
  close: () => Promise.resolve(),
};

const request = (signal: AbortSignal, longLived = false): TransportRequest => ({
  method: 'GET',
  path: '/',
  headers: {},
  signal,
  longLived,
});

test('a request is over when its body was read, left, or never read because the call was aborted; each counts once', async () => {
  const traffic = new Traffic();
  const counted = traffic.counted(transport);
  const abort = new AbortController();
  const read = await counted.send(request(abort.signal));
  expect(traffic.count).toBe(1);
  for await (const part of read.body) expect(part).toHaveLength(1);
  expect(traffic.count).toBe(0);
  const left = await counted.send(request(abort.signal));
  for await (const _ of left.body) break;
  expect(traffic.count).toBe(0);
  await counted.send(request(abort.signal));
  expect(traffic.count).toBe(1);
  abort.abort();
  expect(traffic.count).toBe(0);
  await counted.send(request(abort.signal));
  await counted.send(request(new AbortController().signal, true));
  expect([traffic.count, traffic.total]).toEqual([0, 5]);
});
