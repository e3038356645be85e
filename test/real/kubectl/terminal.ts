import { execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kubectl } from '../harness/kubectl.ts';
import { FILES } from './files.ts';
import { normalised, withoutDescriptions } from './normalise.ts';
import type { Command, Following, Scene, Status, Step } from './scene.ts';

const WITHIN_MS = 120_000;

export interface Place {
  /** Folder for files and caches, not shared. */
  readonly dir: string;
  readonly kubeconfig: string;
  readonly server: { readonly url: string; readonly ca: string; readonly token: string };
  readonly kubectl: Kubectl;
  /** Part of every name, so that a scene can be played twice: `$v`. */
  readonly word: string;
}

/** Plays scenes with one kubectl on one server and records the output. */
export class Terminal {
  readonly #place: Place;
  readonly #cwd: string;
  readonly #namespace: string;
  #uid = '';

  private constructor(place: Place, cwd: string, namespace: string) {
    this.#place = place;
    this.#cwd = cwd;
    this.#namespace = namespace;
  }

  /** The whole scene as text: each command and its normalised output. */
  static async play(place: Place, scene: Scene): Promise<string> {
    const namespace = `${scene.name.replaceAll(/[^a-z]+/g, '-')}-${place.word}`;
    const cwd = join(place.dir, namespace);
    await mkdir(cwd, { recursive: true });
    const terminal = new Terminal(place, cwd, namespace);
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(cwd, name), terminal.#filledIn(text));
    const said = [await terminal.#step({ run: `create namespace $ns` })];
    for (const step of scene.steps) said.push(await terminal.#step(step));
    return said.join('');
  }

  async #step(step: Step): Promise<string> {
    const command = typeof step === 'string' ? { run: step } : step;
    if ('status' in command) return this.#write(command);
    if (command.only !== undefined && command.only !== this.#place.kubectl.tag) return '';
    return 'follow' in command ? this.#follow(command) : this.#run(command);
  }

  async #run(command: Command): Promise<string> {
    const deadline = Date.now() + WITHIN_MS / 2;
    // An old diff shows the seconds in which fields were written: a second later they always differ.
    if (command.run.startsWith('diff ')) await sleep(1_000);
    for (;;) {
      const said = await this.#once(command);
      if (command.again !== true || !said.includes('\nexit ') || Date.now() > deadline) return said;
      await sleep(200);
    }
  }

  #once({ run, stdin, editor, sorted, bare, isUid }: Command): Promise<string> {
    return new Promise((resolve) => {
      const options = {
        ...this.#options(editor),
        timeout: WITHIN_MS,
        maxBuffer: 64 << 20,
        killSignal: 'SIGKILL',
      } as const;
      const child = execFile(this.#place.kubectl.path, this.#words(run), options, (error, stdout, stderr) => {
        const code = error === null ? '' : `exit ${error.killed === true ? 'never' : String(error.code)}\n`;
        if (isUid === true) this.#uid = stdout;
        const said = normalised(bare === true ? withoutDescriptions(stdout) : stdout) + normalised(stderr);
        const lines = sorted === true ? `${said.split('\n').toSorted().join('\n')}\n` : said;
        resolve(`$ kubectl ${run}\n${lines}${code}\n`);
      });
      // Most commands never read it.
      child.stdin?.on('error', () => {});
      child.stdin?.end(stdin ?? '');
    });
  }

  /** Waits for a number of lines: both servers give the same. */
  async #follow({ follow, lines, during }: Following): Promise<string> {
    const child = spawn(this.#place.kubectl.path, this.#words(follow), {
      ...this.#options(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = new Promise((resolve) => child.once('close', resolve));
    const deadline = Date.now() + WITHIN_MS / 2;
    const until = async (holds: () => boolean): Promise<void> => {
      while (!holds() && child.exitCode === null && Date.now() < deadline) await sleep(20);
    };
    // The list is printed before the watch begins, and the watch resumes from it: no later change is lost.
    await until(() => said !== '');
    const meanwhile: string[] = [];
    for (const step of during) meanwhile.push(await this.#step(step));
    await until(() => said.split('\n').length > lines);
    child.kill('SIGKILL');
    await ended;
    return `$ kubectl ${follow} &\n${normalised(said)}\n${meanwhile.join('')}`;
  }

  #write({ path, status }: Status): Promise<string> {
    const { url, ca, token } = this.#place.server;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/merge-patch+json' };
    return new Promise((resolve, reject) => {
      const call = request(url + this.#filledIn(path), { method: 'PATCH', ca, headers, agent: false }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(`# ${path}: ${answer.statusCode}\n\n`));
      });
      call.on('error', reject);
      call.end(JSON.stringify({ status }));
    });
  }

  #options(editor?: string) {
    return {
      cwd: this.#cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.#cwd,
        TZ: 'UTC',
        KUBECONFIG: this.#place.kubeconfig,
        KUBE_EDITOR: `sed -i -e '${editor ?? ''}'`,
      },
    };
  }

  #words(run: string): string[] {
    const words = (this.#filledIn(run).match(/(?:[^\s']|'[^']*')+/g) ?? []).map((word) => word.replaceAll("'", ''));
    const cut = words.indexOf('--');
    const own = [`--cache-dir=${join(this.#place.dir, `cache-${this.#place.kubectl.tag}`)}`];
    if (!words.includes('-A') && !words.includes('--all-namespaces') && !words.includes('-n'))
      own.push(`--namespace=${this.#namespace}`);
    const at = cut === -1 ? words.length : cut;
    return [...words.slice(0, at), ...own, ...words.slice(at)];
  }

  #filledIn(text: string): string {
    const { word } = this.#place;
    return text.replaceAll('$ns', this.#namespace).replaceAll('$uid', this.#uid).replaceAll('$v', word);
  }
}
