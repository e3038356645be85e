import { KubeError } from '../../core/errors.ts';
import type { TransportRequest } from './transport.ts';

/** A header name: RFC 9110 token, in lower case. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Characters not allowed in a header value: control characters except tab, and those that do not fit in a byte. */
const NOT_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
/** A path that is already escaped. */
const PATH = /^\/[\x21-\x22\x24-\x7e]*$/;

/** "GET /api/v1/pods", for messages. Without the query, which may hold user input. */
export function describeCheckedRequest({ method, path }: TransportRequest): string {
  return `${method} ${pathOfCheckedRequest(path)}`;
}

export function pathOfCheckedRequest(path: string): string {
  const question = path.indexOf('?');
  return question === -1 ? path : path.slice(0, question);
}

/**
 * Refuses line breaks and NUL in headers, which could start a second header or request, and blanks in the path.
 *
 * The platform's own errors would quote the value, which may be a token; these errors name only the header.
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
      if (NOT_A_VALUE.test(one))
        throw new KubeError('INVALID_OPTION', `header ${name}: holds a character that is not allowed in a header`);
    }
  }
}
