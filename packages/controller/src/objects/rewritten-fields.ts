import type { Key, KubeObject } from 'kube-informer/core';
import { otherFieldManager } from './field-manager.ts';
import { jsonHashOf } from './json-hash.ts';

/** Number of times a value is written back, each within `RESTORED_MS`, from which it is contested. */
const MAX_RESTORES = 5;
const RESTORED_MS = 600_000;
/**
 * Number of times the writer of a field changes, each within `TURN_MS`, from which it is contested too: no
 * person is that fast.
 */
const MAX_TURNS = 20;
const TURN_MS = 2_000;
/** Maximum number of objects that are remembered. */
const MAX_OBJECTS = 10_000;
/** Path that stands for the object itself. */
const WHOLE = '';

/** A write and the object that the server returned. */
export interface AnsweredWrite {
  /** Uid of the object that the run was about. */
  readonly primaryUid: string;
  readonly resource: string;
  readonly key: Key;
  /** The known state of the object before the write. */
  readonly before: KubeObject | undefined;
  readonly answer: KubeObject;
  /** The differences between the two states. Not called for a new object. */
  readonly changed: () => readonly { readonly path: string; readonly was: unknown; readonly is: unknown }[];
  readonly fieldManager: string;
}

/** A field that others change as often as this controller writes it. */
export interface RewrittenField {
  /** Path of the field. Undefined for the object itself. */
  readonly path: string | undefined;
  readonly manager: string | undefined;
  readonly times: number;
}

interface Left {
  /** Hash of the value after the last write. */
  hash: string;
  at: number;
  /** Consecutive times that the same value was written again. */
  restores: number;
  /** Consecutive times that the field was written soon after others had changed it. */
  turns: number;
  /**
   * Whether the field is contested. It stays so until nothing happens for `RESTORED_MS`: the other side may
   * be slow because this one is.
   */
  isContested: boolean;
}

interface Written {
  readonly primaryUid: string;
  /** Uid of the object after the last write. */
  uid: string | undefined;
  readonly fields: Map<string, Left>;
}

/**
 * Remembers what a controller wrote to each object, to detect fields that it writes again because others have
 * changed them.
 *
 * A field is compared with its value after the last write: a value that only this controller changes, however
 * often, is not contested, and neither is one that follows the changes of a user. Status is ignored: it is
 * shared, and its changes cause no run.
 */
export class RewrittenFields {
  readonly #objects = new Map<string, Written>();

  /** Records a write. Returns the contested field, if there is one. */
  wrote(now: number, write: AnsweredWrite): RewrittenField | undefined {
    const { fieldManager, before, answer, changed } = write;
    const written = this.#of(write);
    const { fields, uid: lastUid } = written;
    const uid = answer.metadata?.uid;
    written.uid = uid;
    if (before === undefined || before.metadata?.uid !== uid) {
      // No cache has the object: changes by others are unknown.
      if (uid === lastUid) return undefined;
      // It existed, is gone, and this controller did not delete it.
      const known = fields.get(WHOLE);
      fields.clear();
      const whole = turnOfRewrittenField(known, now, 'there', lastUid === undefined ? 'there' : 'gone');
      fields.set(WHOLE, whole);
      return whole.isContested ? { path: undefined, manager: undefined, times: whole.restores } : undefined;
    }
    let contested: RewrittenField | undefined;
    for (const { path, was, is } of changed()) {
      if (path === 'status' || path.startsWith('status.')) continue;
      const left = turnOfRewrittenField(fields.get(path), now, jsonHashOf(is), jsonHashOf(was));
      fields.set(path, left);
      if (left.isContested)
        contested ??= {
          path,
          manager: otherFieldManager(before, path, fieldManager),
          times: Math.max(left.restores, left.turns),
        };
    }
    return contested;
  }

  /** Records that this controller deleted the object. */
  deleted(resource: string, key: Key): void {
    this.#objects.delete(rewrittenId(resource, key));
  }

  clear(): void {
    this.#objects.clear();
  }

  #of({ resource, key, primaryUid }: AnsweredWrite): Written {
    const id = rewrittenId(resource, key);
    const known = this.#objects.get(id);
    // The record of another object of the same name does not count.
    const isKnown = known !== undefined && known.primaryUid === primaryUid;
    const written: Written = isKnown ? known : { primaryUid, uid: undefined, fields: new Map() };
    // Inserted again, so that the first entry of the map is the oldest.
    this.#objects.delete(id);
    this.#objects.set(id, written);
    const [oldest] = this.#objects.keys();
    if (this.#objects.size > MAX_OBJECTS && oldest !== undefined) this.#objects.delete(oldest);
    return written;
  }
}

/** The record of a field after a write: `hash` is that of the written value, `found` that of the value before. */
function turnOfRewrittenField(known: Left | undefined, now: number, hash: string, found: string): Left {
  if (known === undefined || known.hash === found) return { hash, at: now, restores: 0, turns: 0, isContested: false };
  const sinceMs = now - known.at;
  const isSameFight = sinceMs <= RESTORED_MS;
  const restores = hash !== known.hash ? 0 : isSameFight ? known.restores + 1 : 1;
  const turns = sinceMs <= TURN_MS || (known.isContested && isSameFight) ? known.turns + 1 : 1;
  const isContested = restores >= MAX_RESTORES || turns >= MAX_TURNS || (known.isContested && isSameFight);
  return { hash, at: now, restores, turns, isContested };
}

const rewrittenId = (resource: string, key: Key): string => `${resource} ${key}`;
