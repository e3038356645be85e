import type { Env } from '../../core/env.ts';
import { hasCode, KubeError, messageOf } from '../../core/errors.ts';
import { redact } from '../secrets/redact.ts';

/** A deprecation or another word of caution the server sent along with an answer. */
export interface ApiWarning {
  readonly code: number;
  readonly agent: string;
  readonly text: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

export type WarningHandler = (warning: ApiWarning) => void;

/**
 * What becomes of warnings. `log`: each text once. A function: called once for each text, or with `{ each }` for each
 * warning; one given with a single call hears all of that call. `throw`: the call fails with API_WARNING, although the server did
 * what it was asked; for tests and for tools that must not get old.
 */
export type WarningPolicy = 'log' | 'none' | 'throw' | WarningHandler | { readonly each: WarningHandler };

/** Different texts remembered; a server invents few. */
const MOST_REMEMBERED = 1_000;
/** A server sends 4 KB at most; others may not know. */
const MOST_TEXT = 4_096;

/** One handler for a policy. It throws only API_WARNING: a handler of the user that throws is reported and no more. */
export function warningHandler(
  policy: WarningPolicy,
  log: WarningLog,
  env: Env,
  { once = false }: { readonly once?: boolean } = {},
): WarningHandler {
  if (policy === 'log') return log.handle;
  if (policy === 'none') return () => {};
  if (policy === 'throw') return refuse;
  const isForEach = typeof policy !== 'function';
  const handler = isForEach ? policy.each : policy;
  return (warning) => {
    if (once && !isForEach && !log.isNew(warning.text)) return;
    try {
      handler(warning);
    } catch (error) {
      if (hasCode(error, 'API_WARNING')) throw error;
      env.log('error', 'the handler of warnings failed', { error: messageOf(error) });
    }
  };
}

const refuse: WarningHandler = ({ text, method, path }) => {
  throw new KubeError('API_WARNING', `${method} ${path}: the server warns: ${text}`);
};

/** Logs each text once and counts the rest. Forgets the texts that were heard longest ago. */
export class WarningLog {
  readonly #env: Env;
  readonly #counts = new Map<string, number>();

  constructor(env: Env) {
    this.#env = env;
  }

  /** How often each text came, least recent first. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  readonly handle: WarningHandler = ({ text, method, path }) => {
    if (this.isNew(text)) this.#env.log('warn', 'the server warns', { text, method, path });
  };

  /** Counts a text; true when it was not remembered. */
  isNew(text: string): boolean {
    const before = this.#counts.get(text) ?? 0;
    this.#counts.delete(text);
    this.#counts.set(text, before + 1);
    if (before > 0) return false;
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= MOST_REMEMBERED) break;
      this.#counts.delete(oldest);
    }
    return true;
  }
}

/**
 * Reads the `299 - "text"` entries of a Warning header. What does not parse ends the reading; other codes and texts
 * with control characters are left out. Texts are redacted and bounded.
 */
export function parseWarnings(header: string): Pick<ApiWarning, 'code' | 'agent' | 'text'>[] {
  const found: Pick<ApiWarning, 'code' | 'agent' | 'text'>[] = [];
  for (let at = 0; ;) {
    while (header[at] === ' ' || header[at] === ',' || header[at] === '\t') at += 1;
    ENTRY.lastIndex = at;
    const match = ENTRY.exec(header);
    if (match === null) return found;
    const [whole, code, agent = '', quoted = ''] = match;
    at += whole.length;
    const text = decoded(quoted.replaceAll(/\\(.)/gs, '$1'));
    if (code === '299' && !/\p{Cc}/u.test(text)) {
      found.push({ code: 299, agent, text: redact(text).slice(0, MOST_TEXT) });
    }
  }
}

/** Servers write UTF-8; platforms give a header byte by byte. */
function decoded(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  } catch {
    return text; // no UTF-8 after all
  }
}

/** Code, agent, quoted text and perhaps a quoted date, up to a comma or the end. */
const ENTRY = /(\d{3}) ([^\s"]+) "((?:[^"\\]|\\.)*)"(?: +"[^"]*")?(?=[ \t]*(?:,|$))/sy;
