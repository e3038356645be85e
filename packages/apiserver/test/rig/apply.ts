import { type ApplyRequest, serverSideApply } from '../../src/api/apply/server-side-apply.ts';
import { managedFieldsAfterUpdate } from '../../src/api/apply/managed-fields.ts';
import type { WriteRequest } from '../../src/api/apply/write-request.ts';
import { builtinResources } from '../../src/api/kinds/builtin-resources.ts';
import type { Resource } from '../../src/api/schema/resource.ts';
import { schemaFrom } from '../../src/api/schema/schema-from.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { ApiObject } from '../../src/core/kube-object.ts';
import { StatusError } from '../../src/core/status-error.ts';

export const builtin = (wanted: string): Resource =>
  builtinResources().find(({ group, resource }) => `${group}/${resource}` === wanted) as Resource;

/** A custom resource with a status and the given spec. */
export const widgets = (spec: JsonObject): Resource => ({
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  listKind: 'WidgetList',
  namespaced: true,
  verbs: [],
  shortNames: [],
  categories: [],
  subresources: [{ name: 'status', group: 'example.com', version: 'v1', kind: 'Widget', verbs: [] }],
  custom: true,
  schema: schemaFrom({
    type: 'object',
    properties: { spec, status: { type: 'object', properties: { phase: { type: 'string' } } } },
  }),
});

/** One object of a kind, and writes to it. Each write is a second later than the one before. */
export class Life {
  object: ApiObject | undefined;
  readonly #resource: Resource;
  #seconds = 0;

  constructor(resource: Resource) {
    this.#resource = resource;
  }

  apply(manager: string, body: object, more: Partial<ApplyRequest> = {}): ApiObject {
    const applied = this.#named(body);
    this.object = serverSideApply({ ...this.#request(manager), live: this.object, applied, force: false, ...more });
    return this.object;
  }

  /** `change` replaces the fields it has, at the top. */
  update(manager: string, change: object, more: Partial<WriteRequest> = {}): ApiObject {
    const after = { ...this.object, ...this.#named(change) };
    const managedFields = managedFieldsAfterUpdate({ ...this.#request(manager), before: this.object, after, ...more });
    const { managedFields: _, ...metadata } = after.metadata ?? {};
    this.object = { ...after, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
    return this.object;
  }

  /** The fields of each manager. */
  get owners(): Record<string, JsonObject | undefined> {
    const entries = this.object?.metadata?.managedFields ?? [];
    return Object.fromEntries(
      entries.map(({ manager, operation, subresource, fieldsV1 }) => [
        [manager, operation, subresource].filter((part) => part !== undefined).join(' '),
        fieldsV1,
      ]),
    );
  }

  /** The time of the last write of each manager. */
  get times(): Record<string, string | undefined> {
    const entries = this.object?.metadata?.managedFields ?? [];
    return Object.fromEntries(entries.map(({ manager, time }) => [manager, time]));
  }

  #named(body: object): ApiObject {
    const { metadata, ...rest } = body as ApiObject;
    return { apiVersion: this.#apiVersion, kind: this.#resource.kind, metadata: { name: 'a', ...metadata }, ...rest };
  }

  get #apiVersion(): string {
    const { group, version } = this.#resource;
    return group === '' ? version : `${group}/${version}`;
  }

  #request(manager: string): WriteRequest {
    const resource = this.#resource;
    const now = `2026-01-01T00:00:${String((this.#seconds += 1)).padStart(2, '0')}Z`;
    return { manager, apiVersion: this.#apiVersion, schema: resource.schema, resource, now };
  }
}

export function refusal(action: () => unknown): StatusError['status'] {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('expected a refusal');
}
