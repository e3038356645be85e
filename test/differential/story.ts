import { compareVersions } from 'kube-informer/core';

/** One event of a handler. */
export interface Notice {
  readonly type: 'add' | 'update' | 'delete';
  readonly key: string;
  readonly rv: string;
  readonly uid: string;
  readonly oldRv?: string;
  readonly initial?: boolean;
  readonly unknown?: boolean;
  /** Repeated on request. */
  readonly resync?: boolean;
}

/** The events of a handler, checked in order. */
export class Story {
  readonly notices: Notice[] = [];
  /** I5. */
  readonly illegal: string[] = [];
  /** G5. */
  readonly illegalDeletes: string[] = [];
  /** G1. */
  readonly backwards: string[] = [];
  /** Number of events that repeat the same state of an object without a resync. */
  echoes = 0;
  /** The state that follows from the events: versions by key. */
  readonly view = new Map<string, string>();
  readonly #newest = new Map<string, string>();
  readonly #untrue = new Set<string>();

  tell(notice: Notice): void {
    const { type, key, rv } = notice;
    this.notices.push(notice);
    const received = this.view.get(key);
    if (type === 'add' && received !== undefined)
      this.illegal.push(`add of ${key}@${rv}, which is there at ${received}`);
    if (type !== 'add' && received === undefined)
      (type === 'delete' ? this.illegalDeletes : this.illegal).push(`${type} of ${key}@${rv}, which is not there`);
    if (type === 'update' && received !== undefined && notice.oldRv !== received)
      this.illegal.push(`update of ${key}@${rv}: old is ${notice.oldRv}, told was ${received}`);
    if (type === 'delete') {
      this.view.delete(key);
      return;
    }
    if (type === 'update' && rv === notice.oldRv && notice.resync !== true) this.echoes += 1;
    this.view.set(key, rv);
    if (this.#untrue.has(rv)) return;
    const newest = this.#newest.get(key);
    const order = newest === undefined ? undefined : compareVersions(rv, newest);
    if (order !== undefined && order < 0) this.backwards.push(`${key} went back from ${newest} to ${rv}`);
    else this.#newest.set(key, rv);
  }

  /** The client said that the storage went back: from here on older versions are not a step back. */
  newEpoch(): void {
    this.#newest.clear();
  }

  /** The server never had this version: a state of it is not a reason to call the next ones older. */
  disbelieve(version: string): void {
    this.#untrue.add(version);
  }

  /** `add default/a@5`, one for each notice. */
  get lines(): string[] {
    return this.notices.map(
      ({ type, key, rv, oldRv, initial, unknown }) =>
        `${type} ${key}@${oldRv === undefined ? '' : `${oldRv}→`}${rv}${initial === true ? ' initial' : ''}${unknown === true ? ' unknown' : ''}`,
    );
  }
}
