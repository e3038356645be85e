import {
  scanCidr,
  scanCreditCard,
  scanEmail,
  scanHostname,
  scanIpv4,
  scanIpv6,
  scanMac,
  scanUuidFormat,
} from './scanners.ts';
import { isRequestUri } from './uri.ts';

/**
 * Formats of texts that a CustomResourceDefinition may use, by name without dashes. A format that is not here
 * is not checked, as on a real server.
 */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>(
  Object.entries({
    bsonobjectid: formatPattern(/^[0-9a-f]{24}$/i),
    byte: (text) => text !== '' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
    cidr: scanCidr,
    creditcard: scanCreditCard,
    date: isDateFormat,
    datetime: isDateTimeFormat,
    duration: isDurationFormat,
    email: scanEmail,
    hexcolor: formatPattern(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
    hostname: scanHostname,
    ipv4: (text) => scanIpv4(text) || (text.includes('.') && scanIpv6(text)),
    ipv6: scanIpv6,
    isbn: (text) => isIsbn10Format(text) || isIsbn13Format(text),
    isbn10: isIsbn10Format,
    isbn13: isIsbn13Format,
    k8slongname: (text) =>
      text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
    k8sshortname: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
    mac: scanMac,
    password: () => true,
    rgbcolor: isRgbColorFormat,
    ssn: formatPattern(/^\d{3}[- ]\d{2}[- ]\d{4}$/),
    uri: isRequestUri,
    uuid: (text) => scanUuidFormat(text),
    uuid3: (text) => scanUuidFormat(text, '3'),
    uuid4: (text) => scanUuidFormat(text, '4', '89ab'),
    uuid5: (text) => scanUuidFormat(text, '5', '89ab'),
  }),
);

const formatName = (format: string): string => format.replaceAll('-', '');

export const isKnownFormat = (format: string): boolean => FORMATS.has(formatName(format));

export const hasFormat = (format: string, text: string): boolean => FORMATS.get(formatName(format))?.(text) ?? true;

function formatPattern(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

function isDateFormat(text: string): boolean {
  const { year, month, day } = /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/.exec(text)?.groups ?? {};
  if (year === undefined) return false;
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0;
  return Number(day) >= 1 && Number(day) <= days;
}

function isDateTimeFormat(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  return isDateFormat(date) && hours !== undefined && hours <= '23' && `${minutes}` <= '59' && `${seconds}` <= '59';
}

/** Whether a text is a Go duration (`1h30m`) or one in words (`2 days`). */
function isDurationFormat(text: string): boolean {
  if (/^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some(([, unit = '']) =>
    /^(?:ns|us|µs|ms|s|m|h|hr|d|w|wk|nano.*|micro.*|milli.*|sec.*|min.*|hour.*|day.*|week.*)$/i.test(unit),
  );
}

function isRgbColorFormat(text: string): boolean {
  const channels = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)?.slice(1);
  return channels?.every((channel) => Number(channel) <= 255 && String(Number(channel)) === channel) ?? false;
}

function isIsbn10Format(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = digits.split('').reduce((total, digit, at) => total + (at + 1) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13Format(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return digits.split('').reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}
