import { isIP } from 'node:net';

/**
 * Scanners of complex formats, each in one pass from left to right. The table of the conformance suite lists
 * what a real server accepts; these reproduce its oddities.
 */

const scanHex = (text: string): boolean => text !== '' && !/[^0-9a-fA-F]/.test(text);
const scanDigits = (text: string): boolean => text !== '' && !/\D/.test(text);

const LABEL_BYTES = 63;
const HOSTNAME_BYTES = 255;
/** Whether a character is a letter of any script, a digit or a symbol. */
const isScannedWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{S}0-9]/u.test(character);
const isScannedLetter = (character: string): boolean => /\p{L}/u.test(character);

/**
 * Scans a host name: labels of words and inner dashes, and a last one of at least two letters. A single label
 * may have one dash, right after its first character.
 */
export function scanHostname(text: string): boolean {
  const labels = text.split('.');
  const last = Array.from(labels.pop() as string);
  if (Buffer.byteLength(text) > HOSTNAME_BYTES) return false;
  if ([...labels, last.join('')].some((label) => Buffer.byteLength(label) > LABEL_BYTES)) return false;
  if (labels.length === 0) {
    const [first, second, ...rest] = last;
    return (
      isScannedWord(first) &&
      (second === undefined || second === '-' || isScannedWord(second)) &&
      rest.every(isScannedWord)
    );
  }
  if (last.length < 2 || !last.every(isScannedLetter)) return false;
  return labels.every((label) => {
    const characters = Array.from(label);
    return (
      isScannedWord(characters[0]) &&
      isScannedWord(characters.at(-1)) &&
      characters.every((character) => character === '-' || isScannedWord(character))
    );
  });
}

const UUID_GROUPS = [8, 4, 4, 4, 12];

/**
 * Scans a UUID: five groups of hexadecimal digits; a dash between two of them may be missing. `version` and
 * `variant` are those of RFC 4122.
 */
export function scanUuidFormat(text: string, version = '', variant = ''): boolean {
  const groups: string[] = [];
  let at = 0;
  for (const length of UUID_GROUPS) {
    if (at > 0 && text[at] === '-') at += 1;
    groups.push(text.slice(at, at + length));
    at += length;
  }
  if (at !== text.length || !groups.every((group, index) => group.length === UUID_GROUPS[index] && scanHex(group)))
    return false;
  const has = (group: string | undefined, digits: string): boolean =>
    digits === '' || digits.includes((group as string).charAt(0).toLowerCase());
  return has(groups[2], version) && has(groups[3], variant);
}

/** First digits of card numbers, by their length. */
const ISSUED: Readonly<Record<number, readonly string[]>> = {
  13: ['4'],
  14: ['300', '301', '302', '303', '304', '305', '36', '38'],
  15: ['34', '37', '2131', '1800'],
  16: ['4', '51', '52', '53', '54', '55', '6011', '65', '35'],
};

/** Scans a card number, with any characters between the digits. The last digit is a checksum. */
export function scanCreditCard(text: string): boolean {
  const digits = Array.from(text.replaceAll(/\D/g, ''), Number);
  const number = digits.join('');
  if (!(ISSUED[digits.length] ?? []).some((beginning) => number.startsWith(beginning))) return false;
  let sum = 0;
  for (const [index, digit] of digits.toReversed().entries()) {
    const counted = index % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

/** Scans a MAC address: 6, 8 or 20 bytes, with one kind of separator or none. */
export function scanMac(text: string): boolean {
  const separator = [':', '-', '.'].find((one) => text.includes(one)) ?? '';
  const parts = separator === '' ? [text] : text.split(separator);
  const digits = separator === '.' ? 4 : 2;
  if (!parts.every((part) => scanHex(part) && (separator === '' || part.length === digits))) return false;
  return [12, 16, 40].includes(parts.join('').length);
}

/** Characters allowed in an unquoted word of an address. */
const isScannedAtomCharacter = (character: string): boolean => /[^\s()<>[\]:;@\\,."\p{Cc}]/u.test(character);

/** Scans one mailbox as in a mail's header: `jane@example.com`, or a name followed by the address in angle brackets. */
export function scanEmail(text: string): boolean {
  const start = scanEmailSpace(text, 0);
  const plain = scanEmailAddress(text, start);
  if (plain !== undefined && scanEmailRemarks(text, plain) === text.length) return true;
  const open = scanEmailName(text, start);
  if (text[open] !== '<') return false;
  const inner = scanEmailAddress(text, open + 1);
  return inner !== undefined && text[inner] === '>' && scanEmailRemarks(text, inner + 1) === text.length;
}

/**
 * Scans an address. Like the other scanners of parts, it returns the position after the part, or undefined if
 * it is not there.
 */
function scanEmailAddress(text: string, at: number): number | undefined {
  const local = text[at] === '"' ? scanEmailQuoted(text, at) : scanEmailDottedWords(text, at);
  if (local === undefined || text[local] !== '@') return undefined;
  const domain = scanEmailSpace(text, local + 1);
  if (text[domain] !== '[') return scanEmailDottedWords(text, domain);
  const end = text.indexOf(']', domain);
  return end !== -1 && isIP(text.slice(domain + 1, end)) !== 0 ? end + 1 : undefined;
}

/** Scans words with single dots between them. */
function scanEmailDottedWords(text: string, at: number): number | undefined {
  let end = at;
  for (;;) {
    const word = scanEmailAtom(text, end);
    if (word === end) return undefined;
    if (text[word] !== '.') return word;
    end = word + 1;
  }
}

function scanEmailAtom(text: string, at: number): number {
  let end = at;
  while (end < text.length && isScannedAtomCharacter(text[end] as string)) end += 1;
  return end;
}

function scanEmailQuoted(text: string, at: number): number | undefined {
  for (let end = at + 1; end < text.length; end += text[end] === '\\' ? 2 : 1)
    if (text[end] === '"') return end > at + 1 ? end + 1 : undefined;
  return undefined;
}

/** Scans words, quoted or not; dots are part of them. */
function scanEmailName(text: string, at: number): number {
  let end = at;
  for (;;) {
    end = scanEmailSpace(text, end);
    let next = text[end] === '"' ? (scanEmailQuoted(text, end) ?? end) : end;
    if (next === end)
      while (text[next] === '.' || scanEmailAtom(text, next) > next)
        next = Math.max(next + 1, scanEmailAtom(text, next));
    if (next === end) return end;
    end = next;
  }
}

function scanEmailSpace(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return end;
}

/** Scans `(remarks in brackets, which may be nested)` and spaces. */
function scanEmailRemarks(text: string, at: number): number {
  let depth = 0;
  for (let end = at; end < text.length; end += 1) {
    const character = text[end] as string;
    if (character === '(') depth += 1;
    else if (character === ')' && depth > 0) depth -= 1;
    else if (depth === 0 && character !== ' ' && character !== '\t') return end;
  }
  return depth === 0 ? text.length : at;
}

/** Scans an IPv4 address. Allows leading zeros, as Go did for a long time. */
export function scanIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => scanDigits(part) && Number(part) <= 255);
}

export const scanIpv6 = (text: string): boolean => isIP(text) === 6 && !text.includes('%');

export function scanCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const isV4 = scanIpv4(address);
  if (rest.length > 0 || !scanDigits(bits) || bits.length > 3 || (!isV4 && !scanIpv6(address))) return false;
  return Number(bits) <= (isV4 ? 32 : 128);
}
