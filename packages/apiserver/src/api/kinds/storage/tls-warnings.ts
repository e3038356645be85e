import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ApiObject } from '../../../core/kube-object.ts';
import { textField, textMapField } from '../common/fields.ts';

/** The warning about a secret of type `kubernetes.io/tls` whose certificate and key cannot be used together. */
export function tlsSecretWarnings(secret: ApiObject): string[] {
  if (textField(secret, 'type') !== 'kubernetes.io/tls') return [];
  const data = textMapField(secret, 'data');
  const pem = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
  const [certificate, key] = [pem('tls.crt'), pem('tls.key')];
  if (!certificate.includes('-----BEGIN')) return ['tls: failed to find any PEM data in certificate input'];
  if (!key.includes('-----BEGIN')) return ['tls: failed to find any PEM data in key input'];
  const parsed = attemptTlsWarningParse(() => new X509Certificate(certificate));
  // Other faults have messages of Go's parsers, which are not known here.
  if (parsed === undefined) return [];
  const privateKey = attemptTlsWarningParse((): KeyObject => createPrivateKey(key));
  if (privateKey === undefined) return ['tls: failed to parse private key'];
  return parsed.checkPrivateKey(privateKey) ? [] : ['tls: private key does not match public key'];
}

function attemptTlsWarningParse<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
