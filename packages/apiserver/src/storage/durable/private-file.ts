import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import process from 'node:process';
import { KubeError } from 'kube-informer/core';

/** Write permission of the group or of others. */
const OTHERS_WRITE = 0o022;

/**
 * Refuses a directory that another user owns or can write to. Its files are trusted: with a token or a
 * certificate authority in it, another person could log in as the administrator.
 */
export async function requirePrivateDirectory(path: string): Promise<void> {
  checkPrivateFileOwner(await stat(path), 'data directory', path);
}

/** Maximum size of a file that is read as a whole: tokens and certificates. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/**
 * Opens a file of the directory; undefined if there is none. All files are opened by it: no symbolic link is
 * followed, which could lead to another user's file, and only regular files are opened, because a pipe would
 * never end.
 *
 * With `write`, opens it for writing too.
 */
export async function openPrivateRegularFile(path: string, write = false): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_RDWR } = constants;
  // Windows has neither of them.
  const careful = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, (write ? O_RDWR : O_RDONLY) | careful).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw fileNotPrivate('file', path, 'is a symbolic link', 'replace it by the file itself');
    throw code === 'EISDIR' || code === 'ENXIO'
      ? fileNotPrivate('file', path, 'is not a regular file', 'remove it')
      : error;
  });
  if (handle === undefined) return undefined;
  try {
    // Checked on the open file, so that the file that is read is the one that was checked.
    if (!(await handle.stat()).isFile()) throw fileNotPrivate('file', path, 'is not a regular file', 'remove it');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The text of a file that only this user can write to; undefined if there is none. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const handle = await openPrivateRegularFile(path);
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    checkPrivateFileOwner(found, 'file', path);
    if (found.size > MAX_TEXT_BYTES)
      throw fileNotPrivate('file', path, `is larger than ${MAX_TEXT_BYTES >> 20} MB`, 'remove it');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function checkPrivateFileOwner({ uid, mode }: Stats, what: string, path: string): void {
  // Windows has neither.
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own) throw fileNotPrivate(what, path, `belongs to user ${uid}`, 'use a directory of your own');
  if ((mode & OTHERS_WRITE) !== 0)
    throw fileNotPrivate(what, path, 'can be written by other users', `run: chmod go-w ${path}`);
}

const fileNotPrivate = (what: string, path: string, why: string, advice: string): KubeError =>
  new KubeError('INVALID_OPTION', `data: the ${what} ${path} ${why}, so its contents cannot be trusted; ${advice}`);
