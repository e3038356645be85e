import { afterAll, expect } from 'vitest';

/**
 * Setup of test files that share a process: fails the file that leaves the process changed.
 *
 * Otherwise another file fails, in some orders only: with a fake `setTimeout` left behind, every later wait of the real
 * `Env` lasts forever.
 */

/** What tests replace or add to, by name. */
const WATCHED: readonly (readonly [string, object, readonly string[]])[] = [
  ['', globalThis, ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate']],
  ['', globalThis, ['queueMicrotask', 'Date', 'performance', 'process', 'fetch', 'BigInt', 'console']],
  ['performance.', performance, ['now']],
  ['Math.', Math, ['random']],
  ['console.', console, ['error', 'warn', 'log', 'info', 'debug']],
  ['process.', process, ['cwd', 'exit', 'kill', 'emitWarning', 'nextTick', 'hrtime']],
];
const EVENTS = ['uncaughtException', 'unhandledRejection', 'warning', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGWINCH'];

function stateOfProcess(): Map<string, unknown> {
  const state = new Map<string, unknown>();
  for (const [prefix, owner, names] of WATCHED)
    for (const name of names) state.set(prefix + name, (owner as Record<string, unknown>)[name]);
  for (const event of EVENTS) state.set(`process.listenerCount('${event}')`, process.listenerCount(event));
  // Vitest sets variables of its own for each file.
  for (const [name, value] of Object.entries(process.env))
    if (!name.startsWith('VITEST')) state.set(`process.env.${name}`, value);
  state.set('process.cwd()', process.cwd());
  return state;
}

const before = stateOfProcess();

afterAll(() => {
  const after = stateOfProcess();
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter((name) => before.get(name) !== after.get(name));
  expect(changed, 'this test file leaves the process changed; restore what it replaces').toEqual([]);
});
