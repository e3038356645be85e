import { expect } from 'vitest';
import type { ErrorCode } from '../../../src/core/errors.ts';
import { splitKey } from '../../../src/core/object/key.ts';
import type { KubeObject, ObjectMeta } from '../../../src/core/object/object.ts';

/** An object with the key `key`; `version` becomes its resourceVersion. */
export function pod(key: string, version?: string, meta: ObjectMeta = {}): KubeObject {
  const { namespace, name } = splitKey(key);
  return {
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      ...(version === undefined ? {} : { resourceVersion: version }),
      ...meta,
    },
  };
}

/** An object without a name, which no store accepts. */
export const nameless: KubeObject = { metadata: { namespace: 'web' } };

export function keyFor(object: KubeObject): string {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function versionOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata?.resourceVersion;
}

/** Matches a KubeError with this code, for `toThrow`. */
export function coded(code: ErrorCode): unknown {
  return expect.objectContaining({ name: 'KubeError', code });
}
