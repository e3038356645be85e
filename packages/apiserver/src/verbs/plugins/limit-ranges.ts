import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldAbsent,
  itemsField,
  specFields,
  textField,
} from '../../api/kinds/common/fields.ts';
import { canonicalQuantity, parseQuantity } from '../../api/kinds/common/quantity.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { forbiddenStatusError } from '../../core/status-error.ts';
import type { PluginServer, PluginTarget } from './admission-plugin.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** Fills in missing requests and limits from the namespace's limit ranges, then enforces the ranges. Throws 403. */
export function admitByLimitRanges({ registry }: PluginServer, target: PluginTarget, object: ApiObject): void {
  const served = registry.find('', 'v1', 'limitranges');
  if (served === undefined || served.collection.size === 0) return;
  const limits = served.collection
    .current()
    .filter(({ namespace }) => namespace === (object.metadata?.namespace ?? ''))
    .flatMap((record) => itemsField(specFields(served.object(record)), 'limits'));
  if (limits.length === 0) return;
  const isPod = target.served.resource.resource === 'pods';
  if (isPod)
    for (const limit of limits)
      if (textField(limit, 'type') === 'Container') fillContainerFromLimitRange(object, limit);
  const faults = limits.flatMap((limit) =>
    isPod ? podLimitRangeFaults(object, limit) : claimLimitRangeFaults(object, limit),
  );
  if (faults.length === 0) return;
  const why = faults.length === 1 ? (faults[0] as string) : `[${faults.join(', ')}]`;
  throw forbiddenStatusError(target.served.resource, object.metadata?.name ?? '', why);
}

