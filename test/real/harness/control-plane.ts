import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Binaries, findBinaries } from './binaries.ts';
import { createCredentials, type Credentials } from './credentials.ts';
import { Guardian } from './guardian.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const READY_WITHIN_MS = 180_000;
const STARTS = 5;
const RETRY_MS = 200;
/** Ports below the range of outgoing connections, so that none of them takes the port of a server that is down. */
const PORTS = { from: 20_000, to: 30_000 };

export interface ControlPlaneOptions {
  /** How many kube-apiservers share the etcd. @default 1 */
  readonly apiservers?: number;
  /** Path of kube-apiserver. @default the newest */
  readonly apiserver?: string;
  /** More flags for kube-apiserver, after ours. */
  readonly apiserverFlags?: readonly string[];
  /** Puts something between a kube-apiserver and etcd: gets etcd's `host:port`, gives the one to connect to. */
  readonly toEtcd?: (address: string, at: number) => Promise<string>;
  readonly log?: (line: string) => void;
}

/**
 * A real etcd and a real kube-apiserver on loopback. Disposing ends them and removes everything they wrote.
 *
 * etcd reports progress every 5 s, as kubeadm sets it up. Without that a quiet resource gets its bookmarks all the same, but
 * their version may stand still.
 */
export class ControlPlane implements AsyncDisposable {
  /** Addresses of the kube-apiservers. */
  readonly urls: readonly string[];
  readonly dir: string;
  readonly credentials: Credentials;
  readonly kubeconfig: string;
  readonly #binaries: Binaries;
  readonly #ports: { readonly api: readonly number[]; readonly client: number; readonly peer: number };
  readonly #flags: readonly string[];
  readonly #guardian: Guardian;
  #etcd: ChildProcess | undefined;
  readonly #apiservers: (ChildProcess | undefined)[];
  /** For each program: whether it ended because its port is in use. */
  readonly #hadNoPort = new WeakMap<ChildProcess, Promise<boolean>>();
  /** Whether other ports may still be chosen: no client has them yet. */
  #isNew = true;
  /** Where each kube-apiserver finds etcd. */
  readonly #toEtcd: string[] = [];

  private constructor(
    dir: string,
    credentials: Credentials,
    binaries: Binaries,
    ports: { api: readonly number[]; client: number; peer: number },
    flags: readonly string[],
  ) {
    this.dir = dir;
    this.#guardian = new Guardian(dir);
    this.credentials = credentials;
    this.urls = ports.api.map((port) => `https://127.0.0.1:${port}`);
    this.#apiservers = ports.api.map(() => undefined);
    this.kubeconfig = join(dir, 'kubeconfig');
    this.#binaries = binaries;
    this.#ports = ports;
    this.#flags = flags;
  }

