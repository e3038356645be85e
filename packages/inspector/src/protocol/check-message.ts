/**
 * Checks that a message of another process has the types that the protocol promises: the code that prints it relies on them, and a text in the
 * place of a number would reach a terminal without being escaped.
 */

/** Returns the path of the first value of another type, or undefined. */
type Check = (value: unknown, path: string) => string | undefined;

/** Maximum number of items of a list: more of them are no message of an inspector. */
const MAX_ITEMS = 100_000;

const messageText: Check = (value, path) => (typeof value === 'string' ? undefined : path);
const messageNumber: Check = (value, path) => (typeof value === 'number' ? undefined : path);

const messageOptional =
  (check: Check): Check =>
  (value, path) =>
    value === undefined ? undefined : check(value, path);

const messageListOf =
  (check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value) || value.length > MAX_ITEMS) return path;
    for (const [index, item] of value.entries()) {
      const wrong = check(item, `${path}[${index}]`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };

const messageFields = (checks: Readonly<Record<string, Check>>): Check => {
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
const OVERVIEW = messageFields({
  at: messageNumber,
  server: messageText,
  rssBytes: messageNumber,
  heapBytes: messageNumber,
  caches: messageListOf(
    messageFields({
      id: messageText,
      state: messageText,
      problem: messageOptional(messageFields({ reason: messageText, detail: messageText, since: messageNumber })),
      objects: messageNumber,
      resourceVersion: messageText,
      lagMs: messageOptional(messageNumber),
      perSecond: messageNumber,
      queued: messageNumber,
      restarts: messageNumber,
      lastRestart: messageOptional(messageFields({ because: messageText, at: messageNumber })),
      bytes: messageNumber,
    }),
  ),
});

/** The fields of a KeyDetail that are printed. */
const KEY_DETAIL = messageFields({
  at: messageNumber,
  operator: messageText,
  state: messageText,
  controller: messageText,
  sentence: messageText,
  runs: messageListOf(
    messageFields({
      outcome: messageText,
      tone: messageText,
      events: messageListOf(messageFields({ reason: messageText })),
      queuedAt: messageOptional(messageNumber),
      startedAt: messageOptional(messageNumber),
      endedAt: messageOptional(messageNumber),
      attempt: messageNumber,
      error: messageText,
      writes: messageListOf(messageFields({ at: messageNumber, echoedAt: messageOptional(messageNumber) })),
    }),
  ),
});

/** Returns where a value differs from an Overview, such as `caches[0].objects`. */
export const wrongInOverviewMessage = (value: unknown): string | undefined => OVERVIEW(value, '');

/** Returns where a value differs from a KeyDetail, such as `runs[0].writes`. */
export const wrongInKeyMessage = (value: unknown): string | undefined => KEY_DETAIL(value, '');
