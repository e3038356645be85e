import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane, freePorts } from './control-plane.ts';
import { Guardian } from './guardian.ts';
import { onPath } from './go-program.ts';
import { until } from './until.ts';

const STARTS = 5;
/** Debian installs both here, and this folder is not in everyone's PATH. */
const SBIN = '/usr/sbin';

/** A program that people put in front of a kube-apiserver, and how it is set up. */
export interface ProxySetting {
  readonly program: 'nginx' | 'haproxy';
  /** The whole configuration. */
  readonly configure: (at: Place) => string;
}

interface Place {
  readonly dir: string;
  readonly port: number;
  /** `host:port` of the kube-apiserver. */
  readonly server: string;
  readonly certificate: string;
  readonly key: string;
  /** Both in one file. */
  readonly pem: string;
}

export interface NginxOptions {
  /** Whether clients may speak HTTP/2 to it. @default false */
  readonly http2?: boolean;
  /** Directives beside `proxy_pass`; without any, these are the defaults of Debian. */
  readonly directives?: readonly string[];
}

/** nginx that ends TLS and passes requests on. */
export function nginx({ http2 = false, directives = [] }: NginxOptions = {}): ProxySetting {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return {
    program: 'nginx',
    // One process, which a signal ends: a master that is killed leaves its workers behind.
    configure: ({ dir, port, server, certificate, key }) => `
daemon off;
master_process off;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log warn;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${dir}/${name};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port} ssl${http2 ? ' http2' : ''};
    ssl_certificate ${certificate};
    ssl_certificate_key ${key};
    location / {
      proxy_pass https://${server};
      ${directives.map((line) => `${line};`).join('\n      ')}
    }
  }
}
`,
  };
}

export interface HaproxyOptions {
  /** `tcp`: passes the bytes of TLS on. `http`: ends TLS and passes requests on. */
  readonly mode: 'tcp' | 'http';
  readonly idleSeconds: number;
}

/** haproxy, which cuts connections that have been idle for some time. */
export function haproxy({ mode, idleSeconds }: HaproxyOptions): ProxySetting {
  const isHttp = mode === 'http';
  return {
    program: 'haproxy',
    configure: ({ port, server, pem }) => `
defaults
  mode ${mode}
  timeout connect 5s
  timeout client ${idleSeconds}s
  timeout server ${idleSeconds}s
frontend near
  bind 127.0.0.1:${port}${isHttp ? ` ssl crt ${pem} alpn h2,http/1.1` : ''}
  default_backend far
backend far
  server apiserver ${server}${isHttp ? ' ssl verify none' : ''}
`,
  };
}

/** The reason proxies cannot run here, as a sentence; undefined if they can. */
export function whatProxiesLack(): string | undefined {
  const lacking = (['nginx', 'haproxy'] as const).filter((name) => pathOf(name) === undefined);
  return lacking.length === 0 ? undefined : `${lacking.join(' and ')} not installed`;
}

function pathOf(program: ProxySetting['program']): string | undefined {
  if (onPath(program)) return program;
  const file = join(SBIN, program);
  return existsSync(file) ? file : undefined;
}

/** A running proxy in front of a kube-apiserver, on a port of loopback. Disposing ends it. */
export class Proxy implements AsyncDisposable {
  readonly url: string;
  readonly #dir: string;
  readonly #child: ChildProcess;
  readonly #guardian: Guardian;

  private constructor(url: string, dir: string, child: ChildProcess, guardian: Guardian) {
    this.url = url;
    this.#dir = dir;
    this.#child = child;
    this.#guardian = guardian;
  }

  static async before(plane: ControlPlane, setting: ProxySetting): Promise<Proxy> {
    for (let left = STARTS - 1; ; left -= 1) {
      try {
        return await Proxy.#start(plane, setting);
      } catch (error) {
        // Another program may have taken the port.
        if (left === 0) throw error;
      }
    }
  }

  static async #start(plane: ControlPlane, { program, configure }: ProxySetting): Promise<Proxy> {
    const dir = await mkdtemp(join(tmpdir(), `${program}-`));
    const { serverCertificateFile: certificate, serverKeyFile: key } = plane.credentials;
    const pem = join(dir, 'server.pem');
    await writeFile(pem, `${await readFile(certificate, 'utf8')}${await readFile(key, 'utf8')}`);
    const [port = 0] = await freePorts(1);
    const file = join(dir, `${program}.conf`);
    await writeFile(file, configure({ dir, port, server: new URL(plane.url).host, certificate, key, pem }));
    const args = program === 'nginx' ? ['-p', dir, '-c', file, '-e', join(dir, 'error.log')] : ['-db', '-f', file];
    const child = spawn(pathOf(program) ?? program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const guardian = new Guardian(dir);
    guardian.watch(child);
    let said = '';
    child.on('error', (error) => (said += String(error)));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_096)));
    const proxy = new Proxy(`https://127.0.0.1:${port}`, dir, child, guardian);
    try {
      await until(
        `${program} passes requests on`,
        () => {
          if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${said}`);
          return answers(proxy.url, plane);
        },
        { withinMs: 20_000, everyMs: 50, inTheWay: () => said },
      );
      return proxy;
    } catch (error) {
      await proxy[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode, pid } = this.#child;
    if (exitCode === null && signalCode === null && pid !== undefined) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGKILL');
      await ended;
    }
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 5 });
    this.#guardian.dismiss();
  }
}

function answers(url: string, { credentials: { ca, token } }: ControlPlane): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const call = request(`${url}/readyz`, { ca, headers, agent: false, timeout: 5_000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(false));
    call.end();
  });
}
