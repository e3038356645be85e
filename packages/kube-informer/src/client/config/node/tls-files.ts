import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type Env, systemEnv } from '../../../core/env.ts';
import { KubeError } from '../../../core/errors.ts';
import { conceal, printAs } from '../../secrets/conceal.ts';
import { defined } from '../../../core/defined.ts';
import type { PemPlan, TlsPlan } from '../connection-plan.ts';
import type { TlsSettings, TlsSource } from '../../transport/tls-settings.ts';
import type { ClientCertificate } from '../../transport/tls-settings.ts';
import { absolutePath, readTextFile } from './read-file.ts';
import { rememberSecret, safeCause } from '../../secrets/redact.ts';
import { SingleFlight } from '../../../core/async/single-flight.ts';

/** A certificate authority lives for years; a minute is soon enough. */
const CA_AGE_MS = 60_000;
/** A client certificate is looked at whenever a connection is made, but a burst of connections is one look. */
const CERTIFICATE_AGE_MS = 1_000;

/**
 * TLS settings that follow their files.
 *
 * Promises: `current` never waits and never fails; `refresh` reads what is due and never rejects: a file that is
 * missing, empty, unreadable or no certificate keeps the last good one, and so does a certificate whose key does not
 * fit (one of the two is still to be written). Contents are compared, not times: a mounted volume swaps links, and
 * nothing of that shows in the file's name. `current()` returns the same object until something changed.
 *
 * Room rule: reads and compares; what a change means for connections is the transport's business.
 */
export class TlsFiles implements TlsSource {
  readonly #plan: TlsPlan;
  readonly #env: Env;
  readonly #refreshing = new SingleFlight<boolean>('reading TLS files');
  readonly #complained = new Set<string>();
  #settings: TlsSettings;
  #caAt: number;
  #certificateAt: number;

  private constructor(plan: TlsPlan, settings: TlsSettings, env: Env) {
    this.#plan = plan;
    this.#env = env;
    this.#settings = settings;
    this.#caAt = this.#certificateAt = env.now();
    printAs(this, () => shownTls(this.#settings));
  }

  /** Reads everything once. Rejects INVALID_CONFIG with the field and the path. */
  static async open(plan: TlsPlan, env: Env = systemEnv): Promise<TlsFiles> {
    return new TlsFiles(plan, settingsOf(plan, await caOf(plan), await certificateOf(plan)), env);
  }

  current(): TlsSettings {
    return this.#settings;
  }

  refresh(): Promise<boolean> {
    // A signal of its own: one for all would collect the listeners of every client in the process.
    return this.#refreshing.join(new AbortController().signal, () => this.#refresh());
  }

  async #refresh(): Promise<boolean> {
    const { ca: oldCa, certificate: oldCertificate } = this.#settings;
    let ca = oldCa;
    let certificate = oldCertificate;
    const now = this.#env.now();
    if (isFile(this.#plan.ca) && now - this.#caAt >= CA_AGE_MS) {
      this.#caAt = now;
      ca = (await this.#good('certificate authority', () => caOf(this.#plan))) ?? oldCa;
    }
    if ((isFile(this.#plan.cert) || isFile(this.#plan.key)) && now - this.#certificateAt >= CERTIFICATE_AGE_MS) {
      this.#certificateAt = now;
      certificate = (await this.#good('client certificate', () => certificateOf(this.#plan))) ?? oldCertificate;
    }
    const isNewPair = certificate?.cert !== oldCertificate?.cert || certificate?.key !== oldCertificate?.key;
    if (ca === oldCa && !isNewPair) return false;
    this.#settings = settingsOf(this.#plan, ca, isNewPair ? certificate : oldCertificate);
    return true;
  }

  /** What `read` gives, or undefined and one line in the log for as long as it fails. */
  async #good<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await read();
      this.#complained.delete(what);
      return value;
    } catch (error) {
      if (!this.#complained.has(what)) {
        this.#complained.add(what);
        this.#env.log('warn', `the ${what} could not be read again, keeping the last good one`, {
          error: safeCause(error),
        });
      }
      return undefined;
    }
  }
}

/** For printing: what kind of trust, and nothing of the material. */
export function shownTls(settings: TlsSettings): object {
  return {
    ca: settings.ca === undefined ? 'of the platform' : 'own',
    ...defined({ serverName: settings.serverName }),
    insecureSkipVerify: settings.insecureSkipVerify === true,
    clientCertificate: settings.certificate !== undefined,
  };
}

/** Throws unless the text is certificates in PEM, one at least, each readable. */
export function checkCertificates(pem: string, where: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new KubeError('INVALID_CONFIG', `${where}: expected certificates in PEM, found none`);
  for (const [at, block] of blocks.entries()) {
    try {
      new X509Certificate(block);
    } catch (error) {
      const message = `${where}: certificate ${at + 1} of ${blocks.length} is not readable`;
      throw new KubeError('INVALID_CONFIG', message, { cause: safeCause(error) });
    }
  }
}

/** Throws INVALID_CONFIG unless the key is the certificate's. */
export function checkedPair(cert: string, key: string, where: string): ClientCertificate {
  rememberSecret(key);
  checkCertificates(cert, where);
  let fits;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    const message = `${where}: the private key is not readable: expected PEM without a passphrase`;
    throw new KubeError('INVALID_CONFIG', message, { cause: safeCause(error) });
  }
  if (!fits) throw new KubeError('INVALID_CONFIG', `${where}: the private key does not belong to the certificate`);
  return conceal({ cert, key }, { cert: '[redacted]', key: '[redacted]' });
}

async function caOf(plan: TlsPlan): Promise<string | undefined> {
  if (plan.ca === undefined) return undefined;
  const pem = await pemOf(plan.ca);
  checkCertificates(pem, whereOf(plan.ca));
  return pem;
}

async function certificateOf(plan: TlsPlan): Promise<ClientCertificate | undefined> {
  if (plan.cert === undefined || plan.key === undefined) return undefined;
  return checkedPair(await pemOf(plan.cert), await pemOf(plan.key), whereOf(plan.cert));
}

function pemOf(plan: PemPlan): Promise<string> {
  return 'pem' in plan ? Promise.resolve(plan.pem) : readTextFile(absolutePath(plan.file), plan.file.where);
}

function whereOf(plan: PemPlan): string {
  return 'pem' in plan ? plan.where : `${plan.file.where}: ${plan.file.path}`;
}

function isFile(plan: PemPlan | undefined): boolean {
  return plan !== undefined && 'file' in plan;
}

function settingsOf(plan: TlsPlan, ca: string | undefined, certificate: ClientCertificate | undefined): TlsSettings {
  return defined({ ca, certificate, serverName: plan.serverName, insecureSkipVerify: plan.insecureSkipVerify });
}
