import { constants } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KubeError } from 'kube-informer/core';
import { readDurableFileEnd, type ReadResult, syncDurableFileNames } from './durable-files.ts';
import { decodeLogEntry, MIN_ENTRY_BYTES } from './log-entry.ts';

/** Damage of a log after its last valid entry. */
export interface LogDamage {
  /** Number of entries after the damage that can still be read. */
  readonly intact: number;
}

/**
 * Size of the blocks that are written as a whole: a file that grew before its bytes were on the disk has
 * blocks of zeros.
 */
const BLOCK_BYTES = 512;

/**
 * Finds damage of a log: undefined if it is complete, or ends in an entry that a crash left incomplete.
 *
 * A crash can leave the beginning of the last entry, or zeros in its place, and only in the newest log: an
 * older one was synced to the disk before the next was created. A valid entry after an invalid one, or a
 * complete last entry with a wrong checksum, is not caused by a crash: acknowledged changes are lost.
 */
export async function findLogDamage(path: string, read: ReadResult, isNewest: boolean): Promise<LogDamage | undefined> {
  const { goodBytes, totalBytes } = read;
  if (goodBytes === totalBytes && (goodBytes > 0 || isNewest)) return undefined;
  const tail = await readDurableFileEnd(path, goodBytes);
  const intact = intactBeforeLogDamage(tail);
  return isNewest && intact === 0 && isUnfinishedLogDamage(tail) ? undefined : { intact };
}

/**
 * Counts the entries that begin anywhere in `tail`. Keys and values have no zero bytes, headers do, so few
 * positions need a checksum.
 */
function intactBeforeLogDamage(tail: Buffer): number {
  let intact = 0;
  for (let at = 0; at + MIN_ENTRY_BYTES <= tail.length;) {
    // The highest byte of a revision is 0, because it is a safe integer.
    const decoded = tail[at + 15] === 0 ? decodeLogEntry(tail, at) : 'broken';
    if (typeof decoded === 'object') intact += 1;
    at += typeof decoded === 'object' ? decoded.bytes : 1;
  }
  return intact;
}

function isUnfinishedLogDamage(tail: Buffer): boolean {
  if (tail.length < MIN_ENTRY_BYTES || decodeLogEntry(tail, 0) === 'incomplete') return true;
  return tail.at(-1) === 0 || tail.includes(Buffer.alloc(BLOCK_BYTES));
}

export function logDamageError(path: string, read: ReadResult, { intact }: LogDamage): KubeError {
  const { entries, goodBytes } = read;
  return new KubeError(
    'ILLEGAL_STATE',
    `data: ${path} is damaged: record ${entries + 1}, at byte ${goodBytes}, cannot be read, and ${intact} readable records follow it in this file. ` +
      'Restore the directory from a copy, or start once with the option repairData (serve --repair-data): the server then has ' +
      'everything before that record and nothing after it, and keeps the damaged files under names with .damaged',
  );
}

/** Copies a damaged log, and moves those after it, which cannot be used without it. Returns the new names. */
export async function setLogDamageAside(path: string, later: readonly string[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const each of [path, ...later]) names.push(await copyLogDamageAside(each));
  for (const each of later) await rm(each);
  await syncDurableFileNames(dirname(path));
  return names;
}

async function copyLogDamageAside(path: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const name = `${path}.damaged${attempt === 1 ? '' : `-${attempt}`}`;
    try {
      await copyFile(path, name, constants.COPYFILE_EXCL);
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
