import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { systemEnv } from 'kube-informer/core';
import { FakeClock, fakeEnv } from 'kube-informer/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { bundlePrograms } from '../../../../../tools/build/bundle-programs.ts';
import { decodeLogEntry, encodeLogEntry } from '../../../src/storage/durable/log-entry.ts';
import { DurableLog, type DurableLogOptions, type LogEntry } from '../../../src/storage/durable/log.ts';

const root = await mkdtemp(join(tmpdir(), 'durable-'));
afterAll(() => rm(root, { recursive: true }));
let count = 0;

const put = (revision: number, key: string, value = `value ${revision}`): LogEntry => ({
  revision,
  op: 'put',
  key,
  value: Buffer.from(value),
});
const remove = (revision: number, key: string): LogEntry => ({ revision, op: 'delete', key, value: Buffer.alloc(0) });

/** A new directory, and functions to use it. */
function rig(dir = join(root, String((count += 1)))) {
  const quiet = { ...systemEnv, log: () => {} };
  const open_ = async (options: DurableLogOptions = {}): Promise<{ log: DurableLog; found: string[] }> => {
    const found: string[] = [];
    const log = await DurableLog.open(dir, (record) => void found.push(show(record)), { env: quiet, ...options });
    return { log, found };
  };
  /** Opens the log, reads it and closes it. */
  const look = async (options: DurableLogOptions = {}): Promise<{ found: string[]; revision: number; droppedBytes: number; entries: number }> => {
    const { log, found } = await open_(options);
    await log.close();
    const { revision, droppedBytes, entries } = log.recovery;
    return { found, revision, droppedBytes, entries };
  }; // prettier-ignore
  return {
    dir,
    open: open_,
    look,
    files: async () => (await readdir(dir)).filter((name) => name !== 'lock').toSorted(),
    path: (name: string) => join(dir, name),
  };
}

const show = ({ revision, op, key, value }: LogEntry): string =>
  `${revision} ${op} ${key}${op === 'put' ? ` ${Buffer.from(value).toString()}` : ''}`;

describe('what is appended', () => {
  test('is there again after a restart, in order, with every byte', async () => {
    const { open, look } = rig();
    const { log, found } = await open();
    expect(found).toEqual([]);
    log.append([put(1, 'pods/ä/ü', '{"a":1}'), put(2, 'b')]);
    log.append([remove(3, 'b'), put(4, '', '')]);
    await log.close();
    expect(await look()).toEqual({
      found: ['1 put pods/ä/ü {"a":1}', '2 put b value 2', '3 delete b', '4 put  '],
      revision: 4,
      entries: 4,
      droppedBytes: 0,
    });
  });

  test('is added after the existing entries', async () => {
    const { open, look } = rig();
    for (let revision = 1; revision <= 3; revision += 1) {
      const { log } = await open();
      log.append([put(revision, 'k')]);
      await log.close();
    }
    expect((await look()).found).toEqual(['1 put k value 1', '2 put k value 2', '3 put k value 3']);
  });

  test('may be larger than a read chunk, and is returned as its own buffer', async () => {
    const { dir, open } = rig();
    const large = Buffer.alloc(5 << 20, 'x');
    const { log } = await open();
    log.append([put(1, 'small'), { ...put(2, 'large'), value: large }, put(3, 'small')]);
    await log.close();
    const values: Uint8Array[] = [];
    const again = await DurableLog.open(dir, ({ value }) => void values.push(value));
    await again.close();
    expect(values.map(({ length }) => length)).toEqual([7, 5 << 20, 7]);
    expect(Buffer.from(values[1] as Uint8Array).equals(large)).toBe(true);
    expect(new Set(values.map(({ buffer }) => buffer)).size).toBeGreaterThan(1);
  });

  test('is in the file when flush resolves, also while more is appended', async () => {
    const { open, path } = rig();
    const { log } = await open();
    let isBusy = true;
    const busy = (async () => {
      for (let revision = 2; isBusy; revision += 1) {
        log.append([put(revision, 'noise')]);
        await systemEnv.yield();
      }
    })();
    log.append([put(1, 'signal')]);
    await log.flush();
    const bytes = await readFile(path('log-00000001'));
    isBusy = false;
    await busy;
    await log.close();
    expect(bytes.includes('signal')).toBe(true);
  });

  test('right after a flush is not lost', async () => {
    const { open, look } = rig();
    const { log } = await open();
    for (let revision = 1; revision <= 50; revision += 1) {
      log.append([put(revision, 'k')]);
      await log.flush();
    }
    await log.close();
    expect((await look()).entries).toBe(50);
  });

  test('in one turn of the event loop is written with one call', async () => {
    const { open, path } = rig();
    let turns = 0;
    const env = { ...systemEnv, yield: () => ((turns += 1), systemEnv.yield()) };
    const { log } = await open({ env });
    const before = (await stat(path('log-00000001'))).size;
    for (let revision = 1; revision <= 20; revision += 1) log.append([put(revision, 'k')]);
    expect(log.pendingBytes).toBeGreaterThan(20 * 21);
    // Not awaited: the bytes are written in the next turn.
    expect(statSync(path('log-00000001')).size).toBe(before);
    await log.flush();
    expect(turns).toBe(1);
    expect(log.pendingBytes).toBe(0);
    await log.close();
  });

  test('after close is refused', async () => {
    const { open } = rig();
    const { log } = await open();
    await log.close();
    await log.close();
    expect(() => log.append([put(1, 'k')])).toThrow('the log is closed');
    expect(() => log.snapshot([], 1)).toThrow('the log is closed');
  });
});

