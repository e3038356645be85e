import { createContext, runInContext } from 'node:vm';
import { suspicionsOf } from './regex-ambiguity.ts';

/** Reading it a few times takes a millisecond; reading it from each of its characters takes a second or more. */
const LENGTH = 50_000;
/** A word of several characters has fewer places to begin at: more of it takes as long. */
const repeated = (pump: string): string => pump.repeat(LENGTH / Math.sqrt(pump.length));
/** In between, of computing time: a busy machine may do something else meanwhile, which does not count. */
const PATIENCE_MS = 60;
/** What makes a match fail after a long run of something. */
const ENDS = ['', '\0', '\n', '!', 'a', '0', ' ', '"', '\u{1f600}'];

const room: { regex?: RegExp; text?: string } = {};
createContext(room);

/** Once may be the fault of the machine, which counts for us what it does for others. */
const SLOW_TIMES = 3;

function isQuick(regex: RegExp, text: string): boolean {
  const script = regex.global ? 'text.replace(regex, "")' : 'regex.test(text)';
  let slow = 0;
  for (let timeout = 2 * PATIENCE_MS; slow < SLOW_TIMES; timeout *= 2) {
    const before = process.cpuUsage();
    try {
      Object.assign(room, { regex, text });
      regex.lastIndex = 0;
      runInContext(script, room, { timeout });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      if (process.cpuUsage(before).user > PATIENCE_MS * 1_000) slow += 1;
    }
  }
  return false;
}

/** A text that keeps the engine busy, as what leads to it, what is repeated, and its end. */
export function slowText(regex: RegExp): string | undefined {
  for (const { prefix, pump } of suspicionsOf(regex))
    for (const end of ENDS)
      if (!isQuick(regex, prefix + repeated(pump) + end)) return JSON.stringify([prefix, pump, end]);
  return undefined;
}
