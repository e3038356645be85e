import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  anyObjectCheck,
  type Check,
  eitherCheck,
  flagCheck,
  functionCheck,
  integerCheck,
  listCheck,
  mapCheck,
  notNegativeCheck,
  oneOfCheck,
  positiveCheck,
  shapeCheck,
  checkThat,
  textCheck,
} from '../../core/check.ts';
import type {
  FaultMatch,
  FaultRule,
  GarbageName,
  ListFault,
  ProtobufGarbageName,
  StatusAnswer,
  StreamErrorName,
} from './rule.ts';

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

/** By target: a line of a stream or a body, a complete response with its head, or either of them in protobuf. */
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
  'cut-frame': 'protobuf',
  'wrong-length': 'protobuf',
  'huge-length': 'protobuf',
  'unknown-field': 'protobuf',
  'unknown-nested-field': 'protobuf',
  'wrong-wire-type': 'protobuf',
} satisfies Record<GarbageName, 'any' | 'whole' | 'protobuf'>;

/** Garbage that changes the head of the response too: it cannot apply to an open watch. */
export const isWholeResponseGarbageRule = (garbage: string): boolean =>
  (GARBAGE as Record<string, string>)[garbage] === 'whole';

/** Garbage inside bytes of protobuf: it cannot apply to JSON. */
export const isProtobufGarbageRule = (garbage: GarbageName): garbage is ProtobufGarbageName =>
  GARBAGE[garbage] === 'protobuf';

const LIST_FAULTS = Object.keys({
  'duplicate-item': 0,
  'missing-item': 0,
  'no-resource-version': 0,
} satisfies Record<ListFault, 0>);

const pattern = checkThat('a pattern', (value) => value instanceof RegExp);
const textMatch = eitherCheck(textCheck, pattern);

