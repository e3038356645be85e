import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { TlsSettings } from 'kube-informer/client';
import { defined, type Env } from 'kube-informer/core';
import { objectAgeText, objectAgeInstant } from '@kube-informer/inspector/internal';
import { failDoctorFinding, type Finding, okDoctorFinding, warnDoctorFinding } from './doctor-finding.ts';
import { connectDoctorSocket, doctorSocketErrorCode } from './doctor-socket.ts';

const DAY_MS = 86_400_000;
/** Time before its expiry from which a certificate causes a warning. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

export interface TlsEndpoint {
  readonly host: string;
  readonly port: number;
  readonly settings: TlsSettings;
}

/** Checks the server's certificate and HTTP/2. If the certificate is not trusted, finds out who issued it. */
export async function* tlsFindings(endpoint: TlsEndpoint, env: Env, signal: AbortSignal): AsyncGenerator<Finding> {
  const { insecureSkipVerify = false } = endpoint.settings;
  const options = tlsFindingOptions(endpoint);
  let socket: TLSSocket;
  try {
    socket = await connectDoctorSocket(connectTls(options), 'secureConnect', env, signal);
  } catch (error) {
    return yield await untrustedTlsFinding(options, doctorSocketErrorCode(error), env, signal);
  }
  const { valid_to: validTo } = socket.getPeerCertificate();
  const left = (objectAgeInstant(validTo) ?? Infinity) - env.wallNow();
  const [protocol, alpn] = [socket.getProtocol() ?? 'TLS', socket.alpnProtocol];
  socket.destroy();
  if (insecureSkipVerify)
    yield warnDoctorFinding(
      'TLS',
      `${protocol}; the server's certificate is not verified`,
      'remove insecure-skip-tls-verify and add certificate-authority-data',
    );
  else if (left < EXPIRES_SOON_MS)
    yield warnDoctorFinding(
      'TLS',
      `${protocol}; the server's certificate expires in ${objectAgeText(left)}`,
      'renew the certificate',
    );
  else yield okDoctorFinding('TLS', `${protocol}; the certificate is trusted and valid for ${objectAgeText(left)}`);
  yield alpn === 'h2'
    ? okDoctorFinding('HTTP/2', 'supported: all watches share one connection')
    : warnDoctorFinding(
        'HTTP/2',
        'not supported: every watch needs its own connection',
        'check for a proxy or load balancer that disables HTTP/2',
      );
}

function tlsFindingOptions({ host, port, settings }: TlsEndpoint): ConnectionOptions {
  const { ca, serverName, insecureSkipVerify = false } = settings;
  const servername = serverName ?? (isIP(host) === 0 ? host : undefined);
  return {
    host,
    port,
    ALPNProtocols: ['h2', 'http/1.1'],
    rejectUnauthorized: !insecureSkipVerify,
    ...defined({ ca, servername }),
  };
}

async function untrustedTlsFinding(
  options: ConnectionOptions,
  code: string,
  env: Env,
  signal: AbortSignal,
): Promise<Finding> {
  const text = `the server's certificate is not trusted (${code})`;
  if (/EXPIRED|NOT_YET_VALID/.test(code))
    return failDoctorFinding(
      'TLS',
      text,
      'the time of this machine is not in the period of the certificate: renew it, or correct the clock',
    );
  if (/TIMEDOUT|RESET/.test(code))
    return failDoctorFinding(
      'TLS',
      `no TLS connection (${code})`,
      'the port is open, but does not respond to TLS: check the port',
    );
  const shown = await certificateInTlsFinding(options, env, signal);
  if (shown === undefined)
    return failDoctorFinding(
      'TLS',
      `no TLS connection (${code})`,
      'check that this is the port of a Kubernetes API server',
    );
  if (/ALTNAME/.test(code))
    return failDoctorFinding(
      'TLS',
      `${text}: it is valid for ${shown.names}`,
      'use one of these names as the server, or set tls-server-name',
    );
  return unknownIssuerTlsFinding(text, shown.issuer, caNamesInTlsFinding(options.ca));
}

