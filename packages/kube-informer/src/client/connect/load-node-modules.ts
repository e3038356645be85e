import type { Env } from '../../core/env.ts';
import { platformOfFetch } from '../transport/fetch/platform-fetch.ts';

/** What a connection needs of Node, in the order in which one needs the other. */
const NODE_MODULES = ['stream', 'net', 'crypto', 'tls', 'zlib', 'https', 'http2', 'child_process'];

/**
 * Loads the modules of Node that a connection needs, each in a turn of the event loop of its own unless it is there.
 *
 * Node compiles its own modules when they are first imported: all of these take 40 to 100 ms. Imported together by `#node`,
 * they would hold up the timers and sockets of the program for that long.
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
