import { type ChildProcess, spawn } from 'node:child_process';

/** Reads `+ pid` and `- pid` until the pipe closes. */
const SCRIPT = `
while read -r sign pid; do
  rest=
  for each in $pids; do [ "$each" = "$pid" ] || rest="$rest $each"; done
  pids=$rest
  [ "$sign" = - ] || pids="$pids $pid"
done
[ -z "$pids" ] || kill -9 $pids 2>/dev/null
for attempt in 1 2 3 4 5; do
  rm -rf "$1" 2>/dev/null && exit
  sleep 1
done
`;

// A worker whose runner is gone would continue its test.
if (process.connected) process.once('disconnect', () => process.exit());

/**
 * Ends programs and removes a directory when this process has ended.
 *
 * However this process ends, by itself, by a signal or by kill -9: the pipe to the guardian closes, and the programs in its
 * care are killed (also those that are stopped) and the directory is removed. It is in a session of its own, so an
 * interrupt at the terminal does not reach it.
 */
export class Guardian {
  readonly #shell: ChildProcess;

  constructor(dir: string) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'guardian', dir], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#shell.on('error', () => {});
    this.#shell.stdin?.on('error', () => {});
    this.#shell.unref();
  }

  /** Adds a program until it ends. */
  watch(child: ChildProcess): void {
    if (child.pid === undefined) return;
    this.#shell.stdin?.write(`+ ${child.pid}\n`);
    child.once('exit', () => this.#shell.stdin?.write(`- ${child.pid}\n`));
  }

  /** Nothing is left to clean up. */
  dismiss(): void {
    this.#shell.stdin?.end();
  }
}
