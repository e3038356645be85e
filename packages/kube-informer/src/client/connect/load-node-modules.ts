import type { Env } from '../../core/env.ts';
import { platformOfFetch } from '../transport/fetch/platform-fetch.ts';

/** Node's modules that a connection needs, each after those it depends on. */
const NODE_MODULES = ['stream', 'net', 'crypto', 'tls', 'zlib', 'https', 'http2', 'child_process'];

/**
 * Loads the modules of Node that a connection needs, each in its own turn of the event loop unless it is
 * already loaded.
 *
 * Node compiles its own modules when they are first imported: all of these take 40 to 100 ms. Imported
 * together by `#node`, they would block the program's timers and sockets for that long.
 */
export async function loadNodeModules(env: Env): Promise<void> {
  if (platformOfFetch() !== 'node') return;
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  for (const name of NODE_MODULES) {
    const startedAt = env.now();
    process?.getBuiltinModule?.(name);
    if (env.now() - startedAt >= 1) await env.yield();
  }
}
