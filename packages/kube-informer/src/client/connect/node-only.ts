import { KubeError } from '../../core/errors.ts';

/** Whether files and programs can be reached: Node, and Bun and Deno, which offer its modules. */
export function hasNode(): boolean {
  return (globalThis as { process?: { versions?: { node?: unknown } } }).process?.versions?.node !== undefined;
}

/** Throws INVALID_CONFIG where there are no files. */
export function needNode(what: string): void {
  if (!hasNode()) throw new KubeError('INVALID_CONFIG', `${what}: there are no files and no programs in a browser`);
}
