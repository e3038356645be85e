import { jsonSyntaxTypeName, jsonSyntaxFault } from '../../core/go/json-syntax.ts';
import type { Json } from '../../core/json.ts';
import { badRequestStatusError, type StatusError } from '../../core/status-error.ts';

/** The start of the next page of a list. */
export interface Continue {
  /** The exact revision; -1 for the newest. */
  readonly revision: number;
  /** First key of the page, relative to the listed namespace. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';

/** `lastKey` is the last key that was sent, relative to the listed namespace. The next page starts right after it. */
export const continueTokenAfter = (revision: number, lastKey: string): string =>
  encodeContinueToken(revision, `${lastKey}\u0000`);

/** The same position in the newest state: a 410 offers it to clients that accept an inconsistent list. */
export const inconsistentContinueToken = (start: string): string => encodeContinueToken(-1, start);

function encodeContinueToken(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: `/${start}` })).toString('base64url');
}

/** Parses a token. Throws a 400 for anything that this server would not have issued. */
export function parseContinueToken(token: string): Continue {
  const { v = '', rv = 0, start = '' } = readContinueToken(token);
  if (v !== VERSION) throw invalidContinueToken(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw invalidContinueToken(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw invalidContinueToken(`encoded start key empty (version ${VERSION})`);
  const key = start.startsWith('/') ? start.slice(1) : start;
  // We do not issue keys that a path could resolve to something else.
  if (key !== '' && key.split('/').some((part) => part === '' || part === '.' || part === '..'))
    throw invalidContinueToken(start);
  return { revision: rv, start: key };
}

interface Token {
  readonly v?: string;
  readonly rv?: number;
  readonly start?: string;
}

const TYPES = { v: 'string', rv: 'int64', start: 'string' };

/** Decodes a token as Go does: null counts as missing, a wrong type is an error. */
function readContinueToken(token: string): Token {
  const illegal = illegalContinueTokenByte(token);
  if (illegal !== undefined) throw invalidContinueToken(`illegal base64 data at input byte ${illegal}`);
  const bytes = Buffer.from(token, 'base64url');
  const fault = jsonSyntaxFault(bytes);
  if (fault !== undefined) throw invalidContinueToken(fault);
  const value = JSON.parse(bytes.toString()) as Json;
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalidContinueToken(
      `json: cannot unmarshal ${jsonSyntaxTypeName(value)} into Go value of type storage.continueToken`,
    );
  const fields: [string, Json][] = [];
  for (const [name, type] of Object.entries(TYPES)) {
    const field = (Object.hasOwn(value, name) ? value[name] : null) ?? null;
    if (field === null) continue;
    const isNumber = type === 'int64' && typeof field === 'number';
    if (isNumber ? !Number.isInteger(field) : jsonSyntaxTypeName(field) !== type)
      throw invalidContinueToken(
        `json: cannot unmarshal ${isNumber ? `number ${field}` : jsonSyntaxTypeName(field)} into Go struct field ` +
          `continueToken.${name} of type ${type}`,
      );
    fields.push([name, field]);
  }
  return Object.fromEntries(fields);
}

/** Position where Go's decoder stops: an illegal letter, or a last group of one letter. Line ends are ignored. */
function illegalContinueTokenByte(token: string): number | undefined {
  const illegal = token.search(/[^\w\r\n-]/);
  if (illegal !== -1) return illegal;
  return token.replaceAll(/[\r\n]/g, '').length % 4 === 1 ? token.length - 1 : undefined;
}

const invalidContinueToken = (why: string): StatusError =>
  badRequestStatusError(`invalid continue token: continue key is not valid: ${why}`);
