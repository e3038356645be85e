import type * as RulesModule from './rules.ts';
import type { Resource } from '../schema/resource.ts';
import type { Schema } from '../schema/schema.ts';

type Rules = typeof RulesModule;

let loaded: Rules | undefined;

/** Loads the interpreter of rules, which is not loaded before a definition has rules. */
export async function loadRules(): Promise<void> {
  loaded ??= await import('./rules.ts');
}

/** The interpreter, if it is loaded. */
export const loadedRules = (): Rules | undefined => loaded;

/** The key of rules in a schema. */
export const RULES_KEY = 'x-kubernetes-validations';

/** Whether a schema has rules anywhere. */
export function mustLoadRules(schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  let known = answers.get(schema);
  if (known === undefined) answers.set(schema, (known = JSON.stringify(schema.raw).includes(`"${RULES_KEY}":[{`)));
  return known;
}

const answers = new WeakMap<Schema, boolean>();

/**
 * Loads the interpreter before a write that needs it: of an object with rules, or of a definition in
 * protobuf, in which the key of rules cannot be searched for.
 */
export async function loadRulesForWrite(resource: Resource, isProtobuf: boolean): Promise<void> {
  if (loaded !== undefined) return;
  const isDefinition = resource.group === 'apiextensions.k8s.io' && !resource.custom;
  if (isDefinition ? isProtobuf : resource.custom && mustLoadRules(resource.schema)) await loadRules();
}
