import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemEnv } from 'kube-informer/core';
import { fakeEnv } from 'kube-informer/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { startApiServer } from '../../../src/index.ts';
import { encodeLogEntry } from '../../../src/storage/durable/log-entry.ts';
import { DurableLog, type DurableLogOptions, type LogEntry } from '../../../src/storage/durable/log.ts';

const root = await mkdtemp(join(tmpdir(), 'damage-'));
afterAll(() => rm(root, { recursive: true }));
let count = 0;

const put = (revision: number, key: string, value = `value ${revision}`): LogEntry => ({ revision, op: 'put', key, value: Buffer.from(value) }); // prettier-ignore
const RECORDS: readonly LogEntry[] = [
  put(1, 'a', 'first'),
  { revision: 2, op: 'delete', key: 'a', value: Buffer.alloc(0) },
  put(3, 'b', ''),
  put(4, 'ü', 'x'.repeat(40)),
];
const SIZES = RECORDS.map((record) => encodeLogEntry(record).reduce((sum, { length }) => sum + length, 0));
/** Bytes before each record. */
const STARTS = SIZES.map((_, at) => SIZES.slice(0, at).reduce((sum, size) => sum + size, 8));

/** A new directory that holds logs of these bytes. */
async function rig(...logs: readonly Uint8Array[]) {
  const dir = join(root, String((count += 1)));
  await mkdir(dir, { mode: 0o700 });
  const path = (generation: number): string => join(dir, `log-0000000${generation}`);
  for (const [at, bytes] of logs.entries()) await writeFile(path(at + 1), bytes);
  const look = async (options: DurableLogOptions = {}): Promise<(string | number)[]> => {
    const found: number[] = [];
    const env = { ...systemEnv, log: () => {} };
    const log = await DurableLog.open(dir, ({ revision }) => void found.push(revision), { env, ...options });
    await log.close();
    return found;
  };
  return { dir, path, look, files: async () => (await readdir(dir)).filter((name) => name !== 'lock').toSorted() };
}

async function logOf(records: readonly LogEntry[]): Promise<Buffer> {
  const { dir, path } = await rig();
  await using log = await DurableLog.open(dir, () => {});
  log.append(records);
  await log.flush();
  return readFile(path(1));
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 0x40, at);
  return copy;
}

describe('a damaged log', () => {
  test('S127: a changed byte in any record but the last is refused by file, record and byte, and nothing is changed', async () => {
    const bytes = await logOf(RECORDS);
    const last = STARTS.at(-1) ?? 0;
    for (let at = 8; at < last; at += 1) {
      const damaged = flipped(bytes, at);
      const { look, path, files } = await rig(damaged);
      const record = STARTS.filter((start) => start <= at).length;
      await expect(look(), `byte ${at}`).rejects.toMatchObject({
        code: 'ILLEGAL_STATE',
        message: expect.stringContaining(
          `${path(1)} is damaged: record ${record}, at byte ${STARTS[record - 1]}, cannot be read, and ${4 - record} readable records follow it`,
        ),
      });
      expect(await files()).toEqual(['log-00000001']);
      expect((await readFile(path(1))).equals(damaged), `byte ${at}`).toBe(true);
    }
  });

  test('S127: a last record that is complete and wrong is damage, one that is cut off is not', async () => {
    const bytes = await logOf(RECORDS);
    const last = STARTS.at(-1) ?? 0;
    for (let at = last + 4; at < bytes.length; at += 1)
      await expect((await rig(flipped(bytes, at))).look(), `byte ${at}`).rejects.toThrow('record 4, at byte');
    for (let at = last; at < bytes.length; at += 1)
      expect(await (await rig(bytes.subarray(0, at))).look(), `cut at ${at}`).toEqual([1, 2, 3]);
  });

  test('S127: blocks that never reached the disk are the work of a crash', async () => {
    const bytes = await logOf([...RECORDS, put(5, 'large', 'x'.repeat(4096))]);
    const { look } = await rig(Buffer.concat([bytes.subarray(0, bytes.length - 1000), Buffer.alloc(1000)]));
    expect(await look()).toEqual([1, 2, 3, 4]);
    const hole = Buffer.from(bytes);
    hole.fill(0, bytes.length - 2000, bytes.length - 1000);
    expect(await (await rig(hole)).look()).toEqual([1, 2, 3, 4]);
  });

  test('S127: an older log that is cut off was whole when the next one was made: it is refused', async () => {
    const bytes = await logOf(RECORDS);
    const { look, path } = await rig(bytes.subarray(0, -1), await logOf([put(5, 'c')]));
    await expect(look()).rejects.toThrow(`${path(1)} is damaged: record 4`);
    const empty = await rig(Buffer.alloc(0), await logOf([put(5, 'c')]));
    await expect(empty.look()).rejects.toThrow(`${empty.path(1)} is damaged: record 1`);
  });

  test('S127: a repair keeps what comes before the damage, sets the files aside, and is not needed again', async () => {
    const bytes = flipped(await logOf(RECORDS), (STARTS[2] ?? 0) + 10);
    const second = await logOf([put(5, 'c')]);
    const { dir, look, path, files } = await rig(bytes, second);
    await writeFile(`${path(1)}.damaged`, 'of an earlier repair');
    const env = fakeEnv();
    expect(await look({ repair: true, env })).toEqual([1, 2]);
    expect(env.lines).toMatchObject([{ level: 'warn', fields: { setAside: [`${path(1)}.damaged-2`, `${path(2)}.damaged`] } }]);
    expect(await files()).toEqual(['log-00000001', 'log-00000001.damaged', 'log-00000001.damaged-2', 'log-00000002.damaged']);
    expect((await readFile(`${path(1)}.damaged-2`)).equals(bytes)).toBe(true);
    expect((await readFile(`${path(2)}.damaged`)).equals(second)).toBe(true);
    expect(await readFile(`${path(1)}.damaged`, 'utf8')).toBe('of an earlier repair');
    expect(await look()).toEqual([1, 2]);
    await using log = await DurableLog.open(dir, () => {});
    log.append([put(9, 'new')]);
    await log.close();
    expect(await look()).toEqual([1, 2, 9]);
  }); // prettier-ignore

  test('S127: a repair of what is not damaged changes nothing', async () => {
    const { look, files } = await rig(await logOf(RECORDS));
    expect(await look({ repair: true })).toEqual([1, 2, 3, 4]);
    expect(await files()).toEqual(['log-00000001']);
  });
});

test('S127: a server refuses a damaged directory and names the option that repairs it; with that option it starts', async () => {
  const data = join(root, 'server');
  const start = (repairData?: boolean) => startApiServer({ tls: false, data, ...(repairData === undefined ? {} : { repairData }) }); // prettier-ignore
  const log = join(data, 'log-00000001');
  const create = (server: Awaited<ReturnType<typeof start>>, name: string): void =>
    void server.local.create('', 'configmaps', { metadata: { name, namespace: 'default' }, data: { key: 'CANARY' } });
  {
    await using server = await start();
    for (const name of ['before', 'damaged', 'after']) create(server, name);
  }
  const bytes = await readFile(log);
  await writeFile(log, flipped(bytes, bytes.indexOf('"damaged"')));
  const refusal: unknown = await start().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'ILLEGAL_STATE', message: expect.stringContaining('repairData') });
  expect(String(refusal)).toContain(log);
  expect(String(refusal)).not.toContain('CANARY');
  await using server = await start(true);
  const names = server.local.list('', 'configmaps').map(({ metadata }) => metadata?.name);
  expect(names).toContain('before');
  expect(names).not.toContain('damaged');
  expect(names).not.toContain('after');
});
