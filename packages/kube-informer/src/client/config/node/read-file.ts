import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { defined } from '../../../core/defined.ts';
import { KubeError } from '../../../core/errors.ts';
import type { FileRef } from '../connection-plan.ts';
import { redactForSafeError } from '../../../core/safe-error.ts';

/** Default maximum size: enough for a bundle of certificates or a kubeconfig of a thousand clusters. */
const MAX_BYTES: number = 1 << 20;

/** Opening a FIFO must not wait for its writer, and a terminal must not become the controlling one. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

const OPEN_PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'no such file'],
  ['ENOTDIR', 'no such file: a part of the path is a file, not a folder'],
  ['EACCES', 'you may not read the file'],
]);

/**
 * Reads a regular file (no device, pipe or directory) of at most `limit` bytes.
 *
 * Rejects INVALID_CONFIG with `where` and the path, never with the content. `cause` has the system's code (ENOENT,
 * EACCES).
 */
export async function readRegularFile(path: string, where: string, limit: number = MAX_BYTES): Promise<Uint8Array> {
  const fail = (problem: string, cause?: unknown): KubeError =>
    new KubeError(
      'INVALID_CONFIG',
      `${where}: ${path}: ${problem}`,
      defined({ cause: cause === undefined ? undefined : redactForSafeError(cause) }),
    );
  let file;
  try {
    file = await open(path, FLAGS);
  } catch (error) {
    throw fail(OPEN_PROBLEMS.get(readFileErrorCode(error)) ?? 'cannot open the file', error);
  }
  try {
    if (!(await file.stat()).isFile()) throw fail('not a regular file');
    // Reads one byte more than allowed, because the size of a file can be wrong, as in /proc.
    const buffer = new Uint8Array(limit + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
      length += bytesRead;
      if (length > limit) throw fail(`larger than ${limit} bytes`);
      if (bytesRead === 0) return buffer.slice(0, length);
    }
  } catch (error) {
    throw error instanceof KubeError ? error : fail('cannot read the file', error);
  } finally {
    await file.close();
  }
}

/** Reads text: UTF-8, or UTF-16 with a byte order mark, as some Windows tools write it. */
export async function readTextFile(path: string, where: string, limit?: number): Promise<string> {
  const bytes = await readRegularFile(path, where, limit);
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new KubeError('INVALID_CONFIG', `${where}: ${path}: not valid ${encoding}`, {
      cause: redactForSafeError(error),
    });
  }
}

/** Resolves a path: relative ones start in the directory of the kubeconfig that names them. */
export function absoluteFilePath(file: FileRef): string {
  if (isAbsolute(file.path) || file.inCode === true) return resolve(file.path);
  if (file.beside !== undefined) return resolve(dirname(file.beside), file.path);
  throw new KubeError(
    'INVALID_CONFIG',
    `${file.where}: expected an absolute path, because a kubeconfig given in code has no directory`,
  );
}

export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && readFileErrorCode(error.cause) === 'ENOENT';
}

function readFileErrorCode(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