  static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const found = await findBinaries(options.log);
    const binaries = options.apiserver === undefined ? found : { ...found, apiserver: options.apiserver };
    for (let left = STARTS - 1; ; left -= 1) {
      try {
        return await ControlPlane.#start(options, binaries);
      } catch (error) {
        if (left === 0 || !(error instanceof PortTaken)) throw error;
      }
    }
  }

  static async #start(options: ControlPlaneOptions, binaries: Binaries): Promise<ControlPlane> {
    const dir = await mkdtemp(join(tmpdir(), 'control-plane-'));
    const { apiservers = 1 } = options;
    const [client, peer, ...api] = await freePorts(2 + apiservers);
    const ports = { api, client: client as number, peer: peer as number };
    const plane = new ControlPlane(dir, await createCredentials(dir), binaries, ports, options.apiserverFlags ?? []);
    try {
      await writeFile(plane.kubeconfig, kubeconfigFor(plane.url, plane.credentials));
      plane.startEtcd();
      const etcd = `127.0.0.1:${ports.client}`;
      for (let at = 0; at < apiservers; at += 1)
        plane.#toEtcd.push(options.toEtcd === undefined ? etcd : await options.toEtcd(etcd, at));
      for (let at = 0; at < apiservers; at += 1) await plane.startApiserver(at);
      // A new server is ready a moment before it has created its first namespaces.
      const hasDefault = async (): Promise<boolean> =>
        (await plane.ask('GET', '/api/v1/namespaces/default')).status === 200;
      await until('kube-apiserver made its namespaces', hasDefault);
      plane.#isNew = false;
      return plane;
    } catch (error) {
      const tail = await plane.logTail();
      await plane[Symbol.asyncDispose]();
      if (error instanceof PortTaken) throw error;
      throw new Error(`the control plane did not start:\n${tail}`, { cause: error });
    }
  }

  startEtcd(): void {
    const { client, peer } = this.#ports;
    const child = this.#spawn('etcd', this.#binaries.etcd, [
      `--data-dir=${join(this.dir, 'etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${client}`,
      `--advertise-client-urls=http://127.0.0.1:${client}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-cluster=default=http://127.0.0.1:${peer}`,
      '--watch-progress-notify-interval=5s',
      '--unsafe-no-fsync',
      '--log-level=warn',
    ]);
    this.#etcd = child;
    void this.#lostItsPort(child).then(async (lost) => {
      if (!lost || this.#isNew) return;
      await sleep(RETRY_MS);
      if (this.#etcd === child) this.startEtcd();
    });
  }

  /** Address of the first kube-apiserver; mostly there is only one. */
  get url(): string {
    return this.urls[0] as string;
  }

  /** Starts a kube-apiserver and waits until it is ready. */
  async startApiserver(at = 0): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    let child = this.#spawnApiserver(at);
    for (;;) {
      // Another program on this port might never respond.
      const answered = this.ask('GET', '/readyz', undefined, at).catch(() => ({ status: 0 }));
      const ended = this.#lostItsPort(child).then(() => ({ status: 0 }));
      if ((await Promise.race([answered, ended])).status === 200) return;
      if (Date.now() > deadline) throw new Error('kube-apiserver was not ready within three minutes');
      if (this.#isNew && this.#etcd !== undefined && hasEnded(this.#etcd) && (await this.#lostItsPort(this.#etcd)))
        throw new PortTaken();
      if (hasEnded(child)) {
        if (!(await this.#lostItsPort(child)))
          throw new Error(`kube-apiserver ended with ${child.exitCode ?? child.signalCode}`);
        if (this.#isNew) throw new PortTaken();
        await sleep(RETRY_MS);
        child = this.#spawnApiserver(at);
      }
      await sleep(50);
    }
  }

  #spawnApiserver(at: number): ChildProcess {
    const { credentials: c } = this;
    const name = at === 0 ? 'apiserver' : `apiserver-${at}`;
    const child = this.#spawn(name, this.#binaries.apiserver, [
      `--etcd-servers=http://${this.#toEtcd[at]}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${this.#ports.api[at]}`,
      `--cert-dir=${this.dir}`,
      `--tls-cert-file=${c.serverCertificateFile}`,
      `--tls-private-key-file=${c.serverKeyFile}`,
      `--client-ca-file=${c.caFile}`,
      `--token-auth-file=${c.tokenFile}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${c.serviceAccountKeyFile}`,
      `--service-account-signing-key-file=${c.serviceAccountKeyFile}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--authorization-mode=RBAC',
      '--disable-admission-plugins=ServiceAccount',
      '--endpoint-reconciler-type=none',
      ...this.#flags,
    ]);
    this.#apiservers[at] = child;
    return child;
  }

  /** One plain request as an administrator, or with another token, for the harness itself and for set-up; independent of the client under test. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    at = 0,
    token = this.credentials.token,
    agent = new Agent({ maxCachedSessions: 0 }),
  ): Promise<{ status: number; text: string }> {
    const { ca } = this.credentials;
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const call = request(`${this.urls[at]}${path}`, { method, ca, headers, agent, timeout: 30_000 }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        answer.on('error', reject);
      });
      call.on('timeout', () => call.destroy(new Error('timeout')));
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async kubectl(...args: string[]): Promise<string> {
    const { stdout } = await run('kubectl', [`--kubeconfig=${this.kubeconfig}`, ...args], { maxBuffer: 64 << 20 });
    return stdout;
  }

  /** Drops the history in etcd up to a revision, or all of it. */
  async compactEtcd(revision?: string): Promise<void> {
    const { header } = JSON.parse(await this.#askEtcd('maintenance/status')) as { header: { revision: string } };
    await this.#askEtcd('kv/compaction', { revision: revision ?? header.revision });
  }

  /** Writes a value into etcd past kube-apiserver, which may be down: many objects in a short time. */
  async putIntoEtcd(key: string, value: string): Promise<void> {
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    await this.#askEtcd('kv/put', { key: encoded(key), value: encoded(value) });
  }

  /** Saves the state of etcd, for `restoreEtcd`. */
  async snapshotEtcd(): Promise<string> {
    const file = join(this.dir, `snapshot-${Date.now()}.db`);
    const pieces = (await this.#askEtcd('maintenance/snapshot')).split('\n').filter(Boolean);
    const blobs = pieces.map((line) => (JSON.parse(line) as { result: { blob?: string } }).result.blob ?? '');
    await writeFile(file, Buffer.concat(blobs.map((blob) => Buffer.from(blob, 'base64'))));
    return file;
  }

  /** etcd's own API as JSON: it needs no program that a set of binaries may be without. */
  async #askEtcd(what: string, body: object = {}): Promise<string> {
    const url = `http://127.0.0.1:${this.#ports.client}/v3/${what}`;
    const answer = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`etcd: ${what}: ${answer.status} ${text}`);
    return text;
  }

  /** Puts etcd back to a snapshot, as an administrator does after a disaster. Both servers must be down. */
  async restoreEtcd(snapshot: string, ...flags: string[]): Promise<void> {
    const data = join(this.dir, 'etcd');
    await rm(data, { recursive: true, force: true });
    const peer = `http://127.0.0.1:${this.#ports.peer}`;
    await run(this.#binaries.etcdutl, [
      'snapshot', 'restore', snapshot, `--data-dir=${data}`, `--initial-cluster=default=${peer}`, `--initial-advertise-peer-urls=${peer}`, ...flags,
    ]); // prettier-ignore
  }

  get apiserver(): ChildProcess | undefined {
    return this.#apiservers[0];
  }

  /** Stops or continues one, like an overloaded machine. */
  signalApiserver(signal: 'SIGSTOP' | 'SIGCONT', at = 0): void {
    this.#apiservers[at]?.kill(signal);
  }

  /** Kills kube-apiserver, like a power cut. */
  async killApiserver(signal: NodeJS.Signals = 'SIGKILL', at = 0): Promise<void> {
    await end(this.#apiservers[at], signal);
    this.#apiservers[at] = undefined;
  }

  async killEtcd(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await end(this.#etcd, signal);
    this.#etcd = undefined;
  }

  async logTail(): Promise<string> {
    const read = async (name: string): Promise<string> =>
      (await readFile(join(this.dir, `${name}.log`), 'utf8').catch(() => '')).split('\n').slice(-12).join('\n');
    return `--- etcd\n${await read('etcd')}\n--- apiserver\n${await read('apiserver')}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const at of this.#apiservers.keys()) await this.killApiserver('SIGKILL', at);
    await this.killEtcd();
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
    this.#guardian.dismiss();
  }

  #spawn(name: string, binary: string, args: string[]): ChildProcess {
    const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#guardian.watch(child);
    const log = createWriteStream(join(this.dir, `${name}.log`), { flags: 'a' });
    log.on('error', () => {}); // the directory may be gone before the last words
    let lastWords = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        lastWords = (lastWords + chunk.toString()).slice(-8_192);
        log.write(chunk);
      });
    const closed = once(child, 'close')
      .catch((error: unknown) => log.write(`${String(error)}\n`)) // it was not started
      .then(() => {
        log.end();
        return lastWords.includes('address already in use');
      });
    this.#hadNoPort.set(child, closed);
    return child;
  }

  async #lostItsPort(child: ChildProcess): Promise<boolean> {
    return (await this.#hadNoPort.get(child)) === true;
  }
}

/** Another program has taken a port that was free. */
class PortTaken extends Error {
  constructor() {
    super('a port of the control plane is taken');
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    held.push(server);
    ports.push(port);
  }
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** As kubectl writes it: braces would make our client load its whole parser of YAML, which its users do not pay for. */
function kubeconfigFor(url: string, { ca, token }: Credentials): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${Buffer.from(ca).toString('base64')}
    server: ${url}
  name: test
contexts:
- context:
    cluster: test
    namespace: default
    user: admin
  name: test
current-context: test
kind: Config
users:
- name: admin
  user:
    token: "${token}"
`;
}