/** A number, or a range of them. */
const span = eitherCheck(
  integerCheck(0),
  checkThat('a range [from, to]', (value) => {
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

const ruleCheckPasses = (act: () => void): boolean => {
  try {
    act();
    return true;
  } catch {
    return false;
  }
};

const headerName = checkThat(
  'names of headers',
  (value) => typeof value === 'string' && ruleCheckPasses(() => validateHeaderName(value)),
);
/** Node knows the headers of a request by these names only. */
const lowerCaseName = checkThat(
  'names of headers in lower case',
  (value) =>
    typeof value === 'string' && value === value.toLowerCase() && ruleCheckPasses(() => validateHeaderName(value)),
);
const headerValue = checkThat(
  'a value that a header can have',
  (value) => typeof value === 'string' && ruleCheckPasses(() => validateHeaderValue('x', value)),
);
const nothing = checkThat('null', (value) => value === null);

const MATCH: Check = shapeCheck({
  verb: eitherCheck(oneOfCheck(...VERBS, '*'), listCheck(oneOfCheck(...VERBS), { min: 1 })),
  resource: textCheck,
  group: textCheck,
  namespace: textCheck,
  name: textCheck,
  subresource: textCheck,
  user: textCheck,
  userAgent: textMatch,
  path: textMatch,
  query: mapCheck(textMatch),
  headers: mapCheck(textMatch, lowerCaseName),
  nth: integerCheck(1),
  where: functionCheck,
} satisfies Record<keyof FaultMatch, Check>);

/** Places where a rule acts, as words and as objects. */
export const AT_WORDS = ['start', 'head', 'bookmark', 'end-bookmark', 'end', 'write'] as const;
const AT_KEYS: ReadonlyMap<string, Check> = new Map<string, Check>(
  Object.entries({
    event: shapeCheck({ event: span, offset: eitherCheck(integerCheck(0), oneOfCheck('mid-utf8')) }, ['event']),
    bytes: shapeCheck({ bytes: span }, ['bytes']),
    ms: shapeCheck({ ms: span }, ['ms']),
    object: shapeCheck({ object: textCheck }, ['object']),
  }),
);
const AT: Check = {
  expected: `one of ${AT_WORDS.join(', ')}, or an object with ${[...AT_KEYS.keys()].join(', ')}`,
  complaint(value, name) {
    if (AT_WORDS.includes(value as 'start')) return undefined;
    const key =
      value !== null && typeof value === 'object' ? [...AT_KEYS.keys()].find((one) => one in value) : undefined;
    return key === undefined
      ? `${name}: expected ${this.expected}, got ${JSON.stringify(value)}`
      : AT_KEYS.get(key)?.complaint(value, name);
  },
};

/** Codes whose responses have a body: only those can be faults. */
const code = checkThat(
  'a status code from 200 to 599 whose response has a body',
  (value) =>
    Number.isInteger(value) &&
    (value as number) >= 200 &&
    (value as number) <= 599 &&
    ![204, 205, 304].includes(value as number),
);

const STATUS: Check = shapeCheck(
  {
    code,
    reason: textCheck,
    message: textCheck,
    retryAfterSeconds: integerCheck(0),
    retryAfterDate: flagCheck,
    form: oneOfCheck('status', 'plain', 'html'),
    continue: flagCheck,
    headers: mapCheck(headerValue, headerName),
  } satisfies Record<keyof StatusAnswer, Check>,
  ['code'],
);

const yes = oneOfCheck(true);

/** Checks of the value of each action. */
export const ACTIONS: ReadonlyMap<string, Check> = new Map<string, Check>(
  Object.entries({
    cut: oneOfCheck('rst', 'fin', 'goaway', 'rst-stream'),
    end: yes,
    goaway: yes,
    silence: oneOfCheck(true, 'deaf'),
    hang: oneOfCheck('headers'),
    delay: shapeCheck({ ms: notNegativeCheck, jitterMs: notNegativeCheck }, ['ms']),
    hold: yes,
    throttle: shapeCheck({ bytesPerSecond: positiveCheck, chunk: integerCheck(1) }, ['bytesPerSecond']),
    split: integerCheck(1),
    merge: shapeCheck({ ms: notNegativeCheck }, ['ms']),
    status: eitherCheck(code, STATUS),
    headers: mapCheck(eitherCheck(headerValue, nothing), headerName),
    requestHeaders: mapCheck(eitherCheck(headerValue, nothing), lowerCaseName),
    encoding: oneOfCheck('json', 'protobuf'),
    query: mapCheck(eitherCheck(textCheck, nothing)),
    body: functionCheck,
    list: oneOfCheck(...LIST_FAULTS),
    replay: integerCheck(1),
    duplicate: integerCheck(1),
    drop: oneOfCheck('bookmarks', 'end-bookmark', 'events'),
    error: eitherCheck(oneOfCheck(...STREAM_ERRORS), anyObjectCheck),
    garbage: oneOfCheck(...Object.keys(GARBAGE)),
    reorder: yes,
    bookmarksBehind: integerCheck(1),
    inject: anyObjectCheck,
  }),
);

/** Further fields of some actions. */
export const COMPANIONS: ReadonlyMap<string, Readonly<Record<string, Check>>> = new Map<
  string,
  Readonly<Record<string, Check>>
>(
  Object.entries({
    cut: { code: integerCheck(0, 2 ** 32 - 1) },
    duplicate: { as: oneOfCheck('ADDED', 'MODIFIED') },
  }),
);

export const RULE: Check = shapeCheck(
  {
    match: MATCH,
    at: AT,
    do: anyObjectCheck,
    times: checkThat(
      'a whole number above 0, or Infinity (in JSON "always")',
      (value) => value === Infinity || (Number.isSafeInteger(value) && (value as number) > 0),
    ),
    probability: checkThat('a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1),
    forMs: positiveCheck,
    illegal: yes,
  } satisfies Record<keyof FaultRule, Check>,
  ['do'],
);
