import type { JsonObject } from '../../core/json.ts';
import { META } from '../schema/builtin-schema.ts';
import type { Resource } from '../schema/resource.ts';
import { openApiSchemaName } from './openapi-names.ts';

/** Query parameters by operation; those with another type than text are in `TYPES`. */
const WRITE = ['dryRun', 'fieldManager', 'fieldValidation'];
const SELECT = ['continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch'];
const STREAM = ['sendInitialEvents', 'shardSelector', 'timeoutSeconds'];
const DELETE = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  create: WRITE,
  delete: DELETE,
  deletecollection: [...DELETE, ...SELECT, ...STREAM],
  get: [],
  list: ['allowWatchBookmarks', ...SELECT, ...STREAM, 'watch'],
  patch: [...WRITE, 'force'],
  update: WRITE,
};
const CUSTOM_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  ...PARAMETERS,
  deletecollection: PARAMETERS['list'] ?? [],
  get: ['resourceVersion'],
};
const TYPES: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    ...Object.fromEntries(['gracePeriodSeconds', 'limit', 'timeoutSeconds'].map((name) => [name, 'integer'])),
    ...Object.fromEntries(
      [
        'allowWatchBookmarks',
        'force',
        'ignoreStoreReadErrorWithClusterBreakingPotential',
        'orphanDependents',
        'sendInitialEvents',
        'watch',
      ].map((name) => [name, 'boolean']),
    ),
  }),
);

/** Names of a verb in paths, in operation ids and in `x-kubernetes-action`. */
const VERBS: ReadonlyMap<string, readonly [method: string, id: string, action: string]> = new Map<
  string,
  readonly [method: string, id: string, action: string]
>(
  Object.entries({
    get: ['get', 'read', 'get'],
    list: ['get', 'list', 'list'],
    create: ['post', 'create', 'post'],
    update: ['put', 'replace', 'put'],
    delete: ['delete', 'delete', 'delete'],
    deletecollection: ['delete', 'delete', 'deletecollection'],
    patch: ['patch', 'patch', 'patch'],
  }),
);

const STATUS_TEXT: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({ 200: 'OK', 201: 'Created', 202: 'Accepted' }),
);

/** Streams of bytes, not objects: no operation of theirs can be described by a kind. */
const CONNECTIONS: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward', 'proxy', 'log']);

const openApiPathSchemaReference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

interface Operation {
  readonly verb: string;
  readonly id: string;
  /** The kind that it receives and returns; a subresource may use another kind than the resource. */
  readonly of: Pick<Resource, 'group' | 'version' | 'kind'>;
}

/** The paths of a resource with their operations, as OpenAPI v3. */
export function openApiPaths(resource: Resource): Record<string, JsonObject> {
  const { group, version, kind, namespaced, verbs } = resource;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = `${base}${namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`;
  const scope = namespaced ? 'Namespaced' : '';
  const name = `${openApiPathPascalGroup(group)}${openApiPathPascalCase(version)}`;
  const operation = (verb: string, end = `${scope}${kind}`, of: Operation['of'] = resource): Operation => {
    const collected = verb === 'deletecollection' ? 'Collection' : '';
    return { verb, id: `${VERBS.get(verb)?.[1] ?? verb}${name}${collected}${end}`, of };
  };
  const having = (...wanted: string[]): Operation[] =>
    wanted.filter((verb) => verbs.includes(verb)).map((verb) => operation(verb));
  const paths: [string, Operation[]][] = [
    [collection, having('list', 'create', 'deletecollection')],
    [`${collection}/{name}`, having('get', 'update', 'delete', 'patch')],
    ...(namespaced && verbs.includes('list')
      ? [[`${base}/${resource.resource}`, [operation('list', `${kind}ForAllNamespaces`)]] as [string, Operation[]]]
      : []),
    ...resource.subresources
      .filter((sub) => !CONNECTIONS.has(sub.name))
      .map((sub): [string, Operation[]] => [
        `${collection}/{name}/${sub.name}`,
        ['get', 'create', 'update', 'delete', 'patch']
          .filter((verb) => sub.verbs.includes(verb))
          .map((verb) => operation(verb, `${scope}${kind}${openApiPathPascalCase(sub.name)}`, sub)),
      ]),
  ];
  return Object.fromEntries(
    paths
      .filter(([, operations]) => operations.length > 0)
      .map(([path, operations]) => [path, openApiPathItem(path, operations, resource)]),
  );
}

