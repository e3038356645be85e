import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { addressBytes } from '../../core/ip-address.ts';
import {
  bitString,
  boolean,
  context,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
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
  /** DNS names and IP addresses a server answers to. */
  readonly names?: readonly string[];
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = objectIdentifier('2.5.4.3');
const ORGANIZATION = objectIdentifier('2.5.4.10');

const SUBJECT_KEY_IDENTIFIER = objectIdentifier('2.5.29.14');
const KEY_USAGE = objectIdentifier('2.5.29.15');
const SUBJECT_ALTERNATIVE_NAME = objectIdentifier('2.5.29.17');
const BASIC_CONSTRAINTS = objectIdentifier('2.5.29.19');
const AUTHORITY_KEY_IDENTIFIER = objectIdentifier('2.5.29.35');
const EXTENDED_KEY_USAGE = objectIdentifier('2.5.29.37');

const EXTENDED_USE = {
  server: objectIdentifier('1.3.6.1.5.5.7.3.1'),
  client: objectIdentifier('1.3.6.1.5.5.7.3.2'),
};

/** Bits of the key usage, highest first: digitalSignature, and for an authority keyCertSign and cRLSign as well. */
const LEAF_USAGE = bitString(Buffer.from([0b1000_0000]), 7);
const AUTHORITY_USAGE = bitString(Buffer.from([0b1000_0110]), 1);

/** An X.509 v3 certificate over a P-256 key, signed with the issuer's P-256 key, as PEM. */
export function signCertificate(request: CertificateRequest): string {
  const { subject, publicKey, issuer, notBefore, notAfter } = request;
  const content = sequence(
    context(0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer.subject),
    sequence(time(notBefore), time(notAfter)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    context(3, sequence(...extensionsOf(request))),
  );
  return pem(sequence(content, ECDSA_WITH_SHA256, bitString(sign('sha256', content, issuer.key))));
}

/** Random, so that two authorities that happen to share a name never give out the same number. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  // Never zero and never negative, which strict verifiers refuse.
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes;
}

function distinguishedName({ name, groups = [] }: Subject): Buffer {
  const attribute = (type: Buffer, value: string): Buffer => set(sequence(type, utf8String(value)));
  return sequence(...groups.map((group) => attribute(ORGANIZATION, group)), attribute(COMMON_NAME, name));
}

function extensionsOf({ publicKey, issuer, use, names = [] }: CertificateRequest): Buffer[] {
  const isAuthority = use === 'authority';
  const extensions = [
    extension(BASIC_CONSTRAINTS, isAuthority ? sequence(boolean(true)) : sequence(), { critical: true }),
    extension(KEY_USAGE, isAuthority ? AUTHORITY_USAGE : LEAF_USAGE, { critical: true }),
    extension(SUBJECT_KEY_IDENTIFIER, octetString(keyIdentifier(publicKey))),
  ];
  if (use === 'authority') return extensions;
  const issuerIdentifier = keyIdentifier(createPublicKey(issuer.key));
  extensions.push(
    extension(EXTENDED_KEY_USAGE, sequence(EXTENDED_USE[use])),
    extension(AUTHORITY_KEY_IDENTIFIER, sequence(context(0, issuerIdentifier, { constructed: false }))),
  );
  if (names.length > 0) extensions.push(extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names.map(generalName))));
  return extensions;
}

function extension(type: Buffer, value: Buffer, { critical = false } = {}): Buffer {
  return critical ? sequence(type, boolean(true), octetString(value)) : sequence(type, octetString(value));
}

function generalName(name: string): Buffer {
  const address = addressBytes(name);
  return address === undefined
    ? context(2, Buffer.from(name, 'ascii'), { constructed: false })
    : context(7, address, { constructed: false });
}

/** An uncompressed point of P-256: the last bytes of the public key's DER form. */
const POINT_BYTES = 65;

/** Ties a certificate to its issuer's key when names alone would not. The hash is a label here, not a protection. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-POINT_BYTES);
  return createHash('sha1').update(point).digest();
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
