import { readFileSync } from 'node:fs';
import { protobufMessages as messages } from '@kube-informer/kubernetes/protobuf';
import type { JsonObject } from './json.ts';

/** Folder that `npm run generate` writes to; the same path from `src` and from `dist`. */
const FOLDER = new URL('../../data/', import.meta.url);

/** Reads a file of facts when it is first asked for: most servers never need most of them. */
function readDataOnce<T>(file: string): () => T {
  let value: T | undefined;
  return () => (value ??= JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as T);
}

/** Group-versions that a default server serves, in its order: `v1`, `apps/v1` … */
export const servedVersions: () => readonly string[] = readDataOnce('served.json');

/** OpenAPI v3 schemas by name (`io.k8s.api.core.v1.Pod`), without descriptions. Shared: do not change them. */
export const rawSchemas: () => Readonly<Record<string, JsonObject>> = readDataOnce('schemas.json');

/** Messages by the same names: the fields in the order of the Go type, each as `number name type`. */
export const protobufMessageData = (): Readonly<Record<string, readonly string[]>> => messages;

export type RawColumn = readonly [name: string, type: string, format: string, priority: number];

/** The columns of Tables by path: `v1/pods`, `apps/v1/deployments`. */
export const rawColumns: () => Readonly<Record<string, readonly RawColumn[]>> = readDataOnce('columns.json');
