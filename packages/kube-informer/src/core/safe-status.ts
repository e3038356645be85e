import { defined } from './defined.ts';
import type { Status, StatusCause } from './errors.ts';
import { redactedQuote } from './redact.ts';

/** Maximum length of each text kept from a Status. */
export const MAX_STATUS_TEXT = 2_048;
/** Maximum number of causes kept from a Status, and of their characters together. */
const MAX_CAUSES = 256;
const MAX_CAUSES_TEXT = 65_536;

/**
 * The message of a server that cannot parse a resourceVersion. The engine recognises it, so it is kept even
 * where messages are left out.
 */
export const UNPARSABLE_VERSION = 'resourceVersion: Invalid value';

/** Whether an object is a Status, and not an object of the collection or something else. */
export function isStatus(object: unknown): object is Status {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return false;
  const { kind, apiVersion, code, reason, status } = object as Status;
  if (kind !== undefined)
    return kind === 'Status' && (apiVersion === undefined || apiVersion === 'v1' || apiVersion === 'meta.k8s.io/v1');
  // Typed clients pass the struct without kind; it still has a code, a reason or "Failure".
  return typeof code === 'number' || typeof reason === 'string' || status === 'Failure';
}

/** Statuses made here, so that each is checked once however often its error is wrapped. */
const checked = new WeakSet<object>();

/**
 * A Status as it may be shown: only the known fields, each of its type, redacted and bounded. The sender is
 * not trusted.
 *
 * `isSecret`: the request was about a Secret. Then a message stays only if the server makes it from names:
 * others may quote the object, as those of admission do.
 */
export function safeStatus(given: object, about: { readonly isSecret?: boolean } = {}): Status {
  if (checked.has(given)) return given as Status;
  const fields = given as Readonly<Record<string, unknown>>;
  const [code, details] = [fields['code'], safeStatusRecord(fields['details'])];
  const reason = safeStatusText(fields['reason']);
  const message = safeStatusText(fields['message']);
  const isSecret = about.isSecret === true || isSafeStatusAboutSecret(fields['message'], details);
  const kept = isSecret ? safeStatusMessage(reason, message) : message;
  const hides = isSecret && kept === undefined;
  const status: Status = {
    ...defined({
      apiVersion: safeStatusText(fields['apiVersion']),
      kind: safeStatusText(fields['kind']),
      status: safeStatusText(fields['status']),
    }),
    ...(typeof code === 'number' ? { code } : {}),
    ...defined({ reason, message: hides ? hiddenInSafeStatus(code, reason, message) : kept }),
    ...(details === undefined ? {} : { details: safeStatusDetails(details, hides) }),
  };
  checked.add(status);
  return status;
}

/** A replacement for a message that is left out because it may quote a Secret. */
export function hiddenInSafeStatus(code: unknown, reason = 'no reason', message = ''): string {
  const known = message.includes(UNPARSABLE_VERSION) ? `: ${UNPARSABLE_VERSION}` : '';
  const answered = typeof code === 'number' ? `${code} (${reason})` : reason;
  return `the server answered ${answered}${known}; its message is left out because it may quote the Secret`;
}

/** Whether a text contains a Secret: as JSON, as JSON inside a string, or as YAML. */
export function quotesSecretInSafeStatus(text: string): boolean {
  return /\bkind[\\"']*\s*:\s*[\\"']*Secret/.test(text);
}

function safeStatusDetails(given: Readonly<Record<string, unknown>>, hides: boolean): NonNullable<Status['details']> {
  const { retryAfterSeconds, causes } = given;
  return {
    ...defined({
      name: safeStatusText(given['name']),
      // Empty for the core group.
      group: given['group'] === '' ? '' : safeStatusText(given['group']),
      kind: safeStatusText(given['kind']),
    }),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
    ...(Array.isArray(causes) ? { causes: safeStatusCauses(causes, hides) } : {}),
  };
}

function safeStatusCauses(given: readonly unknown[], hides: boolean): StatusCause[] {
  const causes: StatusCause[] = [];
  let length = 0;
  for (const each of given.slice(0, MAX_CAUSES)) {
    const cause = safeStatusCauseOf(each, hides);
    for (const text of Object.values(cause) as string[]) length += text.length;
    if (length > MAX_CAUSES_TEXT) break;
    causes.push(cause);
  }
  return causes;
}

function safeStatusCauseOf(cause: unknown, hides: boolean): StatusCause {
  const { reason, message, field } = safeStatusRecord(cause) ?? {};
  return defined({
    reason: safeStatusText(reason),
    message: hides ? undefined : safeStatusText(message),
    field: safeStatusText(field),
  });
}

function isSafeStatusAboutSecret(message: unknown, details: Readonly<Record<string, unknown>> | undefined): boolean {
  const kind = details?.['kind'];
  const group = details?.['group'] ?? '';
  if (group === '' && typeof kind === 'string' && /^secrets?$/i.test(kind)) return true;
  return typeof message === 'string' && quotesSecretInSafeStatus(message);
}

/** Reasons whose messages the server builds from names only, unless they come from admission. */
const FROM_NAMES: ReadonlySet<string> = new Set([
  'NotFound', 'AlreadyExists', 'Conflict', 'Expired', 'Gone', 'TooManyRequests', 'MethodNotAllowed', 'NotAcceptable',
  'UnsupportedMediaType', 'Timeout', 'ServerTimeout', 'ServiceUnavailable',
]); // prettier-ignore

/**
 * Messages of webhooks and policies: "admission webhook … denied the request", "ValidatingAdmissionPolicy …
 * denied request".
 */
const ADMISSION = /admission|denied (?:the )?request|polic(?:y|ies)/i;

/** Refusals that name users, verbs, resources, namespaces and quotas. The text after them is cut off. */
const REFUSED_BY_NAME =
  /^(?:Unauthorized$|[a-z]+(?: "[^"\s]{0,253}")? is forbidden: (?:User "[^"\s]{0,253}" cannot(?: (?:[A-Za-z]+|"[^"\s]{0,253}"))*|exceeded quota: [\w.-]{1,253}|unable to create new content in namespace [\w-]{1,63} because it is being terminated))/;

/** The message if it contains only names; for a refusal, the part with the names. */
function safeStatusMessage(reason = '', message = ''): string | undefined {
  if (reason === 'Forbidden' || reason === 'Unauthorized') return REFUSED_BY_NAME.exec(message)?.[0];
  return FROM_NAMES.has(reason) && !ADMISSION.test(message) && !quotesSecretInSafeStatus(message) ? message : undefined;
}

function safeStatusText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? redactedQuote(value, MAX_STATUS_TEXT) : undefined;
}

function safeStatusRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}
