import { isObjectFields } from '@kube-informer/inspector/internal';
import { type ApiResource, objectRedactor } from 'kube-informer/client';
import type { Env } from 'kube-informer/core';
import type { KubeObject } from 'kube-informer';

export interface PresentOptions {
  readonly showSecrets: boolean;
  readonly showManagedFields: boolean;
}

/**
 * Returns a function that prepares objects for output: adds apiVersion and kind, which list items lack, removes
 * managedFields, and masks Secrets and fields with the name of a credential. Equal values have equal masks, so a change
 * can still be seen.
 */
export function presenter(
  { group, version, kind }: ApiResource,
  env: Env,
  { showSecrets, showManagedFields }: PresentOptions,
): (object: KubeObject) => KubeObject {
  const type = { apiVersion: group === '' ? version : `${group}/${version}`, kind };
  const redact = showSecrets ? (value: unknown) => value : objectRedactor(env);
  return (object) => {
    const { metadata, ...rest } = object;
    const shown = { ...type, metadata: showManagedFields ? metadata : presenterMetadata(metadata), ...rest };
    return redact(shown) as KubeObject;
  };
}

function presenterMetadata(metadata: KubeObject['metadata']): KubeObject['metadata'] {
  // A server may send null, or anything else.
  if (!isObjectFields(metadata)) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== 'managedFields'));
}
