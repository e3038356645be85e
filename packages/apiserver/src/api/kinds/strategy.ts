import { defined } from 'kube-informer/core';
import type { FieldError } from '../../core/field-error.ts';
import type { ApiObject, ObjectMeta } from '../../core/kube-object.ts';
import { builtinSchemaName } from '../schema/builtin-schema.ts';
import type { Resource } from '../schema/resource.ts';
import { sameFields } from './common/fields.ts';
import { countGeneration } from './common/generation.ts';
import type { KindRules, ScalePaths, StrategyContext } from './common/kind-rule.ts';
import { kindFactsOf, type KindFacts, kindFactsKey } from './kind-facts.ts';
import { KIND_RULES } from './kind-rules.ts';
import { takeTypedForm } from './typed-form.ts';

/**
 * The behaviour of one kind under the verbs: data for the verbs to read, and functions that prepare an object
 * for the store. The functions change the copy they are given, do not read the store and do not wait.
 *
 * The order of a write: `applyDefaults` on the client's object, `prepare…` when name, uid and old object are
 * known, then `validate…`, then the store.
 */
export interface Strategy extends KindFacts {
  applyDefaults(object: ApiObject): void;
  prepareCreate(object: ApiObject, context: StrategyContext): void;
  prepareUpdate(next: ApiObject, old: ApiObject, context: StrategyContext): void;
  prepareStatusUpdate(next: ApiObject, old: ApiObject, context: StrategyContext): void;
  validate(object: ApiObject): FieldError[];
  validateUpdate(next: ApiObject, old: ApiObject): FieldError[];
  validateStatusUpdate(next: ApiObject, old: ApiObject): FieldError[];
  /** Whether the kind counts generations and this change increments it. */
  isNewGeneration(next: ApiObject, old: ApiObject): boolean;
  /** Warnings about a valid object. `old`: the one that it replaces. */
  warnings(object: ApiObject, old?: ApiObject): string[];
  /** Throws if the object may not be deleted at all. */
  beforeDelete?(object: ApiObject): void;
  empty?(object: ApiObject): void;
  readonly scale?: ScalePaths;
  /** Whether a part of the object is written separately; `status` is known anyway. */
  hasPart(subresource: string): boolean;
  preparePartUpdate(subresource: string, next: ApiObject, old: ApiObject): void;
  validatePartUpdate(subresource: string, next: ApiObject, old: ApiObject): FieldError[];
}

const NO_RULES: KindRules = {};

/** Kinds whose creator sets the status. */
const KEEPS_STATUS_ON_CREATE: ReadonlySet<string> = new Set(['/nodes']);

export function strategyFor(resource: Resource): Strategy {
  const facts = kindFactsOf(resource);
  const rules = resource.custom ? NO_RULES : strategyRulesOf(resource);
  const tidy = (object: ApiObject): void => {
    // Asked at the first write: the schemas are not loaded before one is needed.
    const message = resource.custom ? undefined : builtinSchemaName(resource.group, resource.version, resource.kind);
    if (message !== undefined) takeTypedForm(object, message);
  };
  const isNewGeneration = (next: ApiObject, old: ApiObject): boolean =>
    facts.generation === 'spec' && !sameFields(strategyGenerationPart(next, facts), strategyGenerationPart(old, facts));
  return {
    ...facts,
    isNewGeneration,
    applyDefaults(object) {
      tidy(object);
      rules.defaults?.(object);
    },
    prepareCreate(object, context) {
      if (facts.hasStatus && !KEEPS_STATUS_ON_CREATE.has(kindFactsKey(resource))) delete object['status'];
      if (facts.generation === 'spec') (object.metadata ??= {}).generation = 1;
      rules.prepareCreate?.(object, context);
      tidy(object);
    },
    prepareUpdate(next, old, context) {
      strategyCopyMetadata('generation', next, old);
      if (facts.hasStatus) strategyCopyField('status', next, old);
      rules.prepareUpdate?.(next, old, context);
      tidy(next);
      if (isNewGeneration(next, old)) countGeneration(next, old);
    },
    prepareStatusUpdate(next, old, context) {
      for (const name of new Set([...Object.keys(next), ...Object.keys(old)]))
        if (!['apiVersion', 'kind', 'metadata', 'status'].includes(name)) strategyCopyField(name, next, old);
      strategyCopyMetadata('generation', next, old);
      if (facts.statusKeepsMetadata) for (const name of USER_METADATA) strategyCopyMetadata(name, next, old);
      rules.prepareStatusUpdate?.(next, old, context);
      tidy(next);
    },
    validate: (object) => rules.validate?.(object) ?? [],
    validateUpdate: (next, old) => rules.validateUpdate?.(next, old) ?? rules.validate?.(next) ?? [],
    validateStatusUpdate: (next, old) =>
      rules.validateStatusUpdate?.(next, old) ?? rules.validateUpdate?.(next, old) ?? rules.validate?.(next) ?? [],
    warnings: (object, old) => rules.warnings?.(object, old) ?? [],
    ...(rules.beforeDelete === undefined ? {} : { beforeDelete: (object: ApiObject) => rules.beforeDelete?.(object) }),
    ...(rules.empty === undefined ? {} : { empty: (object: ApiObject) => rules.empty?.(object) }),
    ...defined({ scale: rules.scale }),
    hasPart: (subresource) => rules.subresources?.[subresource] !== undefined,
    preparePartUpdate(subresource, next, old) {
      strategyKeepAllBut('spec', next, old);
      rules.subresources?.[subresource]?.prepareUpdate(next, old);
      tidy(next);
      if (isNewGeneration(next, old)) countGeneration(next, old);
    },
    validatePartUpdate: (subresource, next, old) => rules.subresources?.[subresource]?.validateUpdate(next, old) ?? [],
  };
}

/** Restores everything but one field and `managedFields`. */
function strategyKeepAllBut(field: string, next: ApiObject, old: ApiObject): void {
  for (const name of new Set([...Object.keys(next), ...Object.keys(old)]))
    if (!['apiVersion', 'kind', 'metadata', field].includes(name)) strategyCopyField(name, next, old);
  const { managedFields, resourceVersion } = next.metadata ?? {};
  const { managedFields: _before, ...metadata } = structuredClone(old.metadata ?? {});
  next.metadata = {
    ...metadata,
    ...defined({ resourceVersion, managedFields }),
  };
}

const USER_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

const strategyRulesOf = (resource: Resource): KindRules =>
  KIND_RULES.get(`${kindFactsKey(resource)}/${resource.version}`) ?? KIND_RULES.get(kindFactsKey(resource)) ?? NO_RULES;

/** The part of an object whose changes increment its generation. */
function strategyGenerationPart(object: ApiObject, { hasStatus }: KindFacts): ApiObject {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, status, ...rest } = object;
  return hasStatus ? rest : { ...rest, status };
}

function strategyCopyField(name: string, next: ApiObject, old: ApiObject): void {
  if (old[name] === undefined) delete next[name];
  else next[name] = structuredClone(old[name]);
}

function strategyCopyMetadata(name: keyof ObjectMeta, next: ApiObject, old: ApiObject): void {
  const metadata = (next.metadata ??= {});
  delete metadata[name];
  const value = old.metadata?.[name];
  if (value !== undefined) Object.assign(metadata, { [name]: value });
}
