import type { Env } from 'kube-informer/core';
import { errorText } from './error-text.ts';
import { escapeText } from './terminal/escape.ts';

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

/** The same Env, with warnings and errors as safe lines. */
export function logTo(env: Env, write: (line: string) => void): Env {
  return {
    now: () => env.now(),
    wallNow: () => env.wallNow(),
    sleep: (ms, signal) => env.sleep(ms, signal),
    yield: () => env.yield(),
    random: () => env.random(),
    log: (level, message, fields) => {
      if (level === 'warn' || level === 'error') write(noticeText(message, fields));
    },
  };
}

function noticeText(message: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const error = fields['error'];
  const why = error === undefined ? '' : `: ${errorText(error)}`;
  const about = typeof fields['type'] === 'string' ? `${fields['type']}: ` : '';
  return escapeText(`${about}${message}${why}`);
}
