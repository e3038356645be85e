/**
 * Checks that a message of another process has the types that the protocol promises: the code that prints it
 * relies on them, and a text in place of a number would be printed to a terminal unescaped.
 */

/** Returns the path of the first value of another type, or undefined. */
type Check = (value: unknown, path: string) => string | undefined;

/** Maximum number of items of a list; no inspector sends more. */
const MAX_ITEMS = 100_000;

const checkMessageText: Check = (value, path) => (typeof value === 'string' ? undefined : path);
const checkMessageNumber: Check = (value, path) => (typeof value === 'number' ? undefined : path);

const checkMessageOptional =
  (check: Check): Check =>
  (value, path) =>
    value === undefined ? undefined : check(value, path);

const checkMessageList =
  (check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value) || value.length > MAX_ITEMS) return path;
    for (const [index, item] of value.entries()) {
      const wrong = check(item, `${path}[${index}]`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };

const checkMessageFields = (checks: Readonly<Record<string, Check>>): Check => {
  const all = Object.entries(checks);
  return (value, path) => {
    if (typeof value !== 'object' || value === null) return path;
    const own = new Map<string, unknown>(Object.entries(value));
    for (const [name, check] of all) {
      const wrong = check(own.get(name), path === '' ? name : `${path}.${name}`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
};

/** The fields of an Overview that are printed. */
const OVERVIEW = checkMessageFields({
  at: checkMessageNumber,
  server: checkMessageText,
  rssBytes: checkMessageNumber,
  heapBytes: checkMessageNumber,
  caches: checkMessageList(
    checkMessageFields({
      id: checkMessageText,
      state: checkMessageText,
      problem: checkMessageOptional(
        checkMessageFields({ reason: checkMessageText, detail: checkMessageText, since: checkMessageNumber }),
      ),
      objects: checkMessageNumber,
      resourceVersion: checkMessageText,
      lagMs: checkMessageOptional(checkMessageNumber),
      perSecond: checkMessageNumber,
      queued: checkMessageNumber,
      restarts: checkMessageNumber,
      lastRestart: checkMessageOptional(checkMessageFields({ because: checkMessageText, at: checkMessageNumber })),
      bytes: checkMessageNumber,
    }),
  ),
});

/** The fields of a KeyDetail that are printed. */
const KEY_DETAIL = checkMessageFields({
  at: checkMessageNumber,
  operator: checkMessageText,
  state: checkMessageText,
  controller: checkMessageText,
  sentence: checkMessageText,
  runs: checkMessageList(
    checkMessageFields({
      outcome: checkMessageText,
      tone: checkMessageText,
      events: checkMessageList(checkMessageFields({ reason: checkMessageText })),
      queuedAt: checkMessageOptional(checkMessageNumber),
      startedAt: checkMessageOptional(checkMessageNumber),
      endedAt: checkMessageOptional(checkMessageNumber),
      attempt: checkMessageNumber,
      error: checkMessageText,
      writes: checkMessageList(
        checkMessageFields({ at: checkMessageNumber, echoedAt: checkMessageOptional(checkMessageNumber) }),
      ),
    }),
  ),
});

/** Returns where a value differs from an Overview, such as `caches[0].objects`. */
export const checkOverviewMessage = (value: unknown): string | undefined => OVERVIEW(value, '');

/** Returns where a value differs from a KeyDetail, such as `runs[0].writes`. */
export const checkKeyMessage = (value: unknown): string | undefined => KEY_DETAIL(value, '');
