import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { lockDirectory } from '../../../src/storage/durable/lock.ts';

/** Takes the lock of every directory it is told, and says whether it got it. Keeps what it has until it ends. */
stdout.write('ready\n');
for await (const dir of createInterface({ input: stdin }))
  await lockDirectory(dir).then(
    () => stdout.write('taken\n'),
    (error: Error) => stdout.write(`${error.message}\n`),
  );
