import { builtinSchema } from '../../api/schema/builtin-schema.ts';
import type { Schema } from '../../api/schema/schema.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { Decodable } from './decode-request.ts';

/** A kind that is posted to a subresource and not stored: decoded like any other. */
function postedKind(group: string, version: string, kind: string, schemaVersion: string = version): Decodable {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return {
    apiVersion,
    resource: {
      group,
      version,
      kind,
      custom: false,
      get schema(): Schema | undefined {
        return builtinSchema(group, schemaVersion, kind);
      },
    },
    named: ({ kind: _kind, apiVersion: _apiVersion, ...rest }: ApiObject) => ({ kind, apiVersion, ...rest }),
  };
}

export const BINDING: Decodable = postedKind('', 'v1', 'Binding');
export const EVICTION: Decodable = postedKind('policy', 'v1', 'Eviction');
export const TOKEN_REQUEST: Decodable = postedKind('authentication.k8s.io', 'v1', 'TokenRequest');

/** The old version of Eviction, which is no longer documented, has the same fields, and is still accepted. */
const OLD_EVICTION: Decodable = postedKind('policy', 'v1beta1', 'Eviction', 'v1');

/** The version of Eviction in which a body is decoded, by its own apiVersion. */
export const postedEvictionKind = (value: JsonObject | null): Decodable =>
  value?.['apiVersion'] === OLD_EVICTION.apiVersion ? OLD_EVICTION : EVICTION;