function fillContainerFromLimitRange(pod: ApiObject, limit: Fields): void {
  const spec = specFields(pod);
  const notes: string[] = [];
  for (const [list, noun] of [['containers', 'container'], ['initContainers', 'init container']] as const)
    for (const container of itemsField(spec, list))
      for (const [kind, values] of [['request', 'defaultRequest'], ['limit', 'default']] as const) {
        const filled = fillFromLimitRange(container, `${kind}s`, fieldsAt(limit, values));
        if (filled.length > 0) notes.push(`${filled.join(', ')} ${kind} for ${noun} ${textField(container, 'name')}`);
      }
  if (notes.length === 0) return;
  const metadata = (pod.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
} // prettier-ignore

/** Fills in missing values. Returns their names, in order. */
function fillFromLimitRange(container: Fields, list: string, values: Fields): string[] {
  const names = Object.keys(values)
    .filter((name) => isFieldAbsent(fieldsAt(fieldsAt(container, 'resources'), list)[name]))
    .toSorted();
  if (names.length === 0) return names;
  const amounts = ensureFields(ensureFields(container, 'resources'), list);
  const filled = { ...amounts, ...Object.fromEntries(names.map((name) => [name, values[name]])) };
  // Maps are written in order of their keys.
  ensureFields(container, 'resources')[list] = Object.fromEntries(
    Object.entries(filled).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  return names;
}

/** Limited amounts of one object, by resource name. */
interface Usage {
  readonly requests: Fields;
  readonly limits: Fields;
}

function podLimitRangeFaults(pod: ApiObject, limit: Fields): string[] {
  const spec = specFields(pod);
  const usageOf = (container: Fields): Usage => ({
    requests: fieldsAt(fieldsAt(container, 'resources'), 'requests'),
    limits: fieldsAt(fieldsAt(container, 'resources'), 'limits'),
  });
  const containers = itemsField(spec, 'containers').map(usageOf);
  const first = itemsField(spec, 'initContainers').map(usageOf);
  if (textField(limit, 'type') === 'Container')
    return [...first, ...containers].flatMap((usage) => limitRangeFaults(usage, limit, 'Container'));
  if (textField(limit, 'type') !== 'Pod') return [];
  const total = (list: keyof Usage): Fields =>
    sumForLimitRange(
      containers.map((usage) => usage[list]),
      first.map((usage) => usage[list]),
    );
  return limitRangeFaults({ requests: total('requests'), limits: total('limits') }, limit, 'Pod');
}

/** Sums up amounts: containers run together; init containers run one by one, so that the largest counts. */
function sumForLimitRange(together: readonly Fields[], before: readonly Fields[]): Fields {
  const sums = new Map<string, bigint>();
  for (const amounts of together)
    for (const name of Object.keys(amounts)) sums.set(name, (sums.get(name) ?? 0n) + limitRangeNano(amounts, name));
  for (const amounts of before)
    for (const name of Object.keys(amounts)) {
      const amount = limitRangeNano(amounts, name);
      if (amount > (sums.get(name) ?? -1n)) sums.set(name, amount);
    }
  const binary = new Set(
    [...together, ...before].flatMap((amounts) =>
      Object.keys(amounts).filter((name) => textField(amounts, name).endsWith('i')),
    ),
  );
  return Object.fromEntries([...sums].map(([name, sum]) => [name, limitRangeText(sum, binary.has(name))]));
}

const limitRangeNano = (amounts: Fields, name: string): bigint => parseQuantity(textField(amounts, name))?.nano ?? 0n;

const limitRangeText = (amount: bigint, isBinary: boolean): string =>
  isBinary && amount % 1_000_000_000n === 0n
    ? canonicalQuantity(`${amount / 1_000_000_000n / 1024n}Ki`)
    : canonicalQuantity(`${amount}n`);

function claimLimitRangeFaults(claim: ApiObject, limit: Fields): string[] {
  if (textField(limit, 'type') !== 'PersistentVolumeClaim') return [];
  const requests = fieldsAt(fieldsAt(specFields(claim), 'resources'), 'requests');
  return limitRangeFaults({ requests, limits: {} }, limit, 'PersistentVolumeClaim');
}

function limitRangeFaults({ requests, limits }: Usage, limit: Fields, type: string): string[] {
  const faults: string[] = [];
  const isClaim = type === 'PersistentVolumeClaim';
  const [least, most, ratios] = ['min', 'max', 'maxLimitRequestRatio'].map((name) => fieldsAt(limit, name)) as [
    Fields,
    Fields,
    Fields,
  ];
  for (const name of Object.keys(least)) {
    const says = `minimum ${name} usage per ${type} is ${textField(least, name)}`;
    if (isFieldAbsent(requests[name])) faults.push(`${says}.  No request is specified`);
    else if (limitRangeNano(requests, name) < limitRangeNano(least, name))
      faults.push(`${says}, but request is ${textField(requests, name)}`);
    else if (!isFieldAbsent(limits[name]) && limitRangeNano(limits, name) < limitRangeNano(least, name))
      faults.push(`${says}, but limit is ${textField(limits, name)}`);
  }
  for (const name of Object.keys(most)) {
    const says = `maximum ${name} usage per ${type} is ${textField(most, name)}`;
    if (isClaim) {
      if (limitRangeNano(requests, name) > limitRangeNano(most, name))
        faults.push(`${says}, but request is ${textField(requests, name)}`);
    } else if (isFieldAbsent(limits[name])) faults.push(`${says}.  No limit is specified`);
    else if (limitRangeNano(limits, name) > limitRangeNano(most, name))
      faults.push(`${says}, but limit is ${textField(limits, name)}`);
    else if (limitRangeNano(requests, name) > limitRangeNano(most, name))
      faults.push(`${says}, but request is ${textField(requests, name)}`);
  }
  for (const name of Object.keys(ratios)) {
    const [request, top] = [limitRangeNano(requests, name), limitRangeNano(limits, name)];
    if (request === 0n || top === 0n || top <= request * (limitRangeNano(ratios, name) / 1_000_000_000n)) continue;
    const ratio = (Number(top) / Number(request)).toFixed(6);
    faults.push(
      `${name} max limit to request ratio per ${type} is ${textField(ratios, name)}, but provided ratio is ${ratio}`,
    );
  }
  return faults;
}
