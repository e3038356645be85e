/**
 * A cluster's API, typed: `Client.connect()` finds the cluster, `client.resource('v1/pods')` returns a client for its pods.
 *
 * Loads on every platform; the parts that need Node's modules are loaded when they are used.
 */
export { type ApplyConflict, applyConflictsOf, isApplyConflict } from './apply-conflict.ts';
export {
  type BuiltInResource,
  Client,
  type ClientConnectOptions,
  type ClientOptions,
  type CreateOnlyClient,
  type LogOptions,
  type NotBuiltIn,
  type ObjectNamed,
  type ResourceNameFor,
  type RawRequest,
} from './client.ts';
export type { ConfigSource, ConnectOptions } from './connect/connect-options.ts';
export { resolveConnection } from './connect/resolve-connection.ts';
export type { Connection } from './connect/connection.ts';
export type { Impersonation } from './config/connection-plan.ts';
export type { TlsSettings, TlsSource } from './transport/tls-settings.ts';
export { createTransport, type TransportOptions } from './connect/create-transport.ts';
export type { ClientCertificate } from './transport/tls-settings.ts';
export type { Credentials, CredentialSource } from './auth/credentials.ts';
export type { ApiResource, ServerResources } from './discovery/discovery-documents.ts';
export type { Discovery, LookupOptions } from './discovery/discovery.ts';
export { createFetchTransport, type FetchLike, type FetchTransportOptions } from './transport/fetch/fetch-transport.ts';
export type { Selection } from './request/list-query.ts';
export { decodeList, type ListStreamOptions } from './codec/list-stream.ts';
export type { NodeTransportLimits } from './transport/node-transport-limits.ts';
export { type Limiter, type RateLimitOptions, RateLimiter } from '../core/async/rate-limit.ts';
export { objectRedactor } from './secrets/redact-object.ts';
export { redact } from '../core/redact.ts';
export { attemptsOf, type CallOptions } from './request/request.ts';
export type { MetadataClient, ResourceClient } from './resource-client.ts';
export type { ListWatchOptions, ResourceSource } from './resource-reader.ts';
export type {
  ApplyOptions, DeleteCollectionOptions, DeleteOptions, ListCallOptions, Partially, PatchOptions, PatchType, ReplaceOptions, SubresourceOptions,
  WatchCallOptions, WriteOptions,
} from './resource-options.ts'; // prettier-ignore
export { retryOnConflict, type RetryOnConflictOptions } from './retry-on-conflict.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport/transport.ts';
export type { ApiWarning, WarningHandler, WarningPolicy } from './request/warnings.ts';
export { decodeWatchStream, type WatchStreamOptions } from './codec/watch-stream.ts';
export type { Wire } from './wire-choice.ts';
