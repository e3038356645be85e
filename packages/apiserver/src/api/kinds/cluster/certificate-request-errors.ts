import { createPublicKey } from 'node:crypto';
import { defined } from 'kube-informer/core';
import {
  duplicateFieldError,
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import { labelSyntaxComplaints, subdomainSyntaxComplaints } from '../../meta/name-syntax.ts';
import {
  ensureFields,
  type Fields,
  numberField,
  shownFieldValue,
  specFields,
  textField,
  textsField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';

const USAGES = [
  'any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment', 'decipher only',
  'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel', 'ipsec user', 'key agreement',
  'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime', 'server auth', 'signing', 'timestamping',
]; // prettier-ignore
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const MIN_SECONDS = 600;

export const certificateRequestRules: KindRules = {
  prepareCreate(object, { user }) {
    const spec = ensureFields(object, 'spec');
    for (const name of ['username', 'uid', 'groups', 'extra']) delete spec[name];
    if (user === undefined) return;
    const { name, uid, groups, extra } = user;
    Object.assign(spec, { username: name, groups: [...groups] }, defined({ uid }));
    if (extra !== undefined) spec['extra'] = structuredClone(extra);
  },
  prepareUpdate: (next, old) => void (next['spec'] = old['spec']),
  validate: (object) => {
    const spec = specFields(object);
    return [
      ...certificateRequestErrors(spec),
      ...certificateUsageErrors(spec),
      ...certificateSignerErrors(spec),
      ...certificateExpirationErrors(spec),
    ];
  },
  // The spec cannot change any more, and stored values are not checked again.
  validateUpdate: () => [],
};

function certificateRequestErrors(spec: Fields): FieldError[] {
  const request = textField(spec, 'request');
  const bad = (why: string): FieldError[] => [
    invalidFieldError('spec.request', request === '' ? null : shownFieldValue(spec['request']), why),
  ];
  const { type, bytes } = firstPemOfCertificateRequest(Buffer.from(request, 'base64').toString('latin1')) ?? {};
  if (type !== 'CERTIFICATE REQUEST' || bytes === undefined) return bad('PEM block type must be CERTIFICATE REQUEST');
  return isCertificateRequest(bytes) ? [] : bad('asn1: structure error: not a PKCS#10 certificate request');
}

/** The first block of a PEM text. */
function firstPemOfCertificateRequest(text: string): { readonly type: string; readonly bytes: Buffer } | undefined {
  const begin = text.indexOf('-----BEGIN ');
  const headEnd = begin === -1 ? -1 : text.indexOf('-----', begin + 11);
  if (headEnd === -1) return undefined;
  const type = text.slice(begin + 11, headEnd);
  const end = text.indexOf(`-----END ${type}-----`, headEnd);
  return end === -1 ? undefined : { type, bytes: Buffer.from(text.slice(headEnd + 5, end), 'base64') };
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** All bytes of the element, its tag and length included. */
  readonly whole: Buffer;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const ATTRIBUTES = 0xa0;

/** Whether it is PKCS#10 as far as a server checks: the parts are present, in order, with a readable key. */
function isCertificateRequest(bytes: Buffer): boolean {
  const [outer, ...rest] = certificateRequestElements(bytes) ?? [];
  if (outer?.tag !== SEQUENCE || rest.length > 0) return false;
  const parts = certificateRequestElements(outer.content) ?? [];
  const info = certificateRequestElements(parts[0]?.content ?? Buffer.alloc(0)) ?? [];
  const tags = (list: readonly Element[]): string => list.map(({ tag }) => tag.toString(16)).join();
  if (tags(parts) !== [SEQUENCE, SEQUENCE, BIT_STRING].map((tag) => tag.toString(16)).join()) return false;
  const wanted = [INTEGER, SEQUENCE, SEQUENCE, ATTRIBUTES].map((tag) => tag.toString(16));
  if (tags(info) !== wanted.join() && tags(info) !== wanted.slice(0, 3).join()) return false;
  try {
    createPublicKey({ key: (info[2] as Element).whole, format: 'der', type: 'spki' });
    return true;
  } catch {
    return false; // a key that this process does not support, so no request it could pass on
  }
}

/** DER elements one after the other; undefined if the bytes are not DER. */
function certificateRequestElements(bytes: Buffer): Element[] | undefined {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at + 1];
    if (first === undefined) return undefined;
    const more = first < 0x80 ? 0 : first - 0x80;
    if (more > 4 || at + 2 + more > bytes.length) return undefined;
    const length = more === 0 ? first : bytes.readUIntBE(at + 2, more);
    const start = at + 2 + more;
    if (start + length > bytes.length) return undefined;
    found.push({
      tag: bytes[at] as number,
      content: bytes.subarray(start, start + length),
      whole: bytes.subarray(at, start + length),
    });
    at = start + length;
  }
  return found;
}

function certificateUsageErrors(spec: Fields): FieldError[] {
  const usages = textsField(spec, 'usages');
  if (usages.length === 0) return [requiredFieldError('spec.usages')];
  const path = (index: number): string => `spec.usages[${index}]`;
  return [
    ...usages.flatMap((usage, index) =>
      USAGES.includes(usage) ? [] : [unsupportedFieldError(path(index), usage, USAGES)],
    ),
    ...usages.flatMap((usage, index) =>
      usages.indexOf(usage) === index ? [] : [duplicateFieldError(path(index), usage)],
    ),
  ];
}

function certificateSignerErrors(spec: Fields): FieldError[] {
  const field = 'spec.signerName';
  const name = textField(spec, 'signerName');
  if (name === '') return [requiredFieldError(field)];
  const [domain = '', path = '', ...rest] = name.split('/');
  if (!name.includes('/') || rest.length > 0)
    return [
      invalidFieldError(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  const errors = [
    ...domain.split('.').flatMap((label) => certificateSignerLabelErrors(field, domain, label, labelSyntaxComplaints)),
    ...(domain.includes('.')
      ? []
      : [invalidFieldError(field, domain, 'should be a domain with at least two segments separated by dots')]),
    ...path.split('.').flatMap((label) => certificateSignerLabelErrors(field, path, label, subdomainSyntaxComplaints)),
  ];
  if (name === LEGACY_SIGNER)
    errors.push(invalidFieldError(field, name, 'the legacy signerName is not allowed via this API version'));
  return errors;
}

const certificateSignerLabelErrors = (
  field: string,
  value: string,
  label: string,
  complaints: (text: string) => readonly string[],
): FieldError[] =>
  complaints(label).map((why) => invalidFieldError(field, value, `validating label "${label}": ${why}`));

function certificateExpirationErrors(spec: Fields): FieldError[] {
  const seconds = numberField(spec, 'expirationSeconds');
  if (seconds === undefined || seconds >= MIN_SECONDS) return [];
  const why = `may not specify a duration less than ${MIN_SECONDS} seconds (10 minutes)`;
  return [invalidFieldError('spec.expirationSeconds', seconds, why)];
}
