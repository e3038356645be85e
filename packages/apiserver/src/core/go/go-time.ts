import { serverTimestamp } from '../server-timestamp.ts';

const SECONDS = '2006-01-02T15:04:05Z07:00';
const MICROSECONDS = '2006-01-02T15:04:05.000000Z07:00';
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A time as servers write it, or their message about a text that is not a time. */
export type GoTime = { readonly written: string } | { readonly fault: string };

/** Reads `metav1.Time`: whole seconds; a fraction is accepted and dropped. */
export const goTime = (text: string): GoTime => readGoTime(text, SECONDS);

/** Reads `metav1.MicroTime`: exactly six digits after the seconds. */
export const goMicroTime = (text: string): GoTime => readGoTime(text, MICROSECONDS);

/** Thrown to end the reading; its message is the whole fault. */
class UnreadableTime extends Error {}

function readGoTime(text: string, layout: string): GoTime {
  const reader = new GoTimeReader(text, layout);
  try {
    return { written: reader.read() };
  } catch (error) {
    if (!(error instanceof UnreadableTime)) throw error;
    return { fault: error.message };
  }
}

/** Reads a text as Go's parser does, because its messages name the position it reached. */
class GoTimeReader {
  readonly #text: string;
  readonly #layout: string;
  #at = 0;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
  }

  read(): string {
    const year = Number(this.#match(/\d{4}/y, '2006'));
    this.#literal('-');
    const month = this.#number(/\d\d/y, '01', 'month', 1, 12);
    this.#literal('-');
    const day = Number(this.#match(/\d\d/y, '02'));
    this.#literal('T');
    const hour = this.#number(/\d\d?/y, '15', 'hour', 0, 23);
    this.#literal(':');
    const minute = this.#number(/\d\d/y, '04', 'minute', 0, 59);
    this.#literal(':');
    const second = this.#number(/\d\d/y, '05', 'second', 0, 59);
    const isMicro = this.#layout === MICROSECONDS;
    const fraction = isMicro ? this.#match(/[.,]\d{6}/y, '.000000') : this.#optional(/[.,]\d+/y);
    const offset = this.#zone();
    if (this.#at < this.#text.length) this.#fail(`extra text: ${JSON.stringify(this.#rest())}`);
    const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    const days = month === 2 && isLeap ? 29 : (DAYS[month - 1] as number);
    if (day < 1 || day > days) this.#fail('day out of range');
    // oxlint-disable-next-line no-restricted-globals -- calculates with a time it was given, does not read the clock
    const ms = Date.UTC(year, month - 1, day, hour, minute, second) - offset * 60_000;
    const written = serverTimestamp(ms);
    return isMicro ? `${written.slice(0, -1)}.${fraction.slice(1)}Z` : written;
  }

  /** Reads the zone as minutes east of Greenwich. */
  #zone(): number {
    if (this.#optional(/Z/y) !== '') return 0;
    const text = this.#match(/[+-]\d\d:\d\d/y, 'Z07:00');
    const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(4))];
    if (hours > 24) this.#fail('time zone offset hour out of range');
    if (minutes > 60) this.#fail('time zone offset minute out of range');
    return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
  }

  #number(pattern: RegExp, element: string, name: string, from: number, to: number): number {
    const value = Number(this.#match(pattern, element));
    if (value < from || value > to) this.#fail(`${name} out of range`);
    return value;
  }

  #literal(text: string): void {
    if (!this.#text.startsWith(text, this.#at)) this.#cannotParse(text);
    this.#at += text.length;
  }

  #match(pattern: RegExp, element: string): string {
    const found = this.#optional(pattern);
    return found === '' ? this.#cannotParse(element) : found;
  }

  #optional(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #rest(): string {
    return this.#text.slice(this.#at);
  }

  #cannotParse(element: string): never {
    const [text, layout, rest] = [this.#text, this.#layout, this.#rest()].map((part) => JSON.stringify(part));
    throw new UnreadableTime(`parsing time ${text} as ${layout}: cannot parse ${rest} as ${JSON.stringify(element)}`);
  }

  #fail(why: string): never {
    throw new UnreadableTime(`parsing time ${JSON.stringify(this.#text)}: ${why}`);
  }
}
