import { KubeError } from '../../core/errors.ts';
import type { TransportRequest } from './transport.ts';

/** RFC 9110 token, lower case: the names of headers. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Everything a header's value may not hold: control characters except tab, and what does not fit in a byte. */
const NOT_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
/** A path that goes on the wire is escaped already. */
const PATH = /^\/[\x21-\x22\x24-\x7e]*$/;

/** "GET /api/v1/pods": for messages. Without the query, which may hold what users typed. */
export function describeRequest({ method, path }: TransportRequest): string {
  return `${method} ${withoutQuery(path)}`;
}

export function withoutQuery(path: string): string {
  const question = path.indexOf('?');
  return question === -1 ? path : path.slice(0, question);
}

/**
 * Refuses what could change the meaning of a request on the wire: line breaks and NUL in headers (a second header, or
 * a second request), blanks in the path.
 *
 * The platform's own errors quote the offending value, which may be a token; these name the header only.
 */
export function checkRequest(request: TransportRequest): void {
  if (!PATH.test(request.path)) {
    throw new KubeError('INVALID_OPTION', 'the path of a request must begin with / and be escaped');
  }
  for (const [name, value] of Object.entries(request.headers)) {
    if (!NAME.test(name)) {
      throw new KubeError('INVALID_OPTION', `header ${JSON.stringify(name.slice(0, 80))}: expected a lower-case token`);
    }
    for (const one of typeof value === 'string' ? [value] : value) {
      if (NOT_A_VALUE.test(one)) throw new KubeError('INVALID_OPTION', `header ${name}: holds a character it may not`);
    }
  }
}