describe('a log that was cut off', () => {
  const RECORDS = [put(1, 'a', 'first'), remove(2, 'a'), put(3, 'b', ''), put(4, 'ü', 'x'.repeat(40))];
  const SIZES = RECORDS.map((record) => encodeLogEntry(record).reduce((sum, { length }) => sum + length, 0));

  test('at any byte returns the complete records before it and accepts new ones after them', async () => {
    const original = rig();
    const { log } = await original.open();
    log.append(RECORDS);
    await log.close();
    const bytes = await readFile(original.path('log-00000001'));
    for (let at = 0; at <= bytes.length; at += 1) {
      const { dir, open, look, path } = rig();
      await mkdir(dir);
      await writeFile(path('log-00000001'), bytes.subarray(0, at));
      let end = 8;
      const whole = SIZES.filter((size) => (end += size) <= at).length;
      const { log: again, found } = await open({ fsync: 'none' });
      expect(found, `cut at ${at}`).toEqual(RECORDS.slice(0, whole).map(show));
      again.append([put(9, 'new')]);
      await again.close();
      expect((await look({ fsync: 'none' })).found, `cut at ${at}`).toEqual([
        ...RECORDS.slice(0, whole).map(show),
        '9 put new value 9',
      ]);
    }
  });

  test('is repaired with a warning that says how much is lost', async () => {
    const { dir, open, path } = rig();
    const { log } = await open();
    log.append([put(1, 'k')]);
    await log.close();
    await appendFile(path('log-00000001'), Buffer.from([1, 2, 3]));
    const env = fakeEnv();
    const { log: again } = await open({ env });
    await again.close();
    expect(env.lines).toEqual([
      {
        level: 'warn',
        message: 'the last entry of the log was not written completely and was removed',
        fields: { dir, droppedBytes: 3 },
      },
    ]);
  });

  test.each([
    ['zeros', Buffer.alloc(4096)],
    ['a length without end', Buffer.from([0xff, 0xff, 0xff, 0x3f, 1, 2, 3, 4, 5, 6, 7, 8])],
    ['a length of nothing', Buffer.from([0, 0, 0, 0, 0x1c, 0xdf, 0x44, 0x21])],
  ])('%s at the end are dropped', async (_what, tail) => {
    const { open, look, path } = rig();
    const { log } = await open();
    log.append([put(1, 'k')]);
    await log.close();
    await appendFile(path('log-00000001'), tail);
    expect(await look()).toMatchObject({ found: ['1 put k value 1'], droppedBytes: tail.length });
    expect(await look()).toMatchObject({ found: ['1 put k value 1'], droppedBytes: 0 });
  });

  test('a file of another program is not changed', async () => {
    const { dir, look, path } = rig();
    await mkdir(dir);
    await writeFile(path('log-00000001'), 'dear diary');
    await expect(look()).rejects.toThrow('is not a log of this server');
    expect(await readFile(path('log-00000001'), 'utf8')).toBe('dear diary');
  });
});

