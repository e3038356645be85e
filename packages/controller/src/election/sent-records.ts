import type { LeaseRecord } from './lease-record.ts';

/** Maximum number of records that are kept. At the default period they are those of eight minutes. */
const MAX_RECORDS = 256;

/**
 * The records that this process has sent, answered or not, without those that the server refused.
 *
 * A Lease that names us and has another record was written by another process of the same identity: one that was started
 * twice, or the one before a restart. Its leadership is not ours.
 */
export class SentRecords {
  readonly #texts = new Set<string>();

  add(record: LeaseRecord): void {
    this.#texts.add(textOfSentRecord(record));
    const [oldest] = this.#texts;
    if (this.#texts.size > MAX_RECORDS && oldest !== undefined) this.#texts.delete(oldest);
  }

  /** The server refused it. */
  remove(record: LeaseRecord): void {
    this.#texts.delete(textOfSentRecord(record));
  }

  has(record: LeaseRecord): boolean {
    return this.#texts.has(textOfSentRecord(record));
  }
}

/** Without the duration, which people edit. Every renewal has a new time. */
function textOfSentRecord({ holder, acquireTime, renewTime, transitions }: LeaseRecord): string {
  return JSON.stringify([holder, acquireTime, renewTime, transitions]);
}
