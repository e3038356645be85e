import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { lockDirectory } from '../../../src/storage/durable/lock.ts';

/** Takes the lock of each given directory and prints whether it got it. Keeps its locks until it exits. */
stdout.write('ready\n');
for await (const dir of createInterface({ input: stdin }))
  await lockDirectory(dir).then(
    () => stdout.write('taken\n'),
    (error: Error) => stdout.write(`${error.message}\n`),
  );
