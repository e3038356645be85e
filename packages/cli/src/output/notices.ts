import type { Env } from 'kube-informer/core';
import { errorText } from './error-text.ts';
import { escapeText } from '../text/escape.ts';
import { type Safe } from '../text/safe.ts';

/** The last warning of the library. */
export interface Notice {
  readonly text: Safe;
  /** Wall clock. */
  readonly at: number;
}

/** Keeps the last warning while a full screen is shown: a log line would corrupt the screen. */
export class Notices {
  #last: Notice | undefined;

  get last(): Notice | undefined {
    return this.#last;
  }

  /** Returns `env` with a log that keeps warnings and errors here instead of printing them. */
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

/** Delay before the same reason for a retry is printed again. */
const REPEAT_MS = 30_000;

/**
 * Returns `env` with a log that writes warnings and errors as escaped lines. The reason for a retry is written once,
 * not for every request.
 */
export function logNotices(env: Env, write: (line: Safe) => void): Env {
  let last = { why: '', at: -Infinity };
  return {
    now: () => env.now(),
    wallNow: () => env.wallNow(),
    sleep: (ms, signal) => env.sleep(ms, signal),
    yield: () => env.yield(),
    random: () => env.random(),
    log: (level, message, fields) => {
      if (level !== 'warn' && level !== 'error') return;
      const why = noticeRetryReason(fields);
      if (why === undefined) return write(noticeText(message, fields));
      const isNew = why !== last.why || env.now() - last.at >= REPEAT_MS;
      last = { why, at: isNew ? env.now() : last.at };
      // If all attempts fail, the final error has the details.
      if (isNew) write(escapeText(`retrying requests: ${why}`));
    },
  };
}

function noticeText(message: string, fields: Readonly<Record<string, unknown>> = {}): Safe {
  const error = fields['error'];
  const why = error === undefined ? '' : `: ${errorText(error)}`;
  const about = typeof fields['type'] === 'string' ? `${fields['type']}: ` : '';
  return escapeText(`${about}${message}${why}`);
}

/** The reason for a retry, without method and path, so that it is equal for all requests that fail alike. */
function noticeRetryReason(fields: Readonly<Record<string, unknown>> = {}): string | undefined {
  const { method, path, error } = fields;
  if (typeof method !== 'string' || typeof path !== 'string' || error === undefined) return undefined;
  const text = errorText(error);
  const head = `${method} ${path}: `;
  return (text.startsWith(head) ? text.slice(head.length) : text).split('; ', 1)[0];
}