/** The item of a path. Parameters that all its operations share are listed once, beside them. */
function openApiPathItem(path: string, operations: readonly Operation[], resource: Resource): JsonObject {
  const known = resource.custom ? CUSTOM_PARAMETERS : PARAMETERS;
  const own = operations.map(({ verb }) => known[verb] ?? []);
  const shared = (own[0] ?? []).filter((name) => own.every((names) => names.includes(name)));
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const item: JsonObject = {};
  for (const [index, operation] of operations.entries()) {
    const [method = ''] = VERBS.get(operation.verb) ?? [];
    item[method] = openApiPathOperation(
      operation,
      (own[index] ?? []).filter((name) => !shared.includes(name)),
      resource,
    );
  }
  item['parameters'] = [...inPath, ...shared, 'pretty']
    .toSorted()
    .map((name) => openApiPathParameter(name, inPath.includes(name) ? 'path' : 'query'));
  return item;
}

function openApiPathOperation(
  { verb, id, of }: Operation,
  parameters: readonly string[],
  resource: Resource,
): JsonObject {
  const { custom } = resource;
  const { group, version, kind } = custom ? resource : of;
  return {
    tags: [openApiPathTag(resource)],
    operationId: id,
    ...(parameters.length === 0
      ? {}
      : { parameters: parameters.toSorted().map((name) => openApiPathParameter(name, 'query')) }),
    ...openApiPathRequestBody(verb, of, custom),
    responses: openApiPathResponses(verb, of, resource),
    'x-kubernetes-action': VERBS.get(verb)?.[2] ?? verb,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

function openApiPathRequestBody(verb: string, of: Operation['of'], custom: boolean): JsonObject {
  // Built-in kinds accept any type they can decode; the types of custom resources are listed.
  const types = custom ? ['application/json', 'application/yaml'] : ['*/*'];
  if (verb === 'create' || verb === 'update') {
    return { requestBody: { content: openApiPathContent(types, openApiSchemaName(of, custom)), required: true } };
  }
  if (verb === 'delete' || verb === 'deletecollection') {
    // Deleting a collection of custom resources accepts only parameters.
    if (custom && verb === 'deletecollection') return {};
    return { requestBody: { content: openApiPathContent(types, `${META}DeleteOptions`) } };
  }
  if (verb !== 'patch') return {};
  return {
    requestBody: { content: openApiPathContent(openApiPathPatchTypes(custom), `${META}Patch`), required: true },
  };
}

/** The patch types of a kind, for kubectl. */
function openApiPathPatchTypes(custom: boolean): string[] {
  const types = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
  return custom ? types : [...types, 'application/strategic-merge-patch+json'];
}

function openApiPathResponses(verb: string, of: Operation['of'], { custom, resource, listKind }: Resource): JsonObject {
  const isList = verb === 'list';
  const types = [
    'application/json',
    ...(isList && !custom ? ['application/json;stream=watch'] : []),
    ...(custom ? [] : ['application/vnd.kubernetes.protobuf']),
    ...(isList && !custom ? ['application/vnd.kubernetes.protobuf;stream=watch'] : []),
    'application/yaml',
  ];
  const codes: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>(
    Object.entries({
      create: ['200', '201', '202'],
      delete: ['200', '202'],
      patch: custom ? ['200'] : ['200', '201'],
      update: ['200', '201'],
    }),
  );
  const name = isList
    ? openApiSchemaName({ ...of, kind: listKind }, custom)
    : verb.startsWith('delete') && !(verb === 'delete' && openApiPathReturnsDeleted(of, resource))
      ? `${META}Status`
      : openApiSchemaName(of, custom);
  const responses = (codes.get(verb) ?? ['200']).map((code) => [
    code,
    { description: STATUS_TEXT.get(code), content: openApiPathContent(types, name) },
  ]);
  return { ...Object.fromEntries(responses), 401: { description: 'Unauthorized' } } as JsonObject;
}

/** Kinds whose delete returns the deleted object. */
const RETURNED: ReadonlySet<string> = new Set(
  (
    'persistentvolumeclaims persistentvolumes pods podtemplates resourcequotas serviceaccounts services csidrivers ' +
    'csinodes storageclasses volumeattachments volumeattributesclasses deviceclasses resourceclaims ' +
    'resourceclaimtemplates resourceslices'
  ).split(' '),
);

function openApiPathReturnsDeleted({ group }: Operation['of'], resource: string): boolean {
  return ['', 'storage.k8s.io', 'resource.k8s.io'].includes(group) && RETURNED.has(resource);
}

function openApiPathContent(types: readonly string[], schemaName: string): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: openApiPathSchemaReference(schemaName) }]));
}

function openApiPathParameter(name: string, place: 'path' | 'query'): JsonObject {
  const schema = { type: TYPES.get(name) ?? 'string', uniqueItems: true };
  return { name, in: place, ...(place === 'path' ? { required: true } : {}), schema };
}

/** The tag of a group-version: `apps_v1`, `rbacAuthorization_v1`. */
function openApiPathTag({ group, version }: Resource): string {
  const name = openApiPathPascalGroup(group);
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}_${version}`;
}

function openApiPathPascalGroup(group: string): string {
  if (group === '') return 'Core';
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[^A-Za-z0-9]/)
    .map(openApiPathPascalCase)
    .join('');
}

const openApiPathPascalCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
