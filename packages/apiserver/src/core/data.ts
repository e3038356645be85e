import { readFileSync } from 'node:fs';
import { protobufMessages as messages } from '@kube-informer/kubernetes/protobuf';
import type { JsonObject } from './json.ts';

/** Folder that `npm run generate` writes to; the same path from `src` and from `dist`. */
const FOLDER = new URL('../../data/', import.meta.url);

/** Reads a file of facts when it is first needed: most servers never need most of them. */
function readDataOnce<T>(file: string): () => T {
  let value: T | undefined;
  return () => (value ??= JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as T);
}

/** Group-versions that a default server serves, in its order: `v1`, `apps/v1` … */
export const servedVersions: () => readonly string[] = readDataOnce('served.json');

/** OpenAPI v3 schemas by name (`io.k8s.api.core.v1.Pod`), without descriptions. Shared: do not change them. */
export const rawSchemas: () => Readonly<Record<string, JsonObject>> = readDataOnce('schemas.json');

/** Messages by the same names: their fields in the order of the Go type, each as `number name type`. */
export const dataOfProtobuf = (): Readonly<Record<string, readonly string[]>> => messages;

export type RawColumn = readonly [name: string, type: string, format: string, priority: number];

/** The columns of Tables by path: `v1/pods`, `apps/v1/deployments`. */
export const rawColumns: () => Readonly<Record<string, readonly RawColumn[]>> = readDataOnce('columns.json');

/** `[verbs, groups, resources, names?]`, or `[verbs, paths]`; words with spaces between them. */
export type DefaultRule = readonly [verbs: string, ...of: string[]];

/**
 * A default role. `into`: the role that aggregates these rules; `from`: its rules are those of all roles with
 * this `into`.
 */
export interface DefaultRole {
  readonly rules?: readonly DefaultRule[];
  readonly into?: string;
  readonly from?: string;
}

/** The objects that a new server creates by itself; rows by name, or by `namespace/name`. */
export interface DefaultObjects {
  readonly roles: Readonly<Record<string, DefaultRole>>;
  /** The role, and subjects as `Kind name` or `Kind namespace/name`. */
  readonly bindings: Readonly<Record<string, readonly string[]>>;
  readonly apiServices: Readonly<Record<string, readonly [groupPriority: number, versionPriority: number]>>;
  /** Priority levels. The last three fields exist only for levels that queue requests. */
  readonly priorityLevels: Readonly<
    Record<
      string,
      readonly [type: string, shares: number, lendable: number, queues?: number, hand?: number, length?: number]
    >
  >;
  /** Flow schemas. A resource rule that ends with `cluster` also applies to cluster-scoped objects. */
  readonly flowSchemas: Readonly<
    Record<
      string,
      readonly [
        level: string,
        precedence: number,
        distinguisher: string,
        subjects: readonly string[],
        resources: readonly DefaultRule[],
        paths: readonly DefaultRule[],
      ]
    >
  >;
}

export const defaultObjects: () => DefaultObjects = readDataOnce('defaults.json');
