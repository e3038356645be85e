import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority for tests, made with openssl. */
export class TestAuthority {
  readonly #dir: string;
  readonly ca: string;
  #issued = 0;

  private constructor(dir: string, ca: string) {
    this.#dir = dir;
    this.ca = ca;
  }

  static async create(name = 'test-ca'): Promise<TestAuthority> {
    const dir = await mkdtemp(join(tmpdir(), 'certificates-'));
    const key = await newKey(dir, 'ca');
    await run('openssl', [
      'req',
      '-x509',
      '-new',
      '-key',
      key,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
      '-out',
      join(dir, 'ca.crt'),
    ]);
    return new TestAuthority(dir, await readFile(join(dir, 'ca.crt'), 'utf8'));
  }

  /** For loopback unless told otherwise. `days: 0` is over when it is made. */
  server(names = 'IP:127.0.0.1,DNS:localhost', days = 2): Promise<Pair> {
    return this.#issue('/CN=server', `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`, days);
  }

  client(name: string): Promise<Pair> {
    return this.#issue(`/CN=${name}`, 'extendedKeyUsage=clientAuth\n', 2);
  }

  async remove(): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #issue(subject: string, extensions: string, days: number): Promise<Pair> {
    const file = (kind: string): string => join(this.#dir, `${this.#issued}.${kind}`);
    this.#issued += 1;
    const [csr, ext, crt] = [file('csr'), file('ext'), file('crt')];
    const key = await newKey(this.#dir, String(this.#issued));
    await writeFile(ext, extensions);
    await run('openssl', ['req', '-new', '-key', key, '-subj', subject, '-out', csr]);
    await run('openssl', [
      'x509', '-req', '-in', csr, '-CA', join(this.#dir, 'ca.crt'), '-CAkey', join(this.#dir, 'ca.key'),
      '-CAcreateserial', '-days', String(days), '-extfile', ext, '-out', crt,
    ]); // prettier-ignore
    return { cert: await readFile(crt, 'utf8'), key: await readFile(key, 'utf8') };
  }
}

async function newKey(dir: string, name: string): Promise<string> {
  const file = join(dir, `${name}.key`);
  await run('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', file]);
  return file;
}
