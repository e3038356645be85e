/**
 * A cluster's API, typed: `Client.connect()` finds the cluster, `client.resource('v1/pods')` gives a client for its pods.
 *
 * Loads on every platform; what needs Node's modules is loaded when it is used.
 */
export { type ApplyConflict, applyConflictsOf, isApplyConflict } from './apply-conflict.ts';
export {
  type BuiltInResource,
  Client,
  type ClientConnectOptions,
  type ClientOptions,
  type CreateOnlyClient,
  type LogOptions,
  type RawRequest,
} from './client.ts';
export type { ConfigSource, ConnectOptions } from './connect-options.ts';
export { resolveConnection } from './connect.ts';
export type { Connection } from './connection.ts';
export type { Impersonation } from './connection-plan.ts';
export type { TlsSettings, TlsSource } from './tls-settings.ts';
export { createTransport, type TransportOptions } from './create-transport.ts';
export type { ClientCertificate } from './tls-settings.ts';
export type { Credentials, CredentialSource } from './credentials.ts';
export type { ApiResource, Catalogue } from './discovery-documents.ts';
export type { Discovery, LookupOptions } from './discovery.ts';
export { createFetchTransport, type FetchLike, type FetchTransportOptions } from './fetch-transport.ts';
export type { Selection } from './list-query.ts';
export { decodeList, type ListStreamOptions } from './list-stream.ts';
export type { NodeTransportLimits } from './node-transport-limits.ts';
export { type Limiter, type RateLimitOptions, RateLimiter } from './rate-limit.ts';
export { objectRedactor } from './redact-object.ts';
export { redact } from './redact.ts';
export { attemptsOf, type CallOptions } from './request.ts';
export type { ListWatchOptions, MetadataClient, ResourceClient, ResourceSource } from './resource-client.ts';
export type {
  ApplyOptions, DeleteCollectionOptions, DeleteOptions, ListCallOptions, Partially, PatchOptions, PatchType, ReplaceOptions, SubresourceOptions,
  WatchCallOptions, WriteOptions,
} from './resource-options.ts'; // prettier-ignore
export { retryOnConflict, type RetryOnConflictOptions } from './retry-on-conflict.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport.ts';
export type { ApiWarning, WarningHandler, WarningPolicy } from './warnings.ts';
export { decodeWatchStream, type WatchStreamOptions } from './watch-stream.ts';
