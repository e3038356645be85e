/** The meaning of a request's method and path, before anything is looked up. */
export interface RequestInfo {
  /** A resource verb, or the lower-case HTTP method if `isResource` is false. */
  readonly verb: string;
  readonly path: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for cluster scope or all namespaces. */
  readonly namespace: string;
  /** Empty if the request names no single object. */
  readonly name: string;
}
