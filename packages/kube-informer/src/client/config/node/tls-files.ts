import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type Env, systemEnv } from '../../../core/env.ts';
import { KubeError } from '../../../core/errors.ts';
import { conceal, concealInPrint } from '../../secrets/conceal.ts';
import { defined } from '../../../core/defined.ts';
import type { PemPlan, TlsPlan } from '../connection-plan.ts';
import type { TlsSettings, TlsSource } from '../../transport/tls-settings.ts';
import type { ClientCertificate } from '../../transport/tls-settings.ts';
import { absoluteFilePath, readTextFile } from './read-file.ts';
import { redactForSafeError } from '../../../core/safe-error.ts';
import { SingleFlight } from '../../../core/async/single-flight.ts';

/** Minimum time between two reads of the certificate authority, which is valid for years. */
const CA_AGE_MS = 60_000;
/** Minimum time between two reads of the client certificate, which is refreshed for each new connection. */
const CERTIFICATE_AGE_MS = 1_000;

/**
 * TLS settings that follow their files.
 *
 * Promises: `current` never waits and never fails; `refresh` reads the files that are due and never rejects: while a
 * file is missing, empty, unreadable or not a certificate, the last good one is kept, and so it is while certificate
 * and key do not match (one of them is not written yet). Contents are compared, not times, because a mounted volume
 * replaces symbolic links. `current()` returns the same object until something changes.
 *
 * Room rule: reads and compares; the transport decides what a change means for connections.
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
    concealInPrint(this, () => printableTlsFile(this.#settings));
  }

  /** Reads everything once. Rejects INVALID_CONFIG with the field and the path. */
  static async open(plan: TlsPlan, env: Env = systemEnv): Promise<TlsFiles> {
    return new TlsFiles(
      plan,
      loadTlsFiles(plan, await readTlsFileOfCa(plan), await readTlsFileOfCertificate(plan)),
      env,
    );
  }

  current(): TlsSettings {
    return this.#settings;
  }

  refresh(): Promise<boolean> {
    // A new signal each time: a shared one would collect the listeners of every client in the process.
    return this.#refreshing.join(new AbortController().signal, () => this.#refresh());
  }

  async #refresh(): Promise<boolean> {
    const { ca: oldCa, certificate: oldCertificate } = this.#settings;
    let ca = oldCa;
    let certificate = oldCertificate;
    const now = this.#env.now();
    if (isTlsFile(this.#plan.ca) && now - this.#caAt >= CA_AGE_MS) {
      this.#caAt = now;
      ca = (await this.#readOrLog('certificate authority', () => readTlsFileOfCa(this.#plan))) ?? oldCa;
    }
    if ((isTlsFile(this.#plan.cert) || isTlsFile(this.#plan.key)) && now - this.#certificateAt >= CERTIFICATE_AGE_MS) {
      this.#certificateAt = now;
      certificate =
        (await this.#readOrLog('client certificate', () => readTlsFileOfCertificate(this.#plan))) ?? oldCertificate;
    }
    const isNewPair = certificate?.cert !== oldCertificate?.cert || certificate?.key !== oldCertificate?.key;
    if (ca === oldCa && !isNewPair) return false;
    this.#settings = loadTlsFiles(this.#plan, ca, isNewPair ? certificate : oldCertificate);
    return true;
  }

  /** The result of `read`, or undefined if it fails. Logs the first of several failures. */
  async #readOrLog<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await read();
      this.#complained.delete(what);
      return value;
    } catch (error) {
      if (!this.#complained.has(what)) {
        this.#complained.add(what);
        this.#env.log('warn', `cannot reread the ${what}; using the last good one`, {
          error: redactForSafeError(error),
        });
      }
      return undefined;
    }
  }
}

/** Printed in place of the settings: no keys, no certificates. */
function printableTlsFile(settings: TlsSettings): object {
  return {
    ca: settings.ca === undefined ? 'platform' : 'custom',
    ...defined({ serverName: settings.serverName }),
    insecureSkipVerify: settings.insecureSkipVerify === true,
    clientCertificate: settings.certificate !== undefined,
  };
}

/** Throws INVALID_CONFIG unless the text has at least one PEM certificate and all can be parsed. */
export function checkTlsFileCertificates(pem: string, where: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new KubeError('INVALID_CONFIG', `${where}: expected PEM certificates, found none`);
  for (const [at, block] of blocks.entries()) {
    try {
      new X509Certificate(block);
    } catch (error) {
      const message = `${where}: certificate ${at + 1} of ${blocks.length} cannot be parsed`;
      throw new KubeError('INVALID_CONFIG', message, { cause: redactForSafeError(error) });
    }
  }
}

/** Throws INVALID_CONFIG unless the key belongs to the certificate. */
export function checkedTlsFilePair(cert: string, key: string, where: string): ClientCertificate {
  checkTlsFileCertificates(cert, where);
  let isMatch;
  try {
    isMatch = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    const message = `${where}: cannot parse the private key: expected PEM without a passphrase`;
    throw new KubeError('INVALID_CONFIG', message, { cause: redactForSafeError(error) });
  }
  if (!isMatch) throw new KubeError('INVALID_CONFIG', `${where}: the private key does not belong to the certificate`);
  return conceal({ cert, key }, { cert: '[redacted]', key: '[redacted]' });
}

async function readTlsFileOfCa(plan: TlsPlan): Promise<string | undefined> {
  if (plan.ca === undefined) return undefined;
  const pem = await readTlsFilePem(plan.ca);
  checkTlsFileCertificates(pem, tlsFileLocation(plan.ca));
  return pem;
}

async function readTlsFileOfCertificate(plan: TlsPlan): Promise<ClientCertificate | undefined> {
  if (plan.cert === undefined || plan.key === undefined) return undefined;
  return checkedTlsFilePair(
    await readTlsFilePem(plan.cert),
    await readTlsFilePem(plan.key),
    tlsFileLocation(plan.cert),
  );
}

function readTlsFilePem(plan: PemPlan): Promise<string> {
  return 'pem' in plan ? Promise.resolve(plan.pem) : readTextFile(absoluteFilePath(plan.file), plan.file.where);
}

function tlsFileLocation(plan: PemPlan): string {
  return 'pem' in plan ? plan.where : `${plan.file.where}: ${plan.file.path}`;
}

function isTlsFile(plan: PemPlan | undefined): boolean {
  return plan !== undefined && 'file' in plan;
}

function loadTlsFiles(plan: TlsPlan, ca: string | undefined, certificate: ClientCertificate | undefined): TlsSettings {
  return defined({ ca, certificate, serverName: plan.serverName, insecureSkipVerify: plan.insecureSkipVerify });
}
