import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { ipAddressBytes } from '../../core/ip-address.ts';
import {
  derBitString,
  derBoolean,
  derContext,
  derInteger,
  derObjectIdentifier,
  derOctetString,
  derSequence,
  derSet,
  derTime,
  derUtf8String,
} from './der.ts';

/** The subject of a certificate. Groups become O values, the name becomes CN: that is how Kubernetes reads them back. */
export interface Subject {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface CertificateRequest {
  readonly subject: Subject;
  readonly publicKey: KeyObject;
  readonly issuer: { readonly subject: Subject; readonly key: KeyObject };
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly use: 'authority' | 'server' | 'client';
  /** DNS names and IP addresses of the server. */
  readonly names?: readonly string[];
}

const ECDSA_WITH_SHA256 = derSequence(derObjectIdentifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = derObjectIdentifier('2.5.4.3');
const ORGANIZATION = derObjectIdentifier('2.5.4.10');

const SUBJECT_KEY_IDENTIFIER = derObjectIdentifier('2.5.29.14');
const KEY_USAGE = derObjectIdentifier('2.5.29.15');
const SUBJECT_ALTERNATIVE_NAME = derObjectIdentifier('2.5.29.17');
const BASIC_CONSTRAINTS = derObjectIdentifier('2.5.29.19');
const AUTHORITY_KEY_IDENTIFIER = derObjectIdentifier('2.5.29.35');
const EXTENDED_KEY_USAGE = derObjectIdentifier('2.5.29.37');

const EXTENDED_USE = {
  server: derObjectIdentifier('1.3.6.1.5.5.7.3.1'),
  client: derObjectIdentifier('1.3.6.1.5.5.7.3.2'),
};

/** Key usage bits, highest first: digitalSignature, and for an authority keyCertSign and cRLSign as well. */
const LEAF_USAGE = derBitString(Buffer.from([0b1000_0000]), 7);
const AUTHORITY_USAGE = derBitString(Buffer.from([0b1000_0110]), 1);

/** An X.509 v3 certificate over a P-256 key, signed with the issuer's P-256 key, as PEM. */
export function signX509Certificate(request: CertificateRequest): string {
  const { subject, publicKey, issuer, notBefore, notAfter } = request;
  const content = derSequence(
    derContext(0, derInteger(Buffer.from([2]))),
    derInteger(x509SerialNumber()),
    ECDSA_WITH_SHA256,
    x509Name(issuer.subject),
    derSequence(derTime(notBefore), derTime(notAfter)),
    x509Name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    derContext(3, derSequence(...x509Extensions(request))),
  );
  return x509Pem(derSequence(content, ECDSA_WITH_SHA256, derBitString(sign('sha256', content, issuer.key))));
}

/** A random serial number, so that two authorities with the same name never issue the same one. */
function x509SerialNumber(): Buffer {
  const bytes = randomBytes(16);
  // Never zero and never negative, which strict verifiers refuse.
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes;
}

function x509Name({ name, groups = [] }: Subject): Buffer {
  const attribute = (type: Buffer, value: string): Buffer => derSet(derSequence(type, derUtf8String(value)));
  return derSequence(...groups.map((group) => attribute(ORGANIZATION, group)), attribute(COMMON_NAME, name));
}

function x509Extensions({ publicKey, issuer, use, names = [] }: CertificateRequest): Buffer[] {
  const isAuthority = use === 'authority';
  const extensions = [
    x509Extension(BASIC_CONSTRAINTS, isAuthority ? derSequence(derBoolean(true)) : derSequence(), { critical: true }),
    x509Extension(KEY_USAGE, isAuthority ? AUTHORITY_USAGE : LEAF_USAGE, { critical: true }),
    x509Extension(SUBJECT_KEY_IDENTIFIER, derOctetString(x509KeyIdentifier(publicKey))),
  ];
  if (use === 'authority') return extensions;
  const issuerIdentifier = x509KeyIdentifier(createPublicKey(issuer.key));
  extensions.push(
    x509Extension(EXTENDED_KEY_USAGE, derSequence(EXTENDED_USE[use])),
    x509Extension(AUTHORITY_KEY_IDENTIFIER, derSequence(derContext(0, issuerIdentifier, { constructed: false }))),
  );
  if (names.length > 0)
    extensions.push(x509Extension(SUBJECT_ALTERNATIVE_NAME, derSequence(...names.map(x509GeneralName))));
  return extensions;
}

function x509Extension(type: Buffer, value: Buffer, { critical = false } = {}): Buffer {
  return critical
    ? derSequence(type, derBoolean(true), derOctetString(value))
    : derSequence(type, derOctetString(value));
}

function x509GeneralName(name: string): Buffer {
  const address = ipAddressBytes(name);
  return address === undefined
    ? derContext(2, Buffer.from(name, 'ascii'), { constructed: false })
    : derContext(7, address, { constructed: false });
}

/** Length of an uncompressed point of P-256: the last bytes of the public key's DER form. */
const POINT_BYTES = 65;

/**
 * The identifier of a key, which ties a certificate to its issuer when names alone would not. The hash is not
 * a protection.
 */
function x509KeyIdentifier(publicKey: KeyObject): Buffer {
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-POINT_BYTES);
  return createHash('sha1').update(point).digest();
}

function x509Pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
