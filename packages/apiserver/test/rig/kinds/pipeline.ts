import { fakeEnv } from 'kube-informer/testing';
import { builtinResources } from '../../../src/api/kinds/builtin-resources.ts';
import { type StrategyContext } from '../../../src/api/kinds/common/kind-rule.ts';
import { serviceAddresses } from '../../../src/api/kinds/network/service-addresses.ts';
import { type Strategy, strategyFor } from '../../../src/api/kinds/strategy.ts';
import { mergePatch } from '../../../src/api/patch/merge-patch.ts';
import type { Resource } from '../../../src/api/schema/resource.ts';
import type { FieldError } from '../../../src/core/field-error.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { StatusError } from '../../../src/core/status-error.ts';

/** The result of a write, as tools/generate/record-kinds.ts records it from a real server. */
export interface Outcome {
  readonly stored?: ApiObject;
  readonly causes?: readonly FieldError[];
}

export interface RecordedCreate extends Outcome {
  readonly sent: ApiObject;
}

export interface RecordedHistory extends RecordedCreate {
  readonly steps: readonly (Outcome & { readonly patch: JsonObject; readonly subresource?: 'status' })[];
}

export function resourceOf({ apiVersion, kind }: ApiObject): Resource {
  const found = builtinResources().find(
    ({ group, version, kind: one }) => one === kind && apiVersion === (group === '' ? version : `${group}/${version}`),
  );
  if (found === undefined) throw new Error(`there is no ${apiVersion} ${kind}`);
  return found;
}

/** Writes as the server does them, as far as kinds take part: no metadata rules, no store. */
export function pipeline() {
  const addresses = serviceAddresses(
    { hasClusterIp: (address) => address === '10.0.0.1', hasNodePort: () => false },
    () => 0.5,
    { clusterIps: '10.0.0.0/24' },
  );
  const context: StrategyContext = { now: '<now>', env: fakeEnv(), isDryRun: false, ...addresses };

  const outcome = (object: ApiObject, errors: () => FieldError[]): Outcome => {
    try {
      const causes = errors();
      return causes.length > 0 ? { causes } : { stored: shown(object) };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { causes: error.status.details?.causes as FieldError[] };
    }
  };

  const create = (sent: ApiObject): Outcome => {
    const resource = resourceOf(sent);
    const strategy = strategyFor(resource);
    const object = structuredClone(sent);
    const metadata = (object.metadata ??= {});
    if (resource.namespaced) metadata.namespace = 'default';
    metadata.uid = '<uid>';
    return outcome(object, () => {
      strategy.applyDefaults(object);
      strategy.prepareCreate(object, context);
      return strategy.validate(object);
    });
  };

  const patch = (old: ApiObject, change: JsonObject, subresource?: 'status'): Outcome => {
    const strategy: Strategy = strategyFor(resourceOf(old));
    const before = { ...old, metadata: { ...old.metadata, uid: '<uid>' } };
    const next = mergePatch(before as unknown as JsonObject, change) as ApiObject;
    return outcome(next, () => {
      strategy.applyDefaults(next);
      if (subresource === 'status') strategy.prepareStatusUpdate(next, before, context);
      else strategy.prepareUpdate(next, before, context);
      return subresource === 'status'
        ? strategy.validateStatusUpdate(next, before)
        : strategy.validateUpdate(next, before);
    });
  };

  return { context, create, patch };
}

function shown({ kind, apiVersion, ...object }: ApiObject): ApiObject {
  const metadata = { ...object.metadata };
  delete metadata.uid;
  return { kind: kind as string, apiVersion: apiVersion as string, ...object, metadata };
}