describe('a snapshot', () => {
  const stateOf = (...entries: LogEntry[]) => entries.map(({ op: _op, ...rest }) => rest);

  test('replaces the log; what is appended meanwhile and later comes after it', async () => {
    const { open, look, files } = rig();
    const { log } = await open();
    log.append([put(1, 'a'), put(2, 'b'), remove(3, 'a')]);
    const written = log.snapshot(stateOf(put(2, 'b')), 3);
    log.append([put(4, 'c')]);
    await written;
    log.append([put(5, 'd')]);
    await log.close();
    expect(await files()).toEqual(['log-00000002', 'snapshot-00000002']);
    expect((await look()).found).toEqual(['2 put b value 2', '4 put c value 4', '5 put d value 5']);
  });

  test('remembers the revision of changes that left nothing behind', async () => {
    const { open, look } = rig();
    const { log } = await open();
    log.append([put(1, 'a'), remove(70, 'a')]);
    await log.snapshot([], 70);
    await log.close();
    expect(await look()).toMatchObject({ found: [], revision: 70 });
  });

  test('takes the state at the moment of the call', async () => {
    const { open, look } = rig();
    const { log } = await open();
    const state = stateOf(put(1, 'a'));
    const written = log.snapshot(state, 1);
    state.push(...stateOf(put(2, 'b')));
    await written;
    await log.close();
    expect((await look()).found).toEqual(['1 put a value 1']);
  });

  test('is requested once the log is longer than the limit and than the last snapshot', async () => {
    const { open } = rig();
    const { log } = await open({ snapshotAfterBytes: 1000 });
    const large = (revision: number): LogEntry => put(revision, 'k', 'x'.repeat(2000));
    expect(log.needsSnapshot).toBe(false);
    log.append([large(1)]);
    await log.flush();
    expect(log.needsSnapshot).toBe(true);
    await log.snapshot(stateOf(large(1)), 1);
    expect(log.needsSnapshot).toBe(false);
    expect(log.logBytes).toBe(0);
    log.append([put(2, 'k', 'y'.repeat(1500))]);
    await log.flush();
    expect(log.needsSnapshot).toBe(false);
    log.append([put(3, 'k', 'y'.repeat(1500))]);
    await log.flush();
    expect(log.needsSnapshot).toBe(true);
    await log.close();
  });

  test('that was not finished is ignored: both logs are read', async () => {
    const { open, look, files, path } = rig();
    const { log } = await open();
    log.append([put(1, 'a')]);
    const written = log.snapshot(stateOf(put(1, 'a')), 1);
    log.append([put(2, 'b')]);
    await written;
    await log.close();
    // As if the process had ended before the snapshot got its name.
    const logTwo = await readFile(path('log-00000002'));
    const before = rig();
    const first = await before.open();
    first.log.append([put(1, 'a')]);
    await first.log.close();
    await writeFile(before.path('log-00000002'), logTwo);
    await writeFile(before.path('snapshot-00000002.part'), (await readFile(path('snapshot-00000002'))).subarray(0, 20));
    expect((await before.look()).found).toEqual(['1 put a value 1', '2 put b value 2']);
    expect(await before.files()).toEqual(['log-00000001', 'log-00000002']);
    expect(await files()).toEqual(['log-00000002', 'snapshot-00000002']);
    expect((await look()).found).toEqual(['1 put a value 1', '2 put b value 2']);
  });

  test('makes older files superfluous, also when the process ended before it could remove them', async () => {
    const { open, look, files, path } = rig();
    const { log } = await open();
    log.append([put(1, 'a')]);
    await log.flush();
    const old = await readFile(path('log-00000001'));
    await log.snapshot(stateOf(put(1, 'a')), 1);
    await log.close();
    await writeFile(path('log-00000001'), old);
    expect((await look()).found).toEqual(['1 put a value 1']);
    expect(await files()).toEqual(['log-00000002', 'snapshot-00000002']);
  });

  test('that is damaged is a reason not to start, and nothing is removed', async () => {
    const { open, look, files, path } = rig();
    const { log } = await open();
    await log.snapshot(stateOf(put(1, 'a'), put(2, 'b')), 2);
    await log.close();
    const bytes = await readFile(path('snapshot-00000002'));
    // Without its last entry all other entries are complete, but the snapshot is not.
    for (const at of [0, 8, 20, bytes.length - 21, bytes.length - 1]) {
      await writeFile(path('snapshot-00000002'), bytes.subarray(0, at));
      await expect(look(), `cut at ${at}`).rejects.toThrow('is damaged');
    }
    await writeFile(path('snapshot-00000002'), bytes);
    expect((await look()).found).toHaveLength(2);
    expect(await files()).toEqual(['log-00000002', 'snapshot-00000002']);
  });

  test.each([1, 2])('that is missing is a reason not to start: after %i', async (snapshots) => {
    const { open, look, path, files } = rig();
    const { log } = await open();
    for (let at = 1; at <= snapshots; at += 1) await log.snapshot(stateOf(put(1, 'a')), 1);
    await log.close();
    await rm(path(`snapshot-0000000${snapshots + 1}`));
    await expect(look()).rejects.toThrow(/log-00000001 is missing; restore the directory from a copy/);
    expect(await files()).toEqual([`log-0000000${snapshots + 1}`]);
  });

  test('a second one that is requested meanwhile is the first one', async () => {
    const { open, files } = rig();
    const { log } = await open();
    const [one, two] = [log.snapshot([], 1), log.snapshot([], 1)];
    expect(one).toBe(two);
    await one;
    await log.snapshot([], 1);
    await log.close();
    expect(await files()).toEqual(['log-00000003', 'snapshot-00000003']);
  });
});

