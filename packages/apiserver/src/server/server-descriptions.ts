import { readFile } from 'node:fs/promises';
import { KubeError } from 'kube-informer/core';
import type { Descriptions } from '../api/openapi/openapi-descriptions.ts';

/** Reads descriptions from a file with the OpenAPI document of another server. */
export async function readDescriptions(path: string | undefined): Promise<Descriptions | undefined> {
  if (path === undefined) return undefined;
  const advice = 'expected a file made with kubectl get --raw /openapi/v2 > file';
  const { Descriptions: Texts } = await import('../api/openapi/openapi-descriptions.ts');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new KubeError('INVALID_OPTION', `startApiServer: descriptions: ${path} cannot be read: ${advice}`, { cause });
  });
  const found = Texts.from(text);
  if (found === undefined)
    throw new KubeError(
      'INVALID_OPTION',
      `startApiServer: descriptions: ${path} is not an OpenAPI v2 document: ${advice}`,
    );
  return found;
}
