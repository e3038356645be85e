import { dataOfProtobuf } from '../../core/data.ts';
import { builtinSchemaName } from '../schema/builtin-schema.ts';
import { responseMessageLines, responseMessageOf } from './response-messages.ts';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The message of a kind; undefined if the kind has none, as custom resources. */
export function kindMessage({ apiVersion, kind }: TypeMeta): string | undefined {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const builtin = builtinSchemaName(group, version, kind);
  if (builtin !== undefined && (builtin in dataOfProtobuf() || responseMessageLines(builtin) !== undefined))
    return builtin;
  // Some documents of discovery name no version.
  return ['', 'v1'].includes(apiVersion) || group === 'meta.k8s.io' ? responseMessageOf(kind) : undefined;
}
