import type { Env } from 'kube-informer/core';
import { errorText } from './error-text.ts';
import { escapeText } from '../text/escape.ts';

/** The last thing somebody should know, and when it was said. */
export interface Notice {
  readonly text: string;
  /** Wall clock. */
  readonly at: number;
}

/**
 * Keeps what the library wants to say until there is a place for it: a line in the middle of a screen destroys it.
 */
export class Notices {
  #last: Notice | undefined;

  get last(): Notice | undefined {
    return this.#last;
  }

  /** The same Env, with warnings and errors kept here instead of being printed. */
  listen(env: Env): Env {
    return {
      now: () => env.now(),
      wallNow: () => env.wallNow(),
      sleep: (ms, signal) => env.sleep(ms, signal),
      yield: () => env.yield(),
      random: () => env.random(),
      log: (level, message, fields) => {
        if (level !== 'warn' && level !== 'error') return;
        this.#last = { text: noticeText(message, fields), at: env.wallNow() };
      },
    };
  }
}

/** The same thing is news again after so long. */
const REPEAT_MS = 30_000;

/** The same Env, with warnings and errors as safe lines. Why requests are tried again is said once, not for each of them. */
export function logTo(env: Env, write: (line: string) => void): Env {
  let said = { why: '', at: -Infinity };
  return {
    now: () => env.now(),
    wallNow: () => env.wallNow(),
    sleep: (ms, signal) => env.sleep(ms, signal),
    yield: () => env.yield(),
    random: () => env.random(),
    log: (level, message, fields) => {
      if (level !== 'warn' && level !== 'error') return;
      const why = retryReason(fields);
      if (why === undefined) return write(noticeText(message, fields));
      const isNews = why !== said.why || env.now() - said.at >= REPEAT_MS;
      said = { why, at: isNews ? env.now() : said.at };
      // Should it fail in the end, that is told with everything that is known about it.
      if (isNews) write(escapeText(`the server is asked again: ${why}`));
    },
  };
}

function noticeText(message: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const error = fields['error'];
  const why = error === undefined ? '' : `: ${errorText(error)}`;
  const about = typeof fields['type'] === 'string' ? `${fields['type']}: ` : '';
  return escapeText(`${about}${message}${why}`);
}

/** Why a request is tried again: the same for all that meet the same trouble. */
function retryReason(fields: Readonly<Record<string, unknown>> = {}): string | undefined {
  const { method, path, error } = fields;
  if (typeof method !== 'string' || typeof path !== 'string' || error === undefined) return undefined;
  const text = errorText(error);
  const head = `${method} ${path}: `;
  return (text.startsWith(head) ? text.slice(head.length) : text).split('; ', 1)[0];
}
