import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { KubeError } from '../../../core/errors.ts';
import type { FileRef } from '../connection-plan.ts';
import { safeCause } from '../../secrets/redact.ts';

/** Enough for every bundle of certificates, and for a kubeconfig of a thousand clusters. */
export const MOST_BYTES: number = 1 << 20;

/** A FIFO must not make us wait for its writer, a terminal must not become ours. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * The bytes of a small regular file: no device, no pipe, no directory, at most `limit` bytes whatever its size claims.
 *
 * Rejects INVALID_CONFIG with `where` and the path. Never says anything about the content. `cause` carries the
 * system's code (ENOENT, EACCES).
 */
export async function readRegularFile(path: string, where: string, limit: number = MOST_BYTES): Promise<Uint8Array> {
  const fail = (problem: string, cause?: unknown): KubeError =>
    new KubeError(
      'INVALID_CONFIG',
      `${where}: ${path}: ${problem}`,
      cause === undefined ? {} : { cause: safeCause(cause) },
    );
  let file;
  try {
    file = await open(path, FLAGS);
  } catch (error) {
    throw fail(codeOf(error) === 'ENOENT' ? 'no such file' : 'cannot be opened', error);
  }
  try {
    if (!(await file.stat()).isFile()) throw fail('not a regular file');
    // One byte more than allowed tells "just fits" from "too large"; a size can lie, as in /proc.
    const buffer = new Uint8Array(limit + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
      length += bytesRead;
      if (length > limit) throw fail(`larger than ${limit} bytes`);
      if (bytesRead === 0) return buffer.slice(0, length);
    }
  } catch (error) {
    throw error instanceof KubeError ? error : fail('cannot be read', error);
  } finally {
    await file.close();
  }
}

/** As text: UTF-8, or UTF-16 when a byte order mark says so, as some Windows tools write it. */
export async function readTextFile(path: string, where: string, limit?: number): Promise<string> {
  const bytes = await readRegularFile(path, where, limit);
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new KubeError('INVALID_CONFIG', `${where}: ${path}: not text in ${encoding}`, { cause: safeCause(error) });
  }
}

/** Where the file lies: beside the kubeconfig that named it. */
export function absolutePath(file: FileRef): string {
  if (isAbsolute(file.path) || file.inCode === true) return resolve(file.path);
  if (file.beside !== undefined) return resolve(dirname(file.beside), file.path);
  throw new KubeError(
    'INVALID_CONFIG',
    `${file.where}: expected an absolute path: a kubeconfig given in code has no directory`,
  );
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && codeOf(error.cause) === 'ENOENT';
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
