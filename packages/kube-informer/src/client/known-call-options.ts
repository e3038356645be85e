import type { KnownOptions } from '../core/known-options.ts';
import type { GetOptions } from '../core/object/list-options.ts';
import type { Selection } from './request/list-query.ts';
import type { CallOptions } from './request/request.ts';
import type { ListWatchOptions } from './resource-reader.ts';
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  ListCallOptions,
  PatchOptions,
  ReplaceOptions,
  SubresourceOptions,
  WatchCallOptions,
  WriteOptions,
} from './resource-options.ts';

const CALL: KnownOptions<CallOptions> = {
  signal: true,
  timeoutMs: true,
  attempts: true,
  onWarning: true,
  limiter: true,
};
const SELECTION: KnownOptions<Selection> = {
  namespace: true,
  labels: true,
  fields: true,
  labelSelector: true,
  fieldSelector: true,
};
const WRITE: KnownOptions<WriteOptions> = { ...CALL, dryRun: true, fieldManager: true, fieldValidation: true };
const REPLACE: KnownOptions<ReplaceOptions> = { ...WRITE, subresource: true };
const DELETE: KnownOptions<DeleteOptions> = {
  ...CALL,
  dryRun: true,
  gracePeriodSeconds: true,
  propagation: true,
  preconditions: true,
};
const LIST: KnownOptions<ListCallOptions> = {
  ...CALL,
  ...SELECTION,
  resourceVersion: true,
  resourceVersionMatch: true,
  limit: true,
  continue: true,
  timeoutSeconds: true,
  wire: true,
};
const { timeoutMs: _, limiter: __, ...lasting } = LIST;

/** The names of the options each verb accepts. */
export const KNOWN: {
  readonly call: KnownOptions<CallOptions>;
  readonly get: KnownOptions<GetOptions & CallOptions>;
  readonly list: KnownOptions<ListCallOptions>;
  readonly watch: KnownOptions<WatchCallOptions>;
  readonly write: KnownOptions<WriteOptions>;
  readonly replace: KnownOptions<ReplaceOptions>;
  readonly patch: KnownOptions<PatchOptions>;
  readonly apply: KnownOptions<ApplyOptions>;
  readonly delete: KnownOptions<DeleteOptions>;
  readonly deleteCollection: KnownOptions<DeleteCollectionOptions>;
  readonly subresource: KnownOptions<SubresourceOptions>;
  readonly listWatch: KnownOptions<ListWatchOptions>;
} = {
  call: CALL,
  get: { ...CALL, resourceVersion: true },
  list: LIST,
  watch: { ...lasting, allowWatchBookmarks: true, sendInitialEvents: true },
  write: WRITE,
  replace: REPLACE,
  patch: { ...REPLACE, type: true, force: true },
  apply: { ...REPLACE, force: true },
  delete: DELETE,
  deleteCollection: { ...DELETE, ...SELECTION, resourceVersion: true, limit: true },
  subresource: { ...WRITE, method: true, body: true, type: true },
  listWatch: { ...SELECTION, onWarning: true, limiter: true, modify: true, wire: true },
};
