import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { RequestLog, type RequestEntry } from '../../src/http/request-log.ts';

const entry = (id: number): RequestEntry => ({
  id,
  time: 0,
  verb: 'get',
  path: '/',
  query: '',
  user: 'u',
  userAgent: 'a',
  status: 200,
  bytes: 0,
});

test('the last requests are kept, as many as asked for', () => {
  const log = new RequestLog(3);
  for (let id = 1; id <= 10; id += 1) log.add(entry(id));
  expect(log.entries().map(({ id }) => id)).toEqual([8, 9, 10]);
});

test('a log of no requests holds none, however many there are', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const log = new RequestLog(0);
  const added = Array.from({ length: 100 }, (_, id) => {
    const one = entry(id);
    log.add(one);
    return new WeakRef(one);
  });
  await new Promise((resolve) => void setImmediate(resolve)); // a WeakRef holds its object until the turn ends
  collect();
  expect([log.entries(), added.filter((one) => one.deref() !== undefined)]).toEqual([[], []]);
});