/** The issuer of the certificate and the given CAs: one of the two is unexpected. */
function unknownIssuerTlsFinding(text: string, issuer: string, given: readonly string[]): Finding {
  const way = 'certificate-authority-data in the kubeconfig, or --certificate-authority';
  const proxy = `if "${issuer}" is not the CA of your cluster, a proxy in between intercepts TLS`;
  if (given.length === 0)
    return failDoctorFinding(
      'TLS',
      `${text}: it was issued by "${issuer}", and no CA is given, so that only public CAs are trusted`,
      `set the CA of the cluster: ${way}; ${proxy}`,
    );
  if (given.includes(issuer))
    return failDoctorFinding(
      'TLS',
      `${text}: it was issued by "${issuer}"; the given CA has the same name, but another key`,
      'the cluster was created anew, or its CA was renewed: get a new kubeconfig',
    );
  return failDoctorFinding(
    'TLS',
    `${text}: it was issued by "${issuer}", and the given CA is "${given.join('", "')}"`,
    `give the CA of this cluster: ${way}; ${proxy}`,
  );
}

interface ShownCertificate {
  readonly issuer: string;
  /** Names in the certificate: `DNS:localhost, IP Address:127.0.0.1` */
  readonly names: string;
}

/**
 * Connects again without verifying the certificate, to read it. Sends nothing: no request, no credentials, no
 * client certificate.
 */
async function certificateInTlsFinding(
  options: ConnectionOptions,
  env: Env,
  signal: AbortSignal,
): Promise<ShownCertificate | undefined> {
  try {
    const unchecked = connectTls({ ...options, rejectUnauthorized: false, checkServerIdentity: () => undefined });
    const socket = await connectDoctorSocket(unchecked, 'secureConnect', env, signal);
    const { raw } = socket.getPeerCertificate();
    socket.destroy();
    const { issuer, subjectAltName, subject } = new X509Certificate(raw);
    return { issuer: shortNameInTlsFinding(issuer), names: subjectAltName ?? shortNameInTlsFinding(subject) };
  } catch {
    return undefined;
  }
}

/** The names of the certificates in a PEM text, at most three. */
function caNamesInTlsFinding(ca: ConnectionOptions['ca']): readonly string[] {
  const blocks = typeof ca === 'string' ? ca.split(/(?=-----BEGIN CERTIFICATE-----)/).slice(0, 4) : [];
  return blocks
    .filter((block) => block.startsWith('-----BEGIN'))
    .slice(0, 3)
    .map((block) => {
      try {
        return shortNameInTlsFinding(new X509Certificate(block).subject);
      } catch {
        return 'unreadable';
      }
    });
}

/** The common name of a distinguished name, or all of it on one line. */
function shortNameInTlsFinding(name: string): string {
  const common = name.split('\n').find((line) => line.startsWith('CN='));
  return common === undefined ? name.replaceAll('\n', ', ') : common.slice('CN='.length);
}

/** Checks the user's client certificate, whose expiry is easily overlooked. */
export function* tlsFindingsOfClientCertificate({ certificate }: TlsSettings, now: number): Generator<Finding> {
  if (certificate === undefined) return;
  let left: number;
  try {
    left = (objectAgeInstant(new X509Certificate(certificate.cert).validTo) ?? 0) - now;
  } catch {
    return yield failDoctorFinding(
      'certificate',
      'your client certificate cannot be read',
      'check client-certificate-data in the kubeconfig',
    );
  }
  if (left <= 0)
    yield failDoctorFinding(
      'certificate',
      `your client certificate expired ${objectAgeText(-left)} ago`,
      'get a new kubeconfig',
    );
  else if (left < EXPIRES_SOON_MS)
    yield warnDoctorFinding(
      'certificate',
      `your client certificate expires in ${objectAgeText(left)}`,
      'get a new kubeconfig',
    );
  else yield okDoctorFinding('certificate', `your client certificate is valid for ${objectAgeText(left)}`);
}