test('any workload with snapshots and restarts ends with the state of a map', async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), key: fc.constantFrom('a', 'b', 'c'), value: fc.string() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key: fc.constantFrom('a', 'b', 'c') }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('flush' as const, 'snapshot' as const, 'restart' as const) }) },
  ); // prettier-ignore
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { dir } = rig();
      const model = new Map<string, { revision: number; value: string }>();
      let revision = 0;
      const start = async (): Promise<DurableLog> => {
        const state = new Map<string, { revision: number; value: string }>();
        const log = await DurableLog.open(
          dir,
          (record) => {
            const { key, value } = record;
            if (record.op === 'delete') state.delete(key);
            else state.set(key, { revision: record.revision, value: Buffer.from(value).toString() });
          },
          { fsync: 'none' },
        );
        expect(state).toEqual(model);
        expect(log.recovery).toMatchObject({ revision, droppedBytes: 0 });
        return log;
      };
      let log = await start();
      for (const one of steps) {
        if (one.do === 'put') {
          const value = Buffer.from(one.value).toString();
          model.set(one.key, { revision: (revision += 1), value });
          log.append([put(revision, one.key, value)]);
        } else if (one.do === 'delete') {
          model.delete(one.key);
          log.append([remove((revision += 1), one.key)]);
        } else if (one.do === 'flush') await log.flush();
        else if (one.do === 'snapshot')
          void log.snapshot(
            [...model].map(([key, { revision: at, value }]) => ({ key, revision: at, value: Buffer.from(value) })),
            revision,
          );
        else {
          await log.close();
          log = await start();
        }
      }
      await log.close();
      await (await start()).close();
    }),
    { numRuns: 40 },
  );
});

