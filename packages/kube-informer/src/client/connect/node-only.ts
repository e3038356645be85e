import { KubeError } from '../../core/errors.ts';

/** Whether Node's modules are available: on Node, Bun and Deno. */
export function isNodeOnly(): boolean {
  return (globalThis as { process?: { versions?: { node?: unknown } } }).process?.versions?.node !== undefined;
}

/** Throws INVALID_CONFIG without Node's modules. */
export function requireNodeOnly(what: string): void {
  if (!isNodeOnly())
    throw new KubeError('INVALID_CONFIG', `${what}: not available in a browser, which has no files and programs`);
}
