import { defined } from 'kube-informer/core';
import type { JsonObject } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { applySchemaDefaults } from '../../schema/apply-defaults.ts';
import { pruneBySchema } from '../../schema/prune-by-schema.ts';
import type { Resource, Subresource } from '../../schema/resource.ts';
import { compareKubeVersions } from '../../meta/kube-versions.ts';
import { schemaFrom } from '../../schema/schema-from.ts';
import type { Schema } from '../../schema/schema.ts';
import type { PrinterColumn } from '../../table/table-format.ts';
import type { ScalePaths } from '../common/kind-rule.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

export interface Names {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface VersionSpec {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonObject };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface DefinitionSpec {
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly names: Names;
  readonly versions: readonly VersionSpec[];
  readonly preserveUnknownFields?: boolean;
}

/** One served version of a custom resource. */
export interface CustomVersion {
  readonly resource: Resource;
  readonly printerColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  readonly scale: ScalePaths | undefined;
  /** Undefined if objects are shown as they are stored. */
  readonly conversion: Conversion | undefined;
  /** The warning that every request for a deprecated version gets. */
  readonly deprecation: string | undefined;
  /** The version in which objects are stored, whether it is served or not. */
  readonly storedResource: Resource;
}

interface Conversion {
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject, record?: Revised): ApiObject;
  readonly mayWait: boolean;
  forget(record: Revised): void;
}

/** A stored state of an object. */
export interface Revised {
  readonly revision: number;
}

/** Converts objects between versions of one definition. */
export interface VersionConverter {
  /** Whether objects are really converted; false if versions differ only in their fields. */
  readonly isActive: boolean;
  /** The version in which a state was stored, if that is not today's storage version. */
  storedIn(record: Revised): string | undefined;
  /**
   * Converts an object. Returns the same object for the same arguments; results for a record are kept as long
   * as the record.
   */
  convert(object: ApiObject, from: string, to: string, record?: Revised): ApiObject;
  forget(record: Revised): void;
}

export const customVersionsOfDefinition = (definition: ApiObject): DefinitionSpec =>
  definition['spec'] as DefinitionSpec;

/** The versions that a CustomResourceDefinition asks the server to serve. */
export function customVersions(definition: ApiObject, converter: VersionConverter): CustomVersion[] {
  const { group, scope, versions } = customVersionsOfDefinition(definition);
  const names = customVersionNames(definition);
  const isAsWritten = definition.metadata?.generation === 1;
  const storage = versions.find((version) => version.storage);
  const stored = schemaOfCustomVersion(storage);
  const schemas = new Map(versions.map((one) => [one.name, one.storage ? stored : schemaOfCustomVersion(one)]));
  const resourceOf = (version: VersionSpec): Resource => ({
    group,
    version: version.name,
    resource: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: scope === 'Namespaced',
    verbs: VERBS,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: customVersionSubresources(version, group, names.kind),
    custom: true,
    schema: schemas.get(version.name),
  });
  return versions
    .filter(({ served }) => served)
    .map((version) => ({
      resource: resourceOf(version),
      storedResource: resourceOf(storage ?? version),
      deprecation: customVersionDeprecation(version, customVersionsOfDefinition(definition)),
      printerColumns: version.additionalPrinterColumns ?? [],
      selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath),
      scale: customVersionScalePaths(version),
      conversion:
        version.storage && isAsWritten
          ? undefined
          : customVersionConversion(version.name, storage?.name ?? version.name, schemas, converter),
    }));
}

/** The warning of a deprecated version: the text of the definition, or one that names a newer version. */
function customVersionDeprecation(
  { name, deprecated = false, deprecationWarning }: VersionSpec,
  { group, names, versions }: DefinitionSpec,
): string | undefined {
  if (!deprecated) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [newest] = versions
    .filter((one) => one.served && one.deprecated !== true && compareKubeVersions(one.name, name) < 0)
    .toSorted((a, b) => compareKubeVersions(a.name, b.name));
  const text = (version: string): string => `${group}/${version} ${names.kind}`;
  return `${text(name)} is deprecated${newest === undefined ? '' : `; use ${text(newest.name)}`}`;
}

/** The accepted names of a definition. Conflicting names are not served, even if all others are. */
function customVersionNames(definition: ApiObject): Names {
  const { names } = customVersionsOfDefinition(definition);
  const { acceptedNames: accepted } = (definition['status'] ?? {}) as { acceptedNames?: Names };
  return accepted === undefined || accepted.kind === '' ? names : accepted;
}

const schemaOfCustomVersion = (version: VersionSpec | undefined): Schema | undefined =>
  version?.schema?.openAPIV3Schema === undefined ? undefined : schemaFrom(version.schema.openAPIV3Schema);

/**
 * The conversion of objects that are stored in another version, or were stored before the schema changed.
 * Fields keep their names unless a webhook converts them; fields that the other version does not have are
 * lost, and only the stored version has defaults.
 */
function customVersionConversion(
  shown: string,
  stored: string,
  schemas: ReadonlyMap<string, Schema | undefined>,
  converter: VersionConverter,
): Conversion {
  const pruned = (object: ApiObject, version: string): ApiObject => {
    const schema = schemas.get(version);
    return schema === undefined ? object : pruneBySchema(object, schema).object;
  };
  const defaulted = (object: ApiObject, version: string): ApiObject => {
    const schema = schemas.get(version);
    return schema === undefined ? object : applySchemaDefaults(pruned(object, version), schema);
  };
  return {
    toStored: (object) => pruned(converter.convert(object, shown, stored), stored),
    fromStored: (object, record) => {
      const from = (record === undefined ? undefined : converter.storedIn(record)) ?? stored;
      return pruned(converter.convert(defaulted(object, from), from, shown, record), shown);
    },
    get mayWait() {
      return converter.isActive;
    },
    forget: (record) => converter.forget(record),
  };
}

function customVersionSubresources(
  { name, subresources = {} }: VersionSpec,
  group: string,
  kind: string,
): Subresource[] {
  const list: Subresource[] = [];
  if (subresources.status !== undefined)
    list.push({ name: 'status', group, version: name, kind, verbs: SUBRESOURCE_VERBS });
  if (subresources.scale !== undefined)
    list.push({ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: SUBRESOURCE_VERBS });
  return list;
}

function customVersionScalePaths({ subresources }: VersionSpec): ScalePaths | undefined {
  const scale = subresources?.scale;
  if (scale === undefined) return undefined;
  const selector = scale.labelSelectorPath;
  return {
    specReplicas: scale.specReplicasPath,
    statusReplicas: scale.statusReplicasPath,
    ...defined({ labelSelector: selector }),
    selector: (object) => (selector === undefined ? '' : customVersionText(object, selector)),
  };
}

function customVersionText(object: ApiObject, path: string): string {
  let value: unknown = object;
  for (const key of path.replace(/^\./, '').split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
  return typeof value === 'string' ? value : '';
}