describe('fsync', () => {
  /** Counts the syncs of every file, through the prototype of file handles. */
  async function counted(work: () => Promise<void>): Promise<number> {
    const handle = await open(root, 'r');
    const prototype = Object.getPrototypeOf(handle) as { datasync: () => Promise<void> };
    await handle.close();
    const original = prototype.datasync;
    let syncs = 0;
    prototype.datasync = function datasync(this: unknown) {
      syncs += 1;
      return original.call(this);
    };
    try {
      await work();
    } finally {
      prototype.datasync = original;
    }
    return syncs;
  }

  test('always: after every flush', async () => {
    const { log } = await rig().open({ fsync: 'always' });
    const syncs = await counted(async () => {
      for (let revision = 1; revision <= 3; revision += 1) {
        log.append([put(revision, 'k')]);
        await log.flush();
      }
    });
    expect(syncs).toBe(3);
    await log.close();
  });

  test('interval: once the time is over, and at the end', async () => {
    const clock = new FakeClock();
    const { log } = await rig().open({ fsync: 'interval', fsyncIntervalMs: 500, env: fakeEnv({ clock }) });
    const writeTwice = async (): Promise<void> => {
      log.append([put(1, 'k')]);
      await log.flush();
      log.append([put(2, 'k')]);
      await log.flush();
    };
    expect(await counted(writeTwice)).toBe(0);
    expect(await counted(() => clock.advance(499))).toBe(0);
    expect(await counted(() => clock.advance(1))).toBe(1);
    expect(await counted(() => clock.advance(5000))).toBe(0);
    await writeTwice();
    expect(await counted(() => log.close())).toBeGreaterThan(0);
    expect(clock.sleeping).toBe(0);
  });

  test('none: never', async () => {
    const { log } = await rig().open({ fsync: 'none' });
    const syncs = await counted(async () => {
      log.append([put(1, 'k')]);
      await log.flush();
      await log.close();
    });
    expect(syncs).toBe(0);
  });
});

