import {
  duplicateFieldError,
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { invalidStatusError } from '../../../core/status-error.ts';
import { labelKeySyntaxComplaints } from '../../meta/name-syntax.ts';
import { applyDefaultTable } from '../common/default-table.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldAbsent,
  isFieldEmpty,
  itemsField,
  nameField,
  numberField,
  sameFields,
  setDefaultField,
  specFields,
  textField,
  textsField,
} from '../common/fields.ts';
import { AllocationError, type KindRules, type StrategyContext } from '../common/kind-rule.ts';
import {
  ipAddressValueErrors,
  choiceValueErrors,
  valueErrors,
  isPortValue,
  PORT_RANGE,
  portValueErrors as anyPortErrors,
  addressRangeValueErrors,
  subdomainValueErrors,
} from '../common/value-errors.ts';
import { allocateServiceNodePorts, serviceNeedsHealthNodePort, serviceNeedsNodePorts } from './service-node-ports.ts';

const HEADLESS = 'None';

const serviceUsesClusterIp = (spec: Fields): boolean => textField(spec, 'type') !== 'ExternalName';
const isServiceReachedFromOutside = (spec: Fields): boolean =>
  ['NodePort', 'LoadBalancer'].includes(textField(spec, 'type')) ||
  (textField(spec, 'type') === 'ClusterIP' && textsField(spec, 'externalIPs').length > 0);

