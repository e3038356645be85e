import { dataOfProtobuf } from '../../core/data.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/**
 * Messages that occur only in responses, in the form of the facts in `core/data.ts`, which are about the
 * bodies of requests.
 */
const RESPONSE_MESSAGES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    APIGroup: [
      '1 name string',
      `2 versions []${META}GroupVersionForDiscovery`,
      `3 preferredVersion? ${META}GroupVersionForDiscovery`,
      `4 serverAddressByClientCIDRs? []${META}ServerAddressByClientCIDR`,
    ],
    APIGroupList: [`1 groups []${META}APIGroup`],
    APIResource: [
      '1 name string',
      '6 singularName string',
      '2 namespaced bool',
      '8 group? string',
      '9 version? string',
      '3 kind string',
      `4 verbs ${META}Verbs`,
      '5 shortNames? []string',
      '7 categories? []string',
      '10 storageVersionHash? string',
    ],
    APIResourceList: ['1 groupVersion string', `2 resources []${META}APIResource`],
    APIVersions: ['1 versions []string', `2 serverAddressByClientCIDRs []${META}ServerAddressByClientCIDR`],
    GroupVersionForDiscovery: ['1 groupVersion string', '2 version string'],
    ListMeta: ['1 selfLink? string', '2 resourceVersion? string', '3 continue? string', '4 remainingItemCount? *int64'],
    PartialObjectMetadata: [`1 metadata? ${META}ObjectMeta`],
    ServerAddressByClientCIDR: ['1 clientCIDR string', '2 serverAddress string'],
    Status: [
      `1 metadata? ${META}ListMeta`,
      '2 status? string',
      '3 message? string',
      '4 reason? string',
      `5 details? *${META}StatusDetails`,
      '6 code? int32',
    ],
    StatusCause: ['1 reason? string', '2 message? string', '3 field? string'],
    StatusDetails: [
      '1 name? string',
      '2 group? string',
      '3 kind? string',
      '6 uid? string',
      `4 causes? []${META}StatusCause`,
      '5 retryAfterSeconds? int32',
    ],
    Verbs: ['1 = []string'],
  }).map(([name, lines]) => [`${META}${name}`, lines]),
);

/** The fields of a message that no request has; undefined if there is no such message. */
export function responseMessageLines(name: string): readonly string[] | undefined {
  const own = RESPONSE_MESSAGES.get(name);
  if (own !== undefined || !name.endsWith('List')) return own;
  const item = name.slice(0, -'List'.length);
  // Every list has its metadata and its items under these numbers.
  return item in dataOfProtobuf() || RESPONSE_MESSAGES.has(item)
    ? [`1 metadata? ${META}ListMeta`, `2 items []${item}`]
    : undefined;
}

/** The message of a kind that belongs to no group of its own: Status, metadata, discovery. */
export function responseMessageOf(kind: string): string | undefined {
  const name = `${META}${kind}`;
  return responseMessageLines(name) === undefined ? undefined : name;
}
