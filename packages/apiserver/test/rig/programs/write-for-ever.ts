import { argv, stdout } from 'node:process';
import { DurableLog } from '../../../src/storage/durable/log.ts';

/** Writes until it is killed, to ten keys in turn, and prints the flushed revisions. */
const state = new Map<string, { revision: number; value: Buffer }>();
const log = await DurableLog.open(argv[2] as string, () => {}, { snapshotAfterBytes: 20_000 });
for (let revision = 1; ; revision += 1) {
  const key = `key-${revision % 10}`;
  const value = Buffer.alloc(50 + (revision % 200), 'x');
  state.set(key, { revision, value });
  log.append([{ revision, op: 'put', key, value }]);
  if (revision % 7 === 0) {
    await log.flush();
    stdout.write(`${revision}\n`);
  }
  if (log.needsSnapshot)
    void log.snapshot(
      Array.from(state, ([name, entry]) => ({ key: name, ...entry })),
      revision,
    );
}