export const serviceRules: KindRules = {
  warnings: (service, old) => {
    const addresses = specFields(service)['externalIPs'];
    const isNew = old === undefined || !sameFields(addresses, specFields(old)['externalIPs']);
    return isNew && !isFieldEmpty(addresses)
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : [];
  },
  defaults(service) {
    const spec = ensureFields(service, 'spec');
    applyDefaultTable(spec, [['type', 'ClusterIP'], ['sessionAffinity', 'None'], ['ports[].protocol', 'TCP']]); // prettier-ignore
    for (const port of itemsField(spec, 'ports'))
      if (isFieldAbsent(port['targetPort']) || port['targetPort'] === 0) port['targetPort'] = port['port'] ?? 0;
    if (textField(spec, 'sessionAffinity') === 'None') delete spec['sessionAffinityConfig'];
    if (textField(spec, 'sessionAffinity') === 'ClientIP')
      setDefaultField(ensureFields(ensureFields(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds', 10800);
    if (isServiceReachedFromOutside(spec)) setDefaultField(spec, 'externalTrafficPolicy', 'Cluster');
    if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(textField(spec, 'type')))
      setDefaultField(spec, 'internalTrafficPolicy', 'Cluster');
    if (textField(spec, 'type') === 'LoadBalancer') {
      spec['allocateLoadBalancerNodePorts'] ??= true;
      for (const ingress of itemsField(fieldsAt(fieldsAt(service, 'status'), 'loadBalancer'), 'ingress'))
        if (!isFieldAbsent(ingress['ip'])) setDefaultField(ingress, 'ipMode', 'VIP');
    }
  },

  prepareCreate(service, context) {
    const spec = ensureFields(service, 'spec');
    pairServiceClusterIps(spec);
    // An invalid object gets no addresses: the error message would show them.
    if (serviceErrors(service).length === 0) allocateServiceFields(service, undefined, context);
  },

  prepareUpdate(next, old, context) {
    const [spec, before] = [ensureFields(next, 'spec'), specFields(old)];
    keepServiceAllocations(spec, before);
    dropUnusedServiceFields(next, before);
    pairServiceClusterIps(spec, before);
    if (serviceErrors(next).length === 0 && serviceClusterIpErrors(spec, before).length === 0)
      allocateServiceFields(next, before, context);
  },

  validate: (service) => serviceErrors(service),
  validateUpdate: (next, old) => [
    ...serviceClusterIpErrors(specFields(next), specFields(old)),
    ...serviceHealthPortErrors(specFields(next), specFields(old)),
    ...serviceErrors(next),
  ],
  validateStatusUpdate: (next) => serviceLoadBalancerErrors(next),
};

/** Keeps `clusterIP` and `clusterIPs[0]` equal: if only one of the two is set, the other is filled in. */
function pairServiceClusterIps(spec: Fields, before?: Fields): void {
  const [one, many] = [textField(spec, 'clusterIP'), textsField(spec, 'clusterIPs')];
  if (!serviceUsesClusterIp(spec)) return;
  if (one === '' && many.length > 0 && before === undefined) spec['clusterIP'] = many[0];
  else if (one !== '' && many.length === 0) spec['clusterIPs'] = [one];
  else if (before !== undefined && one !== textField(before, 'clusterIP') && sameFields(many, before['clusterIPs'])) {
    if (one === '') delete spec['clusterIPs'];
    else spec['clusterIPs'] = [one];
  }
}

/** Keeps the allocated addresses when a client sends the object without them. */
function keepServiceAllocations(spec: Fields, before: Fields): void {
  if (serviceUsesClusterIp(spec) && serviceUsesClusterIp(before)) {
    if (isFieldAbsent(spec['clusterIP']) && !isFieldAbsent(before['clusterIP']))
      spec['clusterIP'] = before['clusterIP'];
    if (isFieldEmpty(spec['clusterIPs']) && !isFieldEmpty(before['clusterIPs']))
      spec['clusterIPs'] = before['clusterIPs'];
    for (const name of ['ipFamilies', 'ipFamilyPolicy'])
      if (isFieldEmpty(spec[name]) && !isFieldEmpty(before[name])) spec[name] = before[name];
  }
  if (serviceNeedsNodePorts(spec) && serviceNeedsNodePorts(before)) {
    const byName = new Map(itemsField(before, 'ports').map((port) => [textField(port, 'name'), port['nodePort']]));
    const used = new Set(itemsField(spec, 'ports').map((port) => port['nodePort']));
    for (const port of itemsField(spec, 'ports')) {
      const known = byName.get(textField(port, 'name'));
      if (!port['nodePort'] && known !== undefined && !used.has(known)) port['nodePort'] = known;
    }
  }
  if (serviceNeedsHealthNodePort(spec) && serviceNeedsHealthNodePort(before))
    spec['healthCheckNodePort'] ||= before['healthCheckNodePort'];
}

/** Drops fields that the server filled in when the new type does not use them, unless the client changed them too. */
function dropUnusedServiceFields(next: ApiObject, before: Fields): void {
  const spec = ensureFields(next, 'spec');
  const drop = (names: readonly string[]): void => {
    for (const name of names) if (sameFields(spec[name], before[name])) delete spec[name];
  };
  if (serviceUsesClusterIp(before) && !serviceUsesClusterIp(spec))
    drop(['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']);
  if (serviceNeedsNodePorts(before) && !serviceNeedsNodePorts(spec)) {
    const old = new Set(itemsField(before, 'ports').map((port) => port['nodePort']));
    for (const port of itemsField(spec, 'ports')) if (old.has(port['nodePort'])) delete port['nodePort'];
  }
  if (serviceNeedsHealthNodePort(before) && !serviceNeedsHealthNodePort(spec)) drop(['healthCheckNodePort']);
  if (textField(before, 'type') === 'LoadBalancer' && textField(spec, 'type') !== 'LoadBalancer')
    drop(['allocateLoadBalancerNodePorts', 'loadBalancerClass']);
  if (isServiceReachedFromOutside(before) && !isServiceReachedFromOutside(spec)) drop(['externalTrafficPolicy']);
  if (textField(spec, 'type') !== 'LoadBalancer') delete ensureFields(next, 'status')['loadBalancer'];
}

function allocateServiceFields(service: ApiObject, before: Fields | undefined, context: StrategyContext): void {
  const spec = ensureFields(service, 'spec');
  const held = new Set(before === undefined ? [] : textsField(before, 'clusterIPs'));
  if (serviceUsesClusterIp(spec)) {
    const headless = textField(spec, 'clusterIP') === HEADLESS;
    const open = headless && isFieldEmpty(spec['selector']);
    setDefaultField(spec, 'ipFamilyPolicy', open ? 'RequireDualStack' : 'SingleStack');
    if (isFieldEmpty(spec['ipFamilies']))
      spec['ipFamilies'] = textField(spec, 'ipFamilyPolicy') === 'SingleStack' || !open ? ['IPv4'] : ['IPv4', 'IPv6'];
    const wanted = textField(spec, 'clusterIP');
    if (!headless && !held.has(wanted)) {
      const address = serviceAllocationOrInvalid(
        service,
        'spec.clusterIPs',
        [wanted],
        () => context.allocateClusterIp(wanted || undefined, context.isDryRun),
        `failed to allocate IP ${wanted}: `,
      );
      Object.assign(spec, { clusterIP: address, clusterIPs: [address] });
    }
  }
  allocateServiceNodePorts(service, before, context);
}

function serviceAllocationOrInvalid<T>(
  service: ApiObject,
  field: string,
  value: string[],
  get: () => T,
  prefix = '',
): T {
  try {
    return get();
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw invalidStatusError({ group: '', kind: 'Service' }, nameField(service), [
      invalidFieldError(field, value, `${prefix}${error.message}`),
    ]);
  }
}

function serviceClusterIpErrors(next: Fields, old: Fields): FieldError[] {
  if (!serviceUsesClusterIp(next) || !serviceUsesClusterIp(old)) return [];
  const [wanted, held] = [textsField(next, 'clusterIPs'), textsField(old, 'clusterIPs')];
  if (held.length === 0 || wanted[0] === held[0]) return [];
  return [invalidFieldError('spec.clusterIPs[0]', wanted, 'may not change once set')];
}

function serviceHealthPortErrors(next: Fields, old: Fields): FieldError[] {
  if (!serviceNeedsHealthNodePort(next) || !serviceNeedsHealthNodePort(old)) return [];
  if (next['healthCheckNodePort'] === old['healthCheckNodePort']) return [];
  return [forbiddenFieldError('spec.healthCheckNodePort', 'field is immutable')];
}

function serviceErrors(service: ApiObject): FieldError[] {
  const spec = specFields(service);
  const type = textField(spec, 'type');
  const ports = itemsField(spec, 'ports');
  const errors: FieldError[] = [];
  if (ports.length === 0 && type !== 'ExternalName' && textField(spec, 'clusterIP') !== HEADLESS)
    errors.push(requiredFieldError('spec.ports'));
  if (type === 'ExternalName') {
    if (textField(spec, 'externalName') === '') errors.push(requiredFieldError('spec.externalName'));
    errors.push(...subdomainValueErrors(spec, 'externalName', 'spec'));
  }
  for (const [index, address] of textsField(spec, 'clusterIPs').entries())
    if (address !== HEADLESS) errors.push(...ipAddressValueErrors(`spec.clusterIPs[${index}]`, address));
    else if (type === 'NodePort' || type === 'LoadBalancer')
      errors.push(
        invalidFieldError(`spec.clusterIPs[${index}]`, address, `may not be set to 'None' for ${type} services`),
      );
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    errors.push(...servicePortErrors(port, `spec.ports[${index}]`, ports.length > 1));
    const name = textField(port, 'name');
    if (name !== '' && names.has(name)) errors.push(duplicateFieldError(`spec.ports[${index}].name`, name));
    names.add(name);
  }
  errors.push(...serviceSelectorErrors(spec));
  errors.push(...choiceValueErrors(spec, 'sessionAffinity', 'spec', ['ClientIP', 'None']));
  for (const [index, address] of textsField(spec, 'externalIPs').entries())
    errors.push(...ipAddressValueErrors(`spec.externalIPs[${index}]`, address));
  errors.push(...choiceValueErrors(spec, 'type', 'spec', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']));
  if (type === 'ClusterIP')
    for (const [index, port] of ports.entries())
      if (port['nodePort'])
        errors.push(forbiddenFieldError(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
  return [...errors, ...repeatedServicePortErrors(ports), ...serviceBalancerFieldErrors(spec)];
}

const serviceSelectorErrors = (spec: Fields): FieldError[] =>
  Object.keys(fieldsAt(spec, 'selector')).flatMap((key) =>
    valueErrors('spec.selector', key, labelKeySyntaxComplaints(key)),
  );

/** Errors for ports with the same number and protocol. Messages show the fields that the server compares. */
function repeatedServicePortErrors(ports: readonly Fields[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const [Protocol, Port] = [textField(port, 'protocol'), numberField(port, 'port') ?? 0];
    const isRepeated = seen.has(`${Protocol} ${Port}`);
    seen.add(`${Protocol} ${Port}`);
    if (!isRepeated) return [];
    return [
      duplicateFieldError(`spec.ports[${index}]`, {
        Name: '',
        Protocol,
        AppProtocol: null,
        Port,
        TargetPort: 0,
        NodePort: 0,
      }),
    ];
  });
}

/** Errors of fields that only a load balancer, or only a service reached from outside, may have. */
function serviceBalancerFieldErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const isBalancer = textField(spec, 'type') === 'LoadBalancer';
  const ranges = textsField(spec, 'loadBalancerSourceRanges');
  const only = "may only be used when `type` is 'LoadBalancer'";
  if (ranges.length > 0 && !isBalancer) errors.push(forbiddenFieldError('spec.LoadBalancerSourceRanges', only));
  for (const [index, range] of ranges.entries())
    errors.push(...addressRangeValueErrors(`spec.LoadBalancerSourceRanges[${index}]`, range));
  if (!isFieldAbsent(spec['loadBalancerClass']) && !isBalancer)
    errors.push(forbiddenFieldError('spec.loadBalancerClass', only));
  return [
    ...errors,
    ...serviceTrafficPolicyErrors(spec),
    ...choiceValueErrors(spec, 'internalTrafficPolicy', 'spec', ['Cluster', 'Local']),
  ];
}

/** Errors of the policy for traffic from outside, and of the port for health checks that comes with it. */
function serviceTrafficPolicyErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const policy = textField(spec, 'externalTrafficPolicy');
  if (isServiceReachedFromOutside(spec))
    errors.push(...choiceValueErrors(spec, 'externalTrafficPolicy', 'spec', ['Cluster', 'Local']));
  else if (policy !== '')
    errors.push(
      invalidFieldError('spec.externalTrafficPolicy', policy, 'may only be set for externally-accessible services'),
    );
  const healthPort = numberField(spec, 'healthCheckNodePort') ?? 0;
  if (healthPort === 0) return errors;
  if (!serviceNeedsHealthNodePort(spec))
    errors.push(invalidFieldError('spec.healthCheckNodePort', healthPort, ONLY_WITH_LOCAL_TRAFFIC));
  else if (!isPortValue(healthPort)) errors.push(invalidFieldError('spec.healthCheckNodePort', healthPort, PORT_RANGE));
  return errors;
}

const ONLY_WITH_LOCAL_TRAFFIC = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";

/** Errors of `status.loadBalancer`: the addresses that a cloud gave. */
function serviceLoadBalancerErrors(service: ApiObject): FieldError[] {
  const path = 'status.loadBalancer.ingress';
  const entries = itemsField(fieldsAt(fieldsAt(service, 'status'), 'loadBalancer'), 'ingress');
  const errors: FieldError[] = [];
  if (entries.length > 0 && textField(specFields(service), 'type') !== 'LoadBalancer')
    errors.push(forbiddenFieldError(path, "may only be used when `spec.type` is 'LoadBalancer'"));
  for (const [index, entry] of entries.entries()) {
    const field = `${path}[${index}]`;
    const [ip, host] = [textField(entry, 'ip'), textField(entry, 'hostname')];
    if (ip !== '') errors.push(...ipAddressValueErrors(`${field}.ip`, ip));
    if (ip === '' && !isFieldAbsent(entry['ipMode']))
      errors.push(forbiddenFieldError(`${field}.ipMode`, 'may not be specified when `ip` is not set'));
    errors.push(...choiceValueErrors(entry, 'ipMode', field, ['Proxy', 'VIP']));
    if (host !== '' && ipAddressValueErrors('', host).length === 0)
      errors.push(invalidFieldError(`${field}.hostname`, host, 'must be a DNS name, not an IP address'));
    else errors.push(...subdomainValueErrors(entry, 'hostname', field));
  }
  return errors;
}

function servicePortErrors(port: Fields, path: string, named: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (named && textField(port, 'name') === '') errors.push(requiredFieldError(`${path}.name`));
  const number = numberField(port, 'port') ?? 0;
  if (!isPortValue(number)) errors.push(invalidFieldError(`${path}.port`, number, PORT_RANGE));
  if (!isFieldAbsent(port['targetPort'])) errors.push(...anyPortErrors(`${path}.targetPort`, port['targetPort']));
  return [...errors, ...choiceValueErrors(port, 'protocol', path, ['SCTP', 'TCP', 'UDP'])];
}