test('a write that fails rejects all pending calls and ends the log', async () => {
  const { open: openLog, look } = rig();
  const env = fakeEnv();
  const { log } = await openLog({ env });
  log.append([put(1, 'k')]);
  await log.flush();
  const handle = await open(root, 'r');
  const prototype = Object.getPrototypeOf(handle) as { write: (...args: unknown[]) => Promise<unknown> };
  await handle.close();
  const original = prototype.write;
  // Half of the bytes arrive, then the disk is full.
  let calls = 0;
  prototype.write = function write(this: unknown, ...args: unknown[]) {
    calls += 1;
    if (calls > 1) return Promise.reject(new Error('ENOSPC'));
    return original.call(this, args[0], args[1], Math.floor((args[2] as number) / 2), args[3]);
  };
  try {
    log.append([put(2, 'k')]);
    const waiting = [log.flush(), log.snapshot([], 1)];
    for (const each of await Promise.allSettled(waiting))
      expect(each).toMatchObject({
        status: 'rejected',
        reason: { code: 'ILLEGAL_STATE', cause: { message: 'ENOSPC' } },
      });
  } finally {
    prototype.write = original;
  }
  log.append([put(3, 'k')]);
  await expect(log.flush()).rejects.toThrow('can no longer be written');
  expect(log.pendingBytes).toBe(0);
  await expect(log.close()).rejects.toThrow('can no longer be written');
  expect(env.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  expect(await look()).toMatchObject({ found: ['1 put k value 1'], droppedBytes: 0 });
});

describe('a directory', () => {
  test('has one owner at a time, also within one process', async () => {
    const { open, dir } = rig();
    const { log } = await open();
    await expect(open()).rejects.toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(dir) });
    await log.close();
    await (await open()).log.close();
  });

  test('is unlocked when its content was refused', async () => {
    const { dir, look, path } = rig();
    await mkdir(dir);
    await writeFile(path('log-00000001'), 'something else');
    await expect(look()).rejects.toThrow('not a log');
    await rm(path('log-00000001'));
    expect((await look()).found).toEqual([]);
    expect(await readdir(dir)).toEqual(['log-00000001']);
  });

  test('of a living process is refused, with the file to delete if the process is another program', async () => {
    const { dir, open, path } = rig();
    await mkdir(dir);
    await writeFile(path('lock'), `${process.ppid}\n`);
    await expect(open()).rejects.toThrow(
      `the data directory ${dir} is in use by process ${process.ppid}; if that process is no server of yours, delete ${path('lock')}`,
    );
  });

  test.each([
    ['a process that has ended', async () => String(await endedPid())],
    ['an earlier process with our own number', () => Promise.resolve(String(process.pid))],
    ['a process that ended before it wrote its number', () => Promise.resolve('')],
  ])('of %s is taken over', async (_who, pid) => {
    const { dir, open, path } = rig();
    await mkdir(dir);
    await writeFile(path('lock'), await pid());
    const { log } = await open();
    expect(Number.parseInt(await readFile(path('lock'), 'utf8'), 10)).toBe(process.pid);
    await log.close();
    expect(await readdir(dir)).not.toContain('lock');
  });

  test('and its files are for the owner only', async () => {
    const { dir, open, path } = rig();
    const { log } = await open();
    await log.snapshot([], 1);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    for (const name of ['lock', 'log-00000002', 'snapshot-00000002'])
      expect((await stat(path(name))).mode & 0o777, name).toBe(0o600);
    await log.close();
  });
});

async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid as number;
}

test('kill -9 in the middle of the work loses nothing that was flushed', async () => {
  const { dir, look } = rig();
  const entry = 'packages/apiserver/test/rig/programs/write-for-ever.ts';
  const program = (await bundlePrograms([entry])).path(entry);
  const child = spawn(process.execPath, [program, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  let flushed = 0;
  await new Promise<void>((resolve, reject) => {
    let text = '';
    child.once('exit', (code) => (flushed === 0 ? reject(new Error(`the writer ended with ${code}`)) : resolve()));
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      flushed = Number(lines.at(-1) ?? flushed);
      // Late enough for several snapshots to have been replaced.
      if (flushed > 3000) child.kill('SIGKILL');
    });
  });
  const { found, revision } = await look();
  expect(revision).toBeGreaterThanOrEqual(flushed);
  // The writer changes ten keys in turn, so the state consists of the last ten revisions.
  const state = new Map<string, number>();
  for (const text of found) state.set(text.split(' ')[2] as string, Number(text.split(' ')[0]));
  expect([...state.values()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, i) => revision - 9 + i));
});

test('an entry with any content reads back as it was written', () => {
  fc.assert(
    fc.property(
      fc.nat(Number.MAX_SAFE_INTEGER),
      fc.string({ unit: 'grapheme' }),
      fc.uint8Array(),
      fc.uint8Array(),
      (revision, key, value, noise) => {
        const bytes = Buffer.concat(encodeLogEntry({ revision, op: 'put', key, value }));
        const decoded = decodeLogEntry(Buffer.concat([noise, bytes, noise]), noise.length);
        expect(decoded).toMatchObject({ bytes: bytes.length, entry: { revision, op: 'put', key } });
        const entry = typeof decoded === 'object' && 'value' in decoded.entry ? decoded.entry.value : undefined;
        expect(Buffer.from(entry ?? []).equals(value)).toBe(true);
      },
    ),
  );
});
