import type { JsonObject } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import type { Api, Target, WriteOptions } from './api-context.ts';
import type { Decodable } from './request/decode-request.ts';
import type { DeleteOptions } from './request/delete-options.ts';
import type { Steps } from './steps.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A write in the form that policies and webhooks use. */
export interface Attributes {
  readonly target: Target;
  readonly operation: Operation;
  /** The kind of the objects, if a subresource has one of its own: `Scale`. */
  readonly kind: Decodable;
  /** The name in the path, or the object's own. */
  readonly name: string;
  /** The object, with kind and apiVersion. Undefined in a DELETE. Mutations replace its content. */
  readonly object: ApiObject | undefined;
  /** The old object; undefined in a CREATE. */
  readonly oldObject: ApiObject | undefined;
  readonly dryRun: boolean;
  /** `CreateOptions` and the like, as sent by the client. */
  readonly options: JsonObject;
}

/** Policies and webhooks that decide about writes. `mutate` and `validate` throw the refusal. */
export interface AdmissionGate {
  /** The object after all mutations; the given one if nothing changes it. */
  mutate(attributes: Attributes): Steps<ApiObject | undefined>;
  validate(attributes: Attributes): Steps<void>;
  /** Loads the code that a write of this group needs; undefined if there is nothing to load. */
  load(group: string): Promise<void> | undefined;
}

/** A write whose objects are not known yet. */
export type AdmittedWrite = Omit<Attributes, 'target' | 'kind' | 'name' | 'object' | 'oldObject'> &
  Partial<Pick<Attributes, 'kind' | 'object' | 'oldObject'>>;

const isAdmissionGateOpen = ({ admission }: Api, target: Target): boolean =>
  admission === undefined || target.admits === 'nothing';

/** The object after mutating policies and webhooks. */
export function* mutateAtAdmissionGate(
  api: Api,
  target: Target,
  write: AdmittedWrite & { readonly object: ApiObject },
): Steps<ApiObject> {
  if (isAdmissionGateOpen(api, target)) return write.object;
  return (yield* (api.admission as AdmissionGate).mutate(admissionGateAttributes(target, write))) ?? write.object;
}

/** Throws the refusal of a validating policy or webhook. */
export function* validateAtAdmissionGate(api: Api, target: Target, write: AdmittedWrite): Steps<void> {
  if (!isAdmissionGateOpen(api, target))
    yield* (api.admission as AdmissionGate).validate(admissionGateAttributes(target, write));
}

/** Mutates and validates, if nothing happens between them: a delete, and objects that are not stored. */
export function* passAdmissionGate(api: Api, target: Target, write: AdmittedWrite): Steps<ApiObject | undefined> {
  if (isAdmissionGateOpen(api, target)) return write.object;
  const object = yield* (api.admission as AdmissionGate).mutate(admissionGateAttributes(target, write));
  yield* (api.admission as AdmissionGate).validate(
    admissionGateAttributes(target, { ...write, ...(object && { object }) }),
  );
  return object;
}

function admissionGateAttributes(
  target: Target,
  { object, oldObject, kind = target.served, ...rest }: AdmittedWrite,
): Attributes {
  const name = target.name === '' ? ((object ?? oldObject)?.metadata?.name ?? '') : target.name;
  return { ...rest, target, kind, name, object, oldObject };
}

/** The options of a create, update or patch as an object. */
export const admissionGateWriteOptions = (kind: string, { dryRun, sent }: WriteOptions): JsonObject => ({
  kind,
  apiVersion: 'meta.k8s.io/v1',
  ...(dryRun ? { dryRun: ['All'] } : {}),
  ...sent,
});

export const admissionGateDeleteOptions = ({ dryRun, ...options }: DeleteOptions): JsonObject => ({
  kind: 'DeleteOptions',
  apiVersion: 'meta.k8s.io/v1',
  ...(options as JsonObject),
  ...(dryRun ? { dryRun: ['All'] } : {}),
});
