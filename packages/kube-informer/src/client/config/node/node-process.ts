/**
 * Node's `process`, as the modules in folders named `node` use it.
 *
 * Importing `node:process` reads every property of it, which opens stdin and takes six milliseconds.
 */
export const process: NodeJS.Process = globalThis.process;
