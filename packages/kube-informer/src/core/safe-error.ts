import { redactedQuote } from './redact.ts';
import { safeStatus } from './safe-status.ts';

/** Maximum length of a message that comes from elsewhere. */
const MAX_FOREIGN_MESSAGE = 4_096;
const MAX_FOREIGN_STACK = 16_384;
/** Maximum length of a chain of causes, and of the parts of an AggregateError. */
const MAX_CAUSES = 16;
/** Maximum number of errors that one error leads to. */
const MAX_ERRORS = 256;

/** Fields of an error that say what happened: texts of the system and numbers, no content. */
const HARMLESS_FIELDS: ReadonlySet<PropertyKey> = new Set([
  'name', 'message', 'stack', 'cause', 'errors', 'code', 'errno', 'syscall', 'address', 'port', 'hostname', 'host', 'reason', 'retryAfterMs',
]); // prettier-ignore
/** Fields that a copy keeps as they are, if they are primitive. */
const KEPT_FIELDS = ['code', 'errno', 'syscall', 'address', 'port', 'hostname', 'retryAfterMs'] as const;

/**
 * The cause of an error as it may be shown: without texts that could be secrets, and without everything else that errors
 * carry (Node's parser attaches the bytes it read, a failed spawn its arguments, other clients the whole response).
 *
 * A harmless error stays the same object, so that it can be recognised; any other is replaced by a copy with its name,
 * code, redacted message and causes. Never throws.
 */
export function safeErrorCause(cause: unknown): unknown {
  return safeErrorCauseOf(cause, new Map(), 0);
}

/** The safe copy of each error so far; undefined while its own causes are being read. */
type Seen = Map<object, unknown>;

/**
 * Makes the safe copy of a cause. Each error is examined once: in a cycle of causes, or in groups of errors
 * that share parts, the work would otherwise double with every step.
 */
function safeErrorCauseOf(cause: unknown, seen: Seen, depth: number): unknown {
  try {
    if (typeof cause === 'string') return redactedQuote(cause, MAX_FOREIGN_MESSAGE);
    if (typeof cause !== 'object' || cause === null || isSafeOwnError(cause)) return cause;
    if (seen.has(cause)) return seen.get(cause);
    if (depth >= MAX_CAUSES || seen.size >= MAX_ERRORS) return undefined;
    seen.set(cause, undefined);
    const safe = safeErrorOf(cause, seen, depth + 1);
    seen.set(cause, safe);
    return safe;
  } catch {
    return new Error('an unprintable value'); // a getter or a Proxy that throws
  }
}

/** The error's name, code and redacted message, and nothing else: for errors of code that was given a secret. */
export function redactForSafeError(error: unknown): Error {
  try {
    if (typeof error === 'object' && error !== null && isSafeOwnError(error)) return error as Error;
    const { name, message, code } = (error ?? {}) as { name?: unknown; message?: unknown; code?: unknown };
    const safe = new Error(typeof message === 'string' ? redactedQuote(message, MAX_FOREIGN_MESSAGE) : typeof error);
    if (typeof name === 'string' && name !== 'Error') safe.name = name;
    return typeof code === 'string' ? Object.assign(safe, { code }) : safe;
  } catch {
    return new Error('an unprintable value'); // a getter or a Proxy that throws
  }
}

/** Whether it is a KubeError, also of another copy of this package: its constructor has already made it safe. */
function isSafeOwnError(error: object): boolean {
  return error instanceof Error && error.name === 'KubeError';
}

function safeErrorOf(error: object, seen: Seen, depth: number): unknown {
  const { cause, errors } = error as Partial<AggregateError>;
  const safe: Causes = {
    cause: safeErrorCauseOf(cause, seen, depth),
    errors: Array.isArray(errors)
      ? errors.slice(0, MAX_CAUSES).map((each) => safeErrorCauseOf(each, seen, depth))
      : undefined,
  };
  const isWhole = safe.cause === cause && hasSameSafeError(safe.errors, errors);
  return isWhole && error instanceof Error && hasSafeErrorFields(error) ? error : copyOfSafeError(error, safe);
}

/** The causes of an error, safe to show. */
interface Causes {
  readonly cause: unknown;
  readonly errors: readonly unknown[] | undefined;
}

function hasSameSafeError(safe: readonly unknown[] | undefined, errors: unknown): boolean {
  if (safe === undefined) return errors === undefined;
  return Array.isArray(errors) && errors.length === safe.length && safe.every((each, at) => each === errors[at]);
}

function hasSafeErrorFields(error: Error): boolean {
  for (const key of Reflect.ownKeys(error)) {
    if (!HARMLESS_FIELDS.has(key)) return false;
    if (key === 'cause' || key === 'errors') continue;
    const value: unknown = (error as unknown as Record<PropertyKey, unknown>)[key];
    if (typeof value === 'object' && value !== null) return false;
    // A stack begins with the message the error was made with, whatever its message is now.
    const max = key === 'stack' ? MAX_FOREIGN_STACK : MAX_FOREIGN_MESSAGE;
    if (typeof value === 'string' && redactedQuote(value, max) !== value) return false;
  }
  return true;
}

function copyOfSafeError(error: object, { cause, errors }: Causes): Error {
  const { name, message, stack, status } = error as Partial<Error> & { status?: unknown };
  const text = typeof message === 'string' ? redactedQuote(message, MAX_FOREIGN_MESSAGE) : 'an object';
  const copy = new Error(text, cause === undefined ? undefined : { cause });
  if (typeof name === 'string' && name !== 'Error') copy.name = redactedQuote(name, 80);
  // The frames say where it happened; the lines before them are the message.
  const frames = typeof stack === 'string' ? stack.indexOf('\n    at ') : -1;
  copy.stack = `${copy.name}: ${text}${frames === -1 ? '' : redactedQuote((stack as string).slice(frames), MAX_FOREIGN_MESSAGE)}`;
  for (const field of KEPT_FIELDS) {
    const value: unknown = (error as Record<string, unknown>)[field];
    if (typeof value === 'number') Object.assign(copy, { [field]: value });
    if (typeof value === 'string') Object.assign(copy, { [field]: redactedQuote(value, 253) });
  }
  // Other clients throw errors with the server's Status, by which the predicates recognise them.
  if (typeof status === 'object' && status !== null) Object.assign(copy, { status: safeStatus(status) });
  return errors === undefined ? copy : Object.assign(copy, { errors });
}
