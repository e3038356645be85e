import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  anyObject,
  type Check,
  either,
  flag,
  func,
  integer,
  listOf,
  mapOf,
  notNegative,
  oneOf,
  positive,
  shape,
  satisfies,
  text,
} from '../../core/check.ts';
import type { FaultMatch, FaultRule, GarbageName, ListFault, StatusAnswer, StreamErrorName } from './rule.ts';

/** Resource verbs, and the methods of requests that are about no resource. */
const VERBS = 'get list watch create update patch delete deletecollection post put head options'.split(' ');

const STREAM_ERRORS = Object.keys({
  expired: 0,
  gone: 0,
  internal: 0,
  'too-large': 0,
  'too-many-requests': 0,
  'unknown-reason': 0,
  'no-code': 0,
  'not-a-status': 0,
} satisfies Record<StreamErrorName, 0>);

/** By what they are about: a line of a stream and a body alike, or a whole answer with its head. */
const GARBAGE = {
  'truncated-json': 'any',
  'random-bytes': 'any',
  html: 'any',
  empty: 'any',
  'empty-lines': 'any',
  null: 'any',
  'empty-object': 'any',
  'wrong-kind': 'any',
  'no-metadata': 'any',
  'no-resource-version': 'any',
  'bad-resource-version': 'any',
  'unknown-type': 'any',
  bom: 'any',
  nan: 'any',
  huge: 'any',
  deep: 'any',
  'long-content-length': 'whole',
  'wrong-content-type': 'whole',
  'multi-member-gzip': 'whole',
  'corrupt-gzip': 'whole',
} satisfies Record<GarbageName, 'any' | 'whole'>;

/** Garbage that is about the head of an answer as well: nothing of the kind can happen to a watch that is open. */
export const isWholeAnswer = (garbage: string): boolean => (GARBAGE as Record<string, string>)[garbage] === 'whole';

const LIST_FAULTS = Object.keys({
  'duplicate-item': 0,
  'missing-item': 0,
  'no-resource-version': 0,
} satisfies Record<ListFault, 0>);

const pattern = satisfies('a pattern', (value) => value instanceof RegExp);
const textMatch = either(text, pattern);

/** A number, or a range of them. */
const span = either(
  integer(0),
  satisfies('a range [from, to]', (value) => {
    if (!Array.isArray(value) || value.length !== 2) return false;
    const [from, to] = value as [unknown, unknown];
    return (
      Number.isSafeInteger(from) &&
      Number.isSafeInteger(to) &&
      (from as number) >= 0 &&
      (to as number) >= (from as number)
    );
  }),
);

const does = (act: () => void): boolean => {
  try {
    act();
    return true;
  } catch {
    return false;
  }
};

const headerName = satisfies(
  'names of headers',
  (value) => typeof value === 'string' && does(() => validateHeaderName(value)),
);
/** Node knows the headers of a request by these names only. */
const lowerCaseName = satisfies(
  'names of headers in lower case',
  (value) => typeof value === 'string' && value === value.toLowerCase() && does(() => validateHeaderName(value)),
);
const headerValue = satisfies(
  'a value that a header can have',
  (value) => typeof value === 'string' && does(() => validateHeaderValue('x', value)),
);
const nothing = satisfies('null', (value) => value === null);

const MATCH: Check = shape({
  verb: either(oneOf(...VERBS, '*'), listOf(oneOf(...VERBS), { min: 1 })),
  resource: text,
  group: text,
  namespace: text,
  name: text,
  subresource: text,
  user: text,
  userAgent: textMatch,
  path: textMatch,
  query: mapOf(textMatch),
  headers: mapOf(textMatch, lowerCaseName),
  nth: integer(1),
  where: func,
} satisfies Record<keyof FaultMatch, Check>);

/** Places where a rule acts, as words and as objects. */
export const AT_WORDS = ['start', 'head', 'bookmark', 'end-bookmark', 'end', 'write'] as const;
const AT_KEYS: Readonly<Record<string, Check>> = {
  event: shape({ event: span, offset: either(integer(0), oneOf('mid-utf8')) }, ['event']),
  bytes: shape({ bytes: span }, ['bytes']),
  ms: shape({ ms: span }, ['ms']),
  object: shape({ object: text }, ['object']),
};
const AT: Check = {
  expected: `one of ${AT_WORDS.join(', ')}, or an object with ${Object.keys(AT_KEYS).join(', ')}`,
  complaint(value, name) {
    if (AT_WORDS.includes(value as 'start')) return undefined;
    const key =
      value !== null && typeof value === 'object' ? Object.keys(AT_KEYS).find((one) => one in value) : undefined;
    return key === undefined
      ? `${name}: expected ${this.expected}, got ${JSON.stringify(value)}`
      : AT_KEYS[key]?.complaint(value, name);
  },
};

/** Codes whose answers have a body, which is what makes them a fault. */
const code = satisfies(
  'a status code from 200 to 599 whose answer has a body',
  (value) =>
    Number.isInteger(value) &&
    (value as number) >= 200 &&
    (value as number) <= 599 &&
    ![204, 205, 304].includes(value as number),
);

const STATUS: Check = shape(
  {
    code,
    reason: text,
    message: text,
    retryAfterSeconds: integer(0),
    retryAfterDate: flag,
    form: oneOf('status', 'plain', 'html'),
    continue: flag,
    headers: mapOf(headerValue, headerName),
  } satisfies Record<keyof StatusAnswer, Check>,
  ['code'],
);

const yes = oneOf(true);

/** Checks of the value of each action. */
export const ACTIONS: Readonly<Record<string, Check>> = {
  cut: oneOf('rst', 'fin', 'goaway', 'rst-stream'),
  end: yes,
  goaway: yes,
  silence: oneOf(true, 'deaf'),
  hang: oneOf('headers'),
  delay: shape({ ms: notNegative, jitterMs: notNegative }, ['ms']),
  hold: yes,
  throttle: shape({ bytesPerSecond: positive, chunk: integer(1) }, ['bytesPerSecond']),
  split: integer(1),
  merge: shape({ ms: notNegative }, ['ms']),
  status: either(code, STATUS),
  headers: mapOf(either(headerValue, nothing), headerName),
  requestHeaders: mapOf(either(headerValue, nothing), lowerCaseName),
  query: mapOf(either(text, nothing)),
  body: func,
  list: oneOf(...LIST_FAULTS),
  replay: integer(1),
  duplicate: integer(1),
  drop: oneOf('bookmarks', 'end-bookmark', 'events'),
  error: either(oneOf(...STREAM_ERRORS), anyObject),
  garbage: oneOf(...Object.keys(GARBAGE)),
  reorder: yes,
  bookmarksBehind: integer(1),
  inject: anyObject,
};

/** Further fields of some actions. */
export const COMPANIONS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  cut: { code: integer(0, 2 ** 32 - 1) },
  duplicate: { as: oneOf('ADDED', 'MODIFIED') },
};

export const RULE: Check = shape(
  {
    match: MATCH,
    at: AT,
    do: anyObject,
    times: satisfies(
      'a whole number above 0, or Infinity (in JSON "always")',
      (value) => value === Infinity || (Number.isSafeInteger(value) && (value as number) > 0),
    ),
    probability: satisfies('a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1),
    forMs: positive,
    illegal: yes,
  } satisfies Record<keyof FaultRule, Check>,
  ['do'],
);
