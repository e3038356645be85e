import { type Fields, fieldsAt, isFields, itemsField, textField } from '../common/fields.ts';
import { parseQuantity } from '../common/quantity.ts';

type Amounts = Map<string, bigint>;

const COUNTED = ['cpu', 'memory'];

/** The QoS class of a pod: the order in which a node evicts pods when memory is short. */
export function podQosClass(spec: Fields): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const requests: Amounts = new Map();
  const limits: Amounts = new Map();
  const holders = isFields(spec['resources'])
    ? [spec]
    : [...itemsField(spec, 'containers'), ...itemsField(spec, 'initContainers')];
  let allLimited = true;
  for (const holder of holders) {
    const resources = fieldsAt(holder, 'resources');
    addPodQosAmounts(requests, fieldsAt(resources, 'requests'));
    if (addPodQosAmounts(limits, fieldsAt(resources, 'limits')) < COUNTED.length) allLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const same = requests.size === limits.size && [...requests].every(([name, amount]) => limits.get(name) === amount);
  return allLimited && same ? 'Guaranteed' : 'Burstable';
}

/** Adds the amounts of the counted resources. Returns the number of those that were given. */
function addPodQosAmounts(sum: Amounts, amounts: Fields): number {
  let given = 0;
  for (const name of COUNTED) {
    const nano = parseQuantity(textField(amounts, name))?.nano ?? 0n;
    if (nano <= 0n) continue;
    given += 1;
    sum.set(name, (sum.get(name) ?? 0n) + nano);
  }
  return given;
}
