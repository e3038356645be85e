import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { KubeError } from 'kube-informer/core';

/** Permission of the group or of everybody to write. */
const OTHERS_WRITE = 0o022;

/**
 * Refuses a directory that another user owns or can write to. Files in it are believed: a token or a certificate authority
 * that another person has put there would let that person in as the administrator.
 */
export async function requirePrivateDirectory(path: string): Promise<void> {
  checkOwner(await stat(path), 'data directory', path);
}

/** The text of a file that only this user can write to; undefined if there is none. Follows no symbolic link. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw code === 'ELOOP' ? notPrivate('file', path, 'is a symbolic link', 'replace it by the file itself') : error;
  });
  if (handle === undefined) return undefined;
  try {
    // Asked of the open file: what is read is what was checked.
    const found = await handle.stat();
    if (!found.isFile()) throw notPrivate('file', path, 'is not a regular file', 'remove it');
    checkOwner(found, 'file', path);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function checkOwner({ uid, mode }: Stats, what: string, path: string): void {
  // Windows has neither.
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own) throw notPrivate(what, path, `belongs to user ${uid}`, 'use a directory of your own');
  if ((mode & OTHERS_WRITE) !== 0)
    throw notPrivate(what, path, 'can be written by other users', `run: chmod go-w ${path}`);
}

const notPrivate = (what: string, path: string, why: string, advice: string): KubeError =>
  new KubeError('INVALID_OPTION', `data: the ${what} ${path} ${why}, so its contents cannot be trusted; ${advice}`);
