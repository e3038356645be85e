import { badRequest, type StatusError } from '../errors/status.ts';

/** Where the next page of a list begins. */
export interface Continue {
  /** Exactly this revision; -1: whatever is newest. */
  readonly revision: number;
  /** First key of the page, relative to what is listed. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';

/** `lastKey` is the last key that was sent, relative to the listed namespace. The next page starts right behind it. */
export const continueAfter = (revision: number, lastKey: string): string => encode(revision, `${lastKey}\u0000`);

/** The same place in the newest state: what a 410 offers to those who can live with an inconsistent list. */
export const continueInconsistent = (start: string): string => encode(-1, start);

function encode(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: `/${start}` })).toString('base64url');
}

/** Throws a 400 for anything this server would not have given out. */
export function parseContinue(token: string): Continue {
  const { v, rv, start } = read(token);
  if (v !== VERSION) throw notValid(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || rv === 0)
    throw notValid(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (typeof start !== 'string' || start === '') throw notValid(`encoded start key empty (version ${VERSION})`);
  const key = start.startsWith('/') ? start.slice(1) : start;
  // A key that a path could resolve to something else was not written by us.
  if (key.split('/').some((part) => part === '' || part === '.' || part === '..')) throw notValid(start);
  return { revision: rv, start: key };
}

function read(token: string): { v?: unknown; rv?: unknown; start?: unknown } {
  const illegal = token.search(/[^A-Za-z0-9_-]/);
  if (illegal !== -1) throw notValid(`illegal base64 data at input byte ${illegal}`);
  const text = Buffer.from(token, 'base64url').toString('latin1');
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object') return value;
  } catch {
    // Said below: whatever the bytes are, they are no token.
  }
  const first = text.charCodeAt(0).toString(16).padStart(4, '0');
  throw notValid(`invalid character '\\u${first}' looking for beginning of value`);
}

const notValid = (why: string): StatusError => badRequest(`invalid continue token: continue key is not valid: ${why}`);
