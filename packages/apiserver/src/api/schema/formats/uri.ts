import { scanIpv6 } from './scanners.ts';

/** Characters allowed in a host besides letters, digits and non-ASCII characters. */
const HOST_MARKS = '-_.~!$&\'()*+,;=:[]<>"';
const USER_MARKS = "-._:~!$&'()*+,;=%@";

const isPlainUriCharacter = (character: string): boolean => /[a-zA-Z0-9]/.test(character);

/**
 * Whether it is a valid target of a request line: an absolute path, `*`, or a URI with a scheme.
 *
 * It is read in one pass, part by part; each part has its own rules.
 */
export function isRequestUri(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what makes an address invalid
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === '*') return true;
  const scheme = uriScheme(text);
  if (scheme === undefined) return false;
  const rest = (scheme === '' ? text : text.slice(scheme.length + 1)).split('?', 1)[0] as string;
  // After a scheme, anything that is not a path is left to the scheme.
  if (!rest.startsWith('/')) return scheme !== '';
  if (scheme === '' || !rest.startsWith('//')) return isUriEscapedWell(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  return isUriAuthority(authority) && (slash === -1 || isUriEscapedWell(rest.slice(slash)));
}

/** The scheme; empty if there is none, undefined if a colon has nothing before it. */
function uriScheme(text: string): string | undefined {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === ':') return at === 0 ? undefined : text.slice(0, at);
    const fits = /[a-zA-Z]/.test(character) || (at > 0 && /[0-9+.-]/.test(character));
    if (!fits) return '';
  }
  return '';
}

const isUriEscapedWell = (text: string): boolean => !/%(?![0-9a-fA-F]{2})/.test(text);

function isUriAuthority(text: string): boolean {
  const sign = text.lastIndexOf('@');
  const user = sign === -1 ? '' : text.slice(0, sign);
  if (!Array.from(user).every((character) => isPlainUriCharacter(character) || USER_MARKS.includes(character)))
    return false;
  return isUriEscapedWell(user) && isUriHost(text.slice(sign + 1));
}

function isUriHost(text: string): boolean {
  if (!text.startsWith('[')) {
    const [host = '', port, ...more] = text.split(':');
    return more.length === 0 && isUriPort(port) && hasUriHostCharacters(host);
  }
  const end = text.lastIndexOf(']');
  if (end === -1) return false;
  const after = text.slice(end + 1);
  if (after !== '' && !after.startsWith(':')) return false;
  const [address = '', ...zone] = text.slice(1, end).split('%25');
  const isZoned = zone.length === 0 || (zone.join('') !== '' && isUriEscapedWell(zone.join('%25')));
  return isUriPort(after === '' ? undefined : after.slice(1)) && scanIpv6(address) && isZoned;
}

const isUriPort = (text: string | undefined): boolean => text === undefined || !/\D/.test(text);

/** Whether a host has valid characters: only non-ASCII ones and `%` itself may be escaped. */
function hasUriHostCharacters(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '%') {
      if (!/^(?:25|[89a-fA-F][0-9a-fA-F])$/.test(text.slice(at + 1, at + 3))) return false;
      at += 2;
    } else if (character < '\u0080' && !isPlainUriCharacter(character) && !HOST_MARKS.includes(character)) return false;
  }
  return true;
}
