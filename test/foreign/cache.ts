import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where suites of others are downloaded and built: outside the repository, kept between runs. */
export function foreignCache(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kube-informer', 'foreign');
}
