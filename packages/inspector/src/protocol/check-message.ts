/**
 * Checks that a message of another process has the types that the protocol promises: the code that prints it relies on them, and a text in the
 * place of a number would reach a terminal without being escaped.
 */

/** Returns the path of the first value of another type, or undefined. */
type Check = (value: unknown, path: string) => string | undefined;

/** Maximum number of items of a list: more of them are no message of an inspector. */
const MAX_ITEMS = 100_000;

const text: Check = (value, path) => (typeof value === 'string' ? undefined : path);
const number: Check = (value, path) => (typeof value === 'number' ? undefined : path);

const optional =
  (check: Check): Check =>
  (value, path) =>
    value === undefined ? undefined : check(value, path);

const listOf =
  (check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value) || value.length > MAX_ITEMS) return path;
    for (const [index, item] of value.entries()) {
      const wrong = check(item, `${path}[${index}]`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };

const fieldsOf = (checks: Readonly<Record<string, Check>>): Check => {
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
const OVERVIEW = fieldsOf({
  at: number,
  server: text,
  rssBytes: number,
  heapBytes: number,
  caches: listOf(
    fieldsOf({
      id: text,
      state: text,
      problem: optional(fieldsOf({ reason: text, detail: text, since: number })),
      objects: number,
      resourceVersion: text,
      lagMs: optional(number),
      perSecond: number,
      queued: number,
      restarts: number,
      lastRestart: optional(fieldsOf({ because: text, at: number })),
      bytes: number,
    }),
  ),
});

/** The fields of a KeyDetail that are printed. */
const KEY_DETAIL = fieldsOf({
  at: number,
  operator: text,
  state: text,
  controller: text,
  sentence: text,
  runs: listOf(
    fieldsOf({
      outcome: text,
      tone: text,
      events: listOf(fieldsOf({ reason: text })),
      queuedAt: optional(number),
      startedAt: optional(number),
      endedAt: optional(number),
      attempt: number,
      error: text,
      writes: listOf(fieldsOf({ at: number, echoedAt: optional(number) })),
    }),
  ),
});

/** Returns where a value differs from an Overview, such as `caches[0].objects`. */
export const wrongInOverview = (value: unknown): string | undefined => OVERVIEW(value, '');

/** Returns where a value differs from a KeyDetail, such as `runs[0].writes`. */
export const wrongInKeyDetail = (value: unknown): string | undefined => KEY_DETAIL(value, '');
