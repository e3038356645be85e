import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  anyObjectCheck,
  type Check,
  eitherShapeCheck,
  flagCheck,
  functionCheck,
  integerShapeCheck,
  listShapeCheck,
  mapShapeCheck,
  notNegativeCheck,
  oneOfShapeCheck,
  positiveCheck,
  shapeCheck,
  shapeCheckThat,
  textCheck,
} from '../../core/shape-check.ts';
import type {
  FaultMatch,
  FaultRule,
  GarbageName,
  ListFault,
  ProtobufGarbageName,
  StatusAnswer,
  StreamErrorName,
} from './rule.ts';

/** Resource verbs, and the methods of requests without a resource. */
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

/**
 * Garbage by target: a line of a stream or a body, a complete response with its head, or either of them in protobuf.
 */
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

/** Whether garbage changes the head of the response too, so that it cannot apply to an open watch. */
export const isWholeResponseInRuleSchema = (garbage: string): boolean =>
  (GARBAGE as Record<string, string>)[garbage] === 'whole';

/** Whether garbage is inside protobuf bytes, so that it cannot apply to JSON. */
export const isProtobufInRuleSchema = (garbage: GarbageName): garbage is ProtobufGarbageName =>
  GARBAGE[garbage] === 'protobuf';

const LIST_FAULTS = Object.keys({
  'duplicate-item': 0,
  'missing-item': 0,
  'no-resource-version': 0,
} satisfies Record<ListFault, 0>);

const pattern = shapeCheckThat('a pattern', (value) => value instanceof RegExp);
const textMatch = eitherShapeCheck(textCheck, pattern);

/** A check for a number, or a range of them. */
const span = eitherShapeCheck(
  integerShapeCheck(0),
  shapeCheckThat('a range [from, to]', (value) => {
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

const passesRuleSchema = (act: () => void): boolean => {
  try {
    act();
    return true;
  } catch {
    return false;
  }
};

const headerName = shapeCheckThat(
  'names of headers',
  (value) => typeof value === 'string' && passesRuleSchema(() => validateHeaderName(value)),
);
/** A check for lower-case names, which Node uses for headers of a request. */
const lowerCaseName = shapeCheckThat(
  'names of headers in lower case',
  (value) =>
    typeof value === 'string' && value === value.toLowerCase() && passesRuleSchema(() => validateHeaderName(value)),
);
const headerValue = shapeCheckThat(
  'a value that a header can have',
  (value) => typeof value === 'string' && passesRuleSchema(() => validateHeaderValue('x', value)),
);
const nothing = shapeCheckThat('null', (value) => value === null);

const MATCH: Check = shapeCheck({
  verb: eitherShapeCheck(oneOfShapeCheck(...VERBS, '*'), listShapeCheck(oneOfShapeCheck(...VERBS), { min: 1 })),
  resource: textCheck,
  group: textCheck,
  namespace: textCheck,
  name: textCheck,
  subresource: textCheck,
  user: textCheck,
  userAgent: textMatch,
  path: textMatch,
  query: mapShapeCheck(textMatch),
  headers: mapShapeCheck(textMatch, lowerCaseName),
  nth: integerShapeCheck(1),
  where: functionCheck,
} satisfies Record<keyof FaultMatch, Check>);

/** Places where a rule acts, as words and as objects. */
export const AT_WORDS = ['start', 'head', 'bookmark', 'end-bookmark', 'end', 'write'] as const;
const AT_KEYS: ReadonlyMap<string, Check> = new Map<string, Check>(
  Object.entries({
    event: shapeCheck({ event: span, offset: eitherShapeCheck(integerShapeCheck(0), oneOfShapeCheck('mid-utf8')) }, [
      'event',
    ]),
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

/** A check for codes whose responses have a body: only those can be faults. */
const code = shapeCheckThat(
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
    retryAfterSeconds: integerShapeCheck(0),
    retryAfterDate: flagCheck,
    form: oneOfShapeCheck('status', 'plain', 'html'),
    continue: flagCheck,
    headers: mapShapeCheck(headerValue, headerName),
  } satisfies Record<keyof StatusAnswer, Check>,
  ['code'],
);

const yes = oneOfShapeCheck(true);

/** Checks of the value of each action. */
export const ACTIONS: ReadonlyMap<string, Check> = new Map<string, Check>(
  Object.entries({
    cut: oneOfShapeCheck('rst', 'fin', 'goaway', 'rst-stream'),
    end: yes,
    goaway: yes,
    silence: oneOfShapeCheck(true, 'deaf'),
    hang: oneOfShapeCheck('headers'),
    delay: shapeCheck({ ms: notNegativeCheck, jitterMs: notNegativeCheck }, ['ms']),
    hold: yes,
    throttle: shapeCheck({ bytesPerSecond: positiveCheck, chunk: integerShapeCheck(1) }, ['bytesPerSecond']),
    split: integerShapeCheck(1),
    merge: shapeCheck({ ms: notNegativeCheck }, ['ms']),
    status: eitherShapeCheck(code, STATUS),
    headers: mapShapeCheck(eitherShapeCheck(headerValue, nothing), headerName),
    requestHeaders: mapShapeCheck(eitherShapeCheck(headerValue, nothing), lowerCaseName),
    encoding: oneOfShapeCheck('json', 'protobuf'),
    query: mapShapeCheck(eitherShapeCheck(textCheck, nothing)),
    body: functionCheck,
    list: oneOfShapeCheck(...LIST_FAULTS),
    replay: integerShapeCheck(1),
    duplicate: integerShapeCheck(1),
    drop: oneOfShapeCheck('bookmarks', 'end-bookmark', 'events'),
    error: eitherShapeCheck(oneOfShapeCheck(...STREAM_ERRORS), anyObjectCheck),
    garbage: oneOfShapeCheck(...Object.keys(GARBAGE)),
    reorder: yes,
    bookmarksBehind: integerShapeCheck(1),
    inject: anyObjectCheck,
  }),
);

/** Further fields of some actions. */
export const COMPANIONS: ReadonlyMap<string, Readonly<Record<string, Check>>> = new Map<
  string,
  Readonly<Record<string, Check>>
>(
  Object.entries({
    cut: { code: integerShapeCheck(0, 2 ** 32 - 1) },
    duplicate: { as: oneOfShapeCheck('ADDED', 'MODIFIED') },
  }),
);

export const RULE: Check = shapeCheck(
  {
    match: MATCH,
    at: AT,
    do: anyObjectCheck,
    times: shapeCheckThat(
      'a whole number above 0, or Infinity (in JSON "always")',
      (value) => value === Infinity || (Number.isSafeInteger(value) && (value as number) > 0),
    ),
    probability: shapeCheckThat(
      'a number from 0 to 1',
      (value) => typeof value === 'number' && value >= 0 && value <= 1,
    ),
    forMs: positiveCheck,
    illegal: yes,
  } satisfies Record<keyof FaultRule, Check>,
  ['do'],
);
