import { guardedCallback, type UserCode } from '../../core/guarded.ts';
import type { Env } from '../../core/env.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import { redactedQuote } from '../../core/redact.ts';

/** A deprecation or other warning that the server sent with a response. */
export interface ApiWarning {
  readonly code: number;
  readonly agent: string;
  readonly text: string;
  readonly method: string;
  /** Path of the request, without the query. */
  readonly path: string;
}

export type WarningHandler = (warning: ApiWarning) => void;

/**
 * How warnings are handled. `log`: logs each text once. A function: called once per text, or with `{ each }` for every
 * warning; a function given with a single call gets all warnings of that call. `throw`: the call fails with API_WARNING
 * although the server did its work; for tests, and for tools that must notice deprecations.
 */
export type WarningPolicy =
  | 'log'
  | 'none'
  | 'throw'
  | UserCode<WarningHandler>
  | { readonly each: UserCode<WarningHandler> };

/** Maximum number of different texts remembered. */
const MAX_REMEMBERED = 1_000;
/** Maximum length of a text. kube-apiserver sends 4 KB at most; other servers may send more. */
const MAX_WARNING_TEXT = 4_096;

/** The handler for a policy. Throws only API_WARNING; any other error of a user's handler is logged. */
export function warningHandler(
  policy: WarningPolicy,
  log: WarningLog,
  env: Env,
  { once = false }: { readonly once?: boolean } = {},
): WarningHandler {
  if (policy === 'log') return log.handle;
  if (policy === 'none') return () => {};
  if (policy === 'throw') return throwWarning;
  const isForEach = typeof policy !== 'function';
  const handler = (
    isForEach ? (policy as { readonly each: UserCode<WarningHandler> }).each : policy
  ) as UserCode<WarningHandler>;
  let refusal: unknown;
  const call = guardedCallback(env, 'onWarning', handler, (error) => {
    if (hasCode(error, 'API_WARNING')) refusal = error;
    else env.log('error', 'the warning handler failed', { error: errorMessageOf(error) });
  });
  return (warning) => {
    if (once && !isForEach && !log.isNew(warning.text)) return;
    refusal = undefined;
    call(warning);
    if (refusal !== undefined) throw refusal;
  };
}

const throwWarning: WarningHandler = ({ text, method, path }) => {
  throw new KubeError('API_WARNING', `${method} ${path}: the server sent a warning: ${text}`);
};

/** Logs each text once and counts repetitions. Forgets the least recent texts. */
export class WarningLog {
  readonly #env: Env;
  readonly #counts = new Map<string, number>();

  constructor(env: Env) {
    this.#env = env;
  }

  /** Number of warnings per text, least recent first. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  readonly handle: WarningHandler = ({ text, method, path }) => {
    if (this.isNew(text)) this.#env.log('warn', 'the server sent a warning', { text, method, path });
  };

  /** Counts a text; true when it is new or was forgotten. */
  isNew(text: string): boolean {
    const before = this.#counts.get(text) ?? 0;
    this.#counts.delete(text);
    this.#counts.set(text, before + 1);
    if (before > 0) return false;
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= MAX_REMEMBERED) break;
      this.#counts.delete(oldest);
    }
    return true;
  }
}

/**
 * Parses the `299 - "text"` entries of a Warning header, up to the first malformed one. Other codes and texts
 * with control characters are left out. Texts are redacted and bounded. With `mayQuoteSecret`, warnings of
 * admission are left out too, because a policy may quote the Secret it judges.
 */
export function parseWarnings(header: string, mayQuoteSecret = false): Pick<ApiWarning, 'code' | 'agent' | 'text'>[] {
  const found: Pick<ApiWarning, 'code' | 'agent' | 'text'>[] = [];
  for (let at = 0; ;) {
    while (header[at] === ' ' || header[at] === ',' || header[at] === '\t') at += 1;
    ENTRY.lastIndex = at;
    const match = ENTRY.exec(header);
    if (match === null) return found;
    const [whole, code, agent = '', quoted = ''] = match;
    at += whole.length;
    const text = decodeWarningText(quoted.replaceAll(/\\(.)/gs, '$1'));
    if (code === '299' && !/\p{Cc}/u.test(text)) {
      found.push({
        code: 299,
        agent,
        text: mayQuoteSecret ? warningAboutSecret(text) : redactedQuote(text, MAX_WARNING_TEXT),
      });
    }
  }
}

/** Warnings that the server itself builds from the names of versions and fields. */
const FROM_NAMES = /^(?:[\w./-]+ [A-Za-z]+ is deprecated in [\w.+ ]+|(?:unknown|duplicate) field "[\w.[\]/-]{1,253}")/;

function warningAboutSecret(text: string): string {
  return FROM_NAMES.exec(text)?.[0] ?? 'the text of this warning is left out because it may quote the Secret';
}

/** Decodes the text of a warning: servers send UTF-8, platforms decode headers as Latin-1. */
function decodeWarningText(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  } catch {
    return text; // not UTF-8
  }
}

/** Code, agent, quoted text and an optional quoted date, up to a comma or the end. */
const ENTRY = /(\d{3}) ([^\s"]+) "((?:[^"\\]|\\.)*)"(?: +"[^"]*")?(?=[ \t]*(?:,|$))/sy;
