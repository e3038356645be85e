// 21 names

class ExpirationCache<T extends object = KubeObject> implements Store<T> {
    constructor(options?: ExpirationCacheOptions<T>);
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], _resourceVersion: string): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
}

interface ExpirationCacheOptions<T> {
    readonly ttlMs?: number;
    readonly policy?: (entry: ExpirationEntry<T>) => boolean;
    readonly key?: KeyFn<T>;
    readonly env?: Env;
}

interface ExpirationEntry<T> {
    readonly object: T;
    readonly storedAt: number;
}

class Fifo<T extends object = KubeObject> implements Store<T> {
    constructor(options?: FifoOptions<T>);
    get length(): number;
    get isClosed(): boolean;
    get hasSynced(): boolean;
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], _resourceVersion: string): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
    pop(process: FifoProcess<T>): Promise<T>;
    close(): void;
}

interface FifoOptions<T> {
    readonly key?: KeyFn<T>;
}

type FifoProcess<T> = (object: T, initial: boolean) => void | Promise<void>;

class Heap<T extends object = KubeObject> {
    constructor(options: HeapOptions<T>);
    get length(): number;
    get isClosed(): boolean;
    add(object: T): void;
    update(object: T): void;
    bulkAdd(objects: readonly T[]): void;
    addIfNotPresent(object: T): boolean;
    delete(object: T): boolean;
    pop(): Promise<T>;
    close(): void;
    get(object: T): T | undefined;
    getByKey(key: Key): T | undefined;
    list(): T[];
    listKeys(): Key[];
}

interface HeapOptions<T> {
    readonly less: (a: T, b: T) => boolean;
    readonly key?: KeyFn<T>;
}

type IndexFn<T> = (object: T) => readonly string[];

class Indexer<T extends object = KubeObject, I extends string = string> implements Store<T>, ReadonlyStore<T, I> {
    readonly keyOf: KeyFn<T>;
    constructor(options?: IndexerOptions<T>);
    get size(): number;
    get resourceVersion(): string;
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    set(key: Key, object: T): T | undefined;
    deleteKey(key: Key): T | undefined;
    replace(items: readonly T[], resourceVersion: string): void;
    stageReplace(): StagedReplace<T>;
    bookmark(resourceVersion: string): void;
    transaction(writes: readonly StoreWrite<T>[]): TransactionResult;
    addIndexers(indexers: Indexers<T>): void;
    get(key: Key): T | undefined;
    has(key: Key): boolean;
    keys(): Key[];
    list(): T[];
    byIndex(name: I | 'namespace', value: string): T[];
    indexKeys(name: I | 'namespace', value: string): Key[];
    indexValues(name: I | 'namespace'): string[];
    index(name: I | 'namespace', object: T): T[];
    hasIndex(name: string): boolean;
    indexNames(): string[];
    entries(): IterableIterator<[Key, T]>;
}

interface IndexerOptions<T> {
    readonly indexers?: Indexers<T>;
    readonly key?: KeyFn<T>;
    readonly access?: ObjectAccess<T>;
}

type Indexers<T> = Readonly<Record<string, IndexFn<T>>>;

class MutationCache<T extends object = KubeObject, I extends string = string> {
    constructor(store: ReadonlyStore<T, I>, options?: MutationCacheOptions<T>);
    get(key: Key): T | undefined;
    byIndex(name: I | 'namespace', value: string): T[];
    mutation(object: T): void;
    onAddOrUpdate(object: T): void;
    onDelete(object: T): void;
}

interface MutationCacheOptions<T> {
    readonly maxEntries?: number;
    readonly ttlMs?: number;
    readonly includeAdds?: boolean;
    readonly indexers?: Indexers<T>;
    readonly key?: KeyFn<T>;
    readonly access?: ObjectAccess<T>;
    readonly env?: Env;
}

const NAMESPACE_INDEX = "namespace";

interface ReadonlyStore<T, I extends string = string> {
    readonly size: number;
    readonly resourceVersion: string;
    get(key: Key): T | undefined;
    has(key: Key): boolean;
    keys(): Key[];
    list(): T[];
    byIndex(name: I | 'namespace', value: string): T[];
    indexKeys(name: I | 'namespace', value: string): Key[];
    indexValues(name: I | 'namespace'): string[];
    index(name: I | 'namespace', object: T): T[];
    hasIndex(name: string): boolean;
    indexNames(): string[];
}

interface Store<T> {
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], resourceVersion: string): void;
    resync?(): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
}

type StoreWrite<T> = {
    readonly type: 'set';
    readonly key?: Key;
    readonly object: T;
} | {
    readonly type: 'delete';
    readonly key: Key;
    readonly object?: T;
};

interface TransactionResult {
    readonly total: number;
    readonly failures: readonly {
        readonly at: number;
        readonly error: unknown;
    }[];
}

class UndeltaStore<T extends object = KubeObject> implements Store<T> {
    constructor(push: (objects: T[]) => void, options?: UndeltaStoreOptions<T>);
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], resourceVersion: string): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
}

interface UndeltaStoreOptions<T> {
    readonly key?: KeyFn<T>;
    readonly store?: Store<T>;
}

// — reachable through them, not exported —

interface Env {
    now(): number;
    wallNow(): number;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
    yield(): Promise<void>;
    random(): number;
    readonly log: Log;
}

type Key = string;

type KeyFn<T> = (object: T) => Key;

interface KubeObject {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: ObjectMeta;
}

type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

interface ObjectAccess<T> {
    name(object: T): string | undefined;
    namespace(object: T): string | undefined;
    uid(object: T): string | undefined;
    resourceVersion(object: T): string | undefined;
    labels(object: T): Readonly<Record<string, string>>;
    annotations(object: T): Readonly<Record<string, string>>;
    type(object: T): TypeRef;
}

interface ObjectMeta {
    readonly name?: string;
    readonly namespace?: string;
    readonly generateName?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
}

interface StagedReplace<T> {
    set(key: Key, object: T): void;
    has(key: Key): boolean;
    commit(resourceVersion: string): void;
}

interface TypeRef {
    readonly apiVersion?: string;
    readonly kind?: string;
}
