import { createContext, runInContext } from 'node:vm';
import { suspicionsOf } from './regex-ambiguity.ts';

/** Length of a text that is read once in a millisecond, and from each of its characters in a second or more. */
const LENGTH = 50_000;
/** A longer word has fewer places to begin at, so the text is longer to take the same time. */
const repeated = (pump: string): string => pump.repeat(LENGTH / Math.sqrt(pump.length));
/** CPU time above which a match is slow. Not wall-clock time: the machine may be busy. */
const PATIENCE_MS = 60;
/** Ends that may make a match fail after a long repetition. */
const ENDS = ['', '\0', '\n', '!', 'a', '0', ' ', '"', '\u{1f600}'];

const room: { regex?: RegExp; text?: string } = {};
createContext(room);

/** How often a match must be slow: once may be due to the machine. */
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

/** A text on which the expression is slow, as prefix, repeated part and end; undefined if there is none. */
export function slowText(regex: RegExp): string | undefined {
  for (const { prefix, pump } of suspicionsOf(regex))
    for (const end of ENDS)
      if (!isQuick(regex, prefix + repeated(pump) + end)) return JSON.stringify([prefix, pump, end]);
  return undefined;
}
