import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Env, KubeError } from 'kube-informer/core';
import type { ApiObject } from '../../core/kube-object.ts';
import type { Collection } from '../store/stored-collection.ts';
import type { Change } from '../store/stored-history.ts';
import type { Store, StoreSnapshot } from '../store/stored-objects.ts';
import { encodeRecord, type Layout, type StoredRecord } from '../store/stored-record.ts';
import { DurableLog, type LogEntry } from './log.ts';
import { readPrivateFile } from './private-file.ts';

const IDENTITY_FILE = 'identity.json';

/**
 * Stores the state of a server in a directory, from one process to the next.
 *
 * - `take` returns everything as it was: uids, versions, definitions. History is not stored: a watch from an
 * older
 *   version gets 410, as after any restart of a server.
 * - After `follow` every change of the store is written to the log; `settled` resolves when it is saved. A
 * response is
 *   sent only after its changes are saved, so kill -9 loses nothing that a client has seen.
 */
export class DataDirectory<Identity extends object> {
  /** Last argument of `keep`: secrets by which clients recognize the server. */
  readonly identity: Identity | undefined;
  readonly #dir: string;
  readonly #log: DurableLog;
  #found: Map<string, LogEntry>;
  #store: Store | undefined;
  #appended = 0;
  #written = 0;
  #logged: number;
  #unkept: Identity | undefined;
  #keeping: Promise<void> | undefined;

  private constructor(dir: string, log: DurableLog, found: Map<string, LogEntry>, identity: Identity | undefined) {
    this.#dir = dir;
    this.#log = log;
    this.#found = found;
    this.#logged = log.recovery.revision;
    this.identity = identity;
  }

  /**
   * Creates the directory if it is missing. Throws while another process uses it, and INVALID_OPTION if
   * another user can write to it. Throws ILLEGAL_STATE if it is damaged; with `repair` it keeps everything
   * before the damage.
   */
  static async open<Identity extends object>(
    dir: string,
    env: Env,
    isIdentity: (value: unknown) => value is Identity,
    repair = false,
  ): Promise<DataDirectory<Identity>> {
    const found = new Map<string, LogEntry>();
    const take = (entry: LogEntry): void => {
      if (entry.op === 'delete') found.delete(entry.key);
      // The bytes are a view of a whole file.
      else found.set(entry.key, { ...entry, value: Buffer.from(entry.value) });
    };
    const log = await DurableLog.open(dir, take, { env, repair });
    try {
      return new DataDirectory(dir, log, found, await readDataDirectoryIdentity(join(dir, IDENTITY_FILE), isIdentity));
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /** Highest revision that was assigned; 0 for an empty directory. */
  get revision(): number {
    return this.#log.recovery.revision;
  }

  /** The stored state. Can be taken once. */
  take(): StoreSnapshot {
    const collections = new Map<string, { layout: Layout; records: StoredRecord[] }>();
    for (const { key, value, revision } of this.#found.values()) {
      const { id, layout } = parseDataDirectoryKey(key);
      let collection = collections.get(id);
      if (collection === undefined) collections.set(id, (collection = { layout, records: [] }));
      collection.records.push(encodeRecord(parseDataDirectoryObject(key, value), revision, layout));
    }
    this.#found = new Map();
    return { revision: this.revision, collections };
  }

  follow(store: Store): void {
    this.#store = store;
    store.listen((collection, change) => {
      this.#append(collection, change);
      if (this.#log.needsSnapshot) void this.#snapshot(store).catch(() => {}); // the next flush rejects
    });
  }

  /** Resolves when all changes are saved; undefined if they already are. */
  settled(): Promise<void> | undefined {
    const upTo = this.#appended;
    if (this.#written === upTo) return this.#keeping;
    return Promise.all([this.#log.flush(), this.#keeping]).then(() => {
      this.#written = Math.max(this.#written, upTo);
    });
  }

  /** Writes everything anew. Call it after everything was replaced at once, which causes no change events. */
  rewrite(): void {
    if (this.#store === undefined) return;
    this.#appended += 1;
    this.#logged = this.#store.revision;
    void this.#snapshot(this.#store).catch(() => {}); // the next flush rejects
  }

  /** Saves an identity for the next start. Only the last of several concurrent calls is written. */
  keep(identity: Identity): Promise<void> {
    this.#unkept = identity;
    return (this.#keeping ??= this.#keepAll());
  }

  async #keepAll(): Promise<void> {
    try {
      for (let next = this.#unkept; next !== undefined; next = this.#unkept) {
        this.#unkept = undefined;
        await this.#write(next);
      }
    } finally {
      this.#keeping = undefined;
    }
  }

  async #write(identity: Identity): Promise<void> {
    const path = join(this.#dir, IDENTITY_FILE);
    const temporary = `${path}.${randomBytes(6).toString('hex')}`;
    // The file contains secrets.
    await writeFile(temporary, `${JSON.stringify(identity, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  }

  async close(): Promise<void> {
    await this.#keeping;
    const store = this.#store;
    // A revision can increase without a change, and must not be assigned again.
    if (store !== undefined && store.revision > this.#logged) await this.#snapshot(store);
    await this.#log.close();
  }

  #append(collection: Collection, { record, key, revision }: Change): void {
    const place = dataDirectoryKey(collection, key);
    this.#appended += 1;
    this.#logged = revision;
    this.#log.append([
      record === undefined
        ? { revision, op: 'delete', key: place, value: NOTHING }
        : { revision, op: 'put', key: place, value: record.tail },
    ]);
  }

  #snapshot(store: Store): Promise<void> {
    return this.#log.snapshot(dataDirectoryState(store), store.revision);
  }
}

const NOTHING = new Uint8Array();

function* dataDirectoryState(store: Store): Generator<Omit<LogEntry, 'op'>> {
  for (const collection of store.collections())
    for (const { key, revision, tail } of collection.current())
      yield { key: dataDirectoryKey(collection, key), revision, value: tail };
}

/**
 * The key of an object, such as `struct/pods/default/a`, which is enough to open a collection before its
 * resource is known.
 */
const dataDirectoryKey = ({ layout, id }: Collection, key: string): string => `${layout}/${id}/${key}`;

function parseDataDirectoryKey(key: string): { readonly id: string; readonly layout: Layout } {
  const [layout = '', id = ''] = key.split('/', 2);
  if (layout !== 'struct' && layout !== 'sorted')
    throw new KubeError(
      'ILLEGAL_STATE',
      `the data directory holds ${JSON.stringify(key)}: this directory belongs to another program`,
    );
  return { id, layout };
}

function parseDataDirectoryObject(key: string, tail: Uint8Array): ApiObject {
  try {
    return JSON.parse(`{${Buffer.from(tail).toString()}`) as ApiObject;
  } catch {
    // The parser's message quotes the object, which may be a Secret.
    throw new KubeError(
      'ILLEGAL_STATE',
      `the data directory holds no object for ${JSON.stringify(key)}: this directory belongs to another program`,
    );
  }
}

/**
 * Reads the identity. `isIdentity` checks it, because it is used before any request, and the file may have
 * been damaged.
 */
async function readDataDirectoryIdentity<Identity>(
  path: string,
  isIdentity: (value: unknown) => value is Identity,
): Promise<Identity | undefined> {
  const text = await readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isIdentity(value)) return value;
  } catch {
    // The parser's message may quote a token.
  }
  throw new KubeError(
    'INVALID_OPTION',
    `data: the file ${path} is damaged; restore it from a copy, or remove it for a server with new tokens and certificates`,
  );
}
