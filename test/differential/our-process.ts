import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Script } from './script.ts';
import { type Notice, Story } from './story.ts';
import type { Address, Subject } from './subject.ts';
import { suspendProcess } from './suspend.ts';

const PROGRAM = fileURLToPath(new URL('our-host.ts', import.meta.url));

interface Line {
  readonly type: string;
  readonly text?: string;
  readonly objects?: object[];
  readonly isSynced?: boolean;
  readonly isBehind?: boolean;
}

/** A process that has loaded kube-informer and waits for settings. */
export interface OurHost {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;
  readonly exited: Promise<unknown>;
}

/** Resolves when it is ready: the time to load a program must not count in a script. */
export async function spawnOurs(): Promise<OurHost> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=@kube-informer/source', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit');
  await Promise.race([
    once(lines, 'line'),
    exited.then(([code]) => Promise.reject(new Error(`our process ended with ${code}`))),
  ]);
  return { child, lines, exited };
}

/** Starts our informer in a process of its own, which can be stopped. */
export async function startOursApart(host: OurHost, script: Script, address: Address): Promise<Subject> {
  const { child, lines, exited } = host;
  // A run that crashes must not leave processes behind.
  const dieWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', dieWithUs);
  const story = new Story();
  const errors: string[] = [];
  let last: Line = { type: 'state', isSynced: false, isBehind: true };
  let isOver = false;
  let answer: (line: Line) => void = () => {};
  void exited.then(() => {
    isOver = true;
    process.off('exit', dieWithUs);
    answer({ type: 'over', objects: [] });
  });
  lines.on('line', (text) => {
    const line = JSON.parse(text) as Line;
    if (line.type === 'state') last = line;
    else if (line.type === 'error') errors.push(line.text ?? '');
    else if (line.type === 'dump' || line.type === 'stopped') answer(line);
    else story.tell(line as unknown as Notice);
  });
  const say = (command: object): void => void child.stdin.write(`${JSON.stringify(command)}\n`);
  const ask = (command: 'dump' | 'stop'): Promise<Line> =>
    new Promise((resolve) => {
      if (isOver) return resolve({ type: 'over', objects: [] });
      answer = resolve;
      say({ do: command });
    });
  const { name, subjects, namespace, labelSelector, watchList, http1, ours } = script;
  say({ do: 'start', script: { name, subjects, namespace, labelSelector, watchList, http1, ours }, address });
  return {
    name: 'ours',
    story,
    errors,
    get isSynced() {
      return last.isSynced === true;
    },
    get isAlive() {
      return !isOver;
    },
    get isBehind() {
      return last.isBehind === true;
    },
    suspend: (ms) => suspendProcess(child, ms),
    dump: async () => (await ask('dump')).objects ?? [],
    stop: async () => {
      await ask('stop');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
