import {
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import { ipAddressBytes } from '../../../core/ip-address.ts';
import { subdomainSyntaxComplaints } from '../../meta/name-syntax.ts';
import { type Fields, isFieldAbsent, numberField, shownFieldValue, textField } from './fields.ts';

/** Checks of values that many kinds have, and the error messages for invalid ones. */

const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NO_RANGE = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const NO_PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
export const PORT_RANGE = 'must be between 1 and 65535, inclusive';
export const NOT_NEGATIVE = 'must be greater than or equal to 0';

export const isPortValue = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65535;

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** Errors of a DNS-1123 label in a field. */
export function dnsLabelValueErrors(field: string, value: string): FieldError[] {
  if (value === '') return [requiredFieldError(field)];
  const errors: FieldError[] = [];
  if (value.length > 63) errors.push(invalidFieldError(field, value, 'must be no more than 63 bytes'));
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value)) errors.push(invalidFieldError(field, value, LABEL));
  return errors;
}

/** Errors of a field whose value was complained about. */
export const valueErrors = (field: string, value: string, complaints: readonly string[]): FieldError[] =>
  complaints.map((complaint) => invalidFieldError(field, value, complaint));

/** Errors of a name with dots, if there is one. */
export function subdomainValueErrors(parent: Fields, name: string, path: string): FieldError[] {
  const value = textField(parent, name);
  return value === '' ? [] : valueErrors(`${path}.${name}`, value, subdomainSyntaxComplaints(value));
}

/** Errors of negative counts. A missing one is zero. */
export function negativeValueErrors(parent: Fields, names: readonly string[], path: string): FieldError[] {
  return names.flatMap((name) => {
    const value = numberField(parent, name) ?? 0;
    return value < 0 ? [invalidFieldError(`${path}.${name}`, value, NOT_NEGATIVE)] : [];
  });
}

export function ipAddressValueErrors(field: string, text: string): FieldError[] {
  if (/^\d+(\.\d+){3}$/.test(text) && /(^|\.)0\d/.test(text))
    return [invalidFieldError(field, text, 'must not have leading 0s')];
  return ipAddressBytes(text) === undefined ? [invalidFieldError(field, text, NO_ADDRESS)] : [];
}

export interface AddressRange {
  readonly bytes: Buffer;
  readonly bits: number;
}

export function addressRangeValue(text: string): AddressRange | undefined {
  const [, address = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const bytes = ipAddressBytes(address);
  const bits = Number(length);
  return bytes === undefined || length === '' || bits > bytes.length * 8 ? undefined : { bytes, bits };
}

export function addressRangeValueErrors(field: string, text: string): FieldError[] {
  const range = addressRangeValue(text);
  if (range === undefined) return [invalidFieldError(field, text, NO_RANGE)];
  const isExact = maskedAddressValue(range.bytes, range.bits).equals(range.bytes);
  return isExact ? [] : [invalidFieldError(field, text, 'must not have bits set beyond the prefix length')];
}

/** Whether `inner` is a proper part of `outer`. */
export const isRangeValueInside = (inner: AddressRange, outer: AddressRange): boolean =>
  inner.bytes.length === outer.bytes.length &&
  inner.bits > outer.bits &&
  maskedAddressValue(inner.bytes, outer.bits).equals(maskedAddressValue(outer.bytes, outer.bits));

function maskedAddressValue(bytes: Buffer, bits: number): Buffer {
  return Buffer.from(
    bytes.map((byte, index) => byte & (0xff << Math.max(0, Math.min(8, 8 - (bits - index * 8)))) & 0xff),
  );
}

/** Errors of addresses that cannot be endpoints: loopback, link-local and unspecified ones. */
export function specialAddressValueErrors(field: string, text: string): FieldError[] {
  const why = specialAddressValueText(text);
  return why === undefined ? [] : [invalidFieldError(field, text, why)];
}

function specialAddressValueText(text: string): string | undefined {
  const bytes = ipAddressBytes(text);
  if (bytes === undefined) return 'must be a valid IP address';
  const isFour = bytes.length === 4;
  if (bytes.every((byte) => byte === 0)) return `may not be unspecified (${text})`;
  const within = (...ranges: readonly string[]): boolean =>
    ranges.some((one) => {
      const range = addressRangeValue(one) as AddressRange;
      return range.bytes.length === bytes.length && maskedAddressValue(bytes, range.bits).equals(range.bytes);
    });
  if (isFour ? within('127.0.0.0/8') : within('::1/128'))
    return 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  if (within('169.254.0.0/16', 'fe80::/10')) return 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  return within('224.0.0.0/24', 'ff02::/16')
    ? 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'
    : undefined;
}

/** Errors of a port, given by number or by its name in a container. */
export function portValueErrors(field: string, port: unknown): FieldError[] {
  if (typeof port === 'string') return valueErrors(field, port, portNameValueErrors(port));
  const number = typeof port === 'number' ? port : 0;
  return isPortValue(number) ? [] : [invalidFieldError(field, number, PORT_RANGE)];
}

export function portNameValueErrors(name: string): string[] {
  const complaints: string[] = [];
  if (name.length > 15) complaints.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name))
    complaints.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) complaints.push('must contain at least one letter (a-z)');
  if (name.includes('--')) complaints.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(name)) complaints.push('must not begin or end with a hyphen');
  return complaints;
}

/** Errors of a number or a percentage. */
export function intOrPercentValueErrors(parent: Fields, name: string, path: string): FieldError[] {
  const value = parent[name];
  if (isFieldAbsent(value)) return [];
  const field = `${path}.${name}`;
  if (typeof value === 'string') return /^\d+%$/.test(value) ? [] : [invalidFieldError(field, value, NO_PERCENT)];
  return Number(value) < 0 ? [invalidFieldError(field, shownFieldValue(value), NOT_NEGATIVE)] : [];
}

/** Errors of a percentage above 100. */
export function percentValueErrors(parent: Fields, name: string, path: string): FieldError[] {
  const value = textField(parent, name);
  const isTooMuch = /^\d+%$/.test(value) && Number.parseInt(value, 10) > 100;
  return isTooMuch ? [invalidFieldError(`${path}.${name}`, value, 'must not be greater than 100%')] : [];
}

export const requiredValueErrors = (parent: Fields, name: string, path: string): FieldError[] =>
  textField(parent, name) === '' ? [requiredFieldError(`${path}.${name}`)] : [];

/** Errors of a value that is not one of a few words. Absent is allowed, because defaults were applied before. */
export function choiceValueErrors(
  parent: Fields,
  name: string,
  path: string,
  choices: readonly string[],
): FieldError[] {
  const value = textField(parent, name);
  return value === '' || choices.includes(value) ? [] : [unsupportedFieldError(`${path}.${name}`, value, choices)];
}

const KEY_SYNTAX =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Errors of a key of a ConfigMap or Secret. */
export function dataKeyValueErrors(path: string, key: string): FieldError[] {
  if (key.length > 253) return [invalidFieldError(path, key, 'must be no more than 253 bytes')];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) return [invalidFieldError(path, key, KEY_SYNTAX)];
  if (key === '.' || key === '..') return [invalidFieldError(path, key, `must not be '${key}'`)];
  return key.startsWith('..') ? [invalidFieldError(path, key, "must not start with '..'")] : [];
}
