import {
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/object.ts';
import { invalid } from '../../../core/status.ts';
import { labelKeySyntaxComplaints } from '../../meta/syntax.ts';
import { applyTable } from '../common/default-table.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isAbsent,
  isEmpty,
  itemsAt,
  nameOf,
  numberAt,
  sameFields,
  setDefault,
  specOf,
  textAt,
  textsAt,
} from '../common/fields.ts';
import { AllocationError, type KindRules, type StrategyContext } from '../common/rules.ts';
import {
  addressErrors,
  choice,
  complain,
  isPort,
  PORT_RANGE,
  portErrors as anyPortErrors,
  rangeErrors,
  subdomainErrors,
} from '../common/value-checks.ts';

const HEADLESS = 'None';

const needsClusterIp = (spec: Fields): boolean => textAt(spec, 'type') !== 'ExternalName';
const needsNodePorts = (spec: Fields): boolean =>
  textAt(spec, 'type') === 'NodePort' ||
  (textAt(spec, 'type') === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
const needsHealthPort = (spec: Fields): boolean =>
  textAt(spec, 'type') === 'LoadBalancer' && textAt(spec, 'externalTrafficPolicy') === 'Local';
const isReachedFromOutside = (spec: Fields): boolean =>
  ['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type')) ||
  (textAt(spec, 'type') === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0);

export const serviceRules: KindRules = {
  defaults(service) {
    const spec = ensureFields(service, 'spec');
    applyTable(spec, [['type', 'ClusterIP'], ['sessionAffinity', 'None'], ['ports[].protocol', 'TCP']]); // prettier-ignore
    for (const port of itemsAt(spec, 'ports'))
      if (isAbsent(port['targetPort']) || port['targetPort'] === 0) port['targetPort'] = port['port'] ?? 0;
    if (textAt(spec, 'sessionAffinity') === 'None') delete spec['sessionAffinityConfig'];
    if (textAt(spec, 'sessionAffinity') === 'ClientIP')
      setDefault(ensureFields(ensureFields(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds', 10800);
    if (isReachedFromOutside(spec)) setDefault(spec, 'externalTrafficPolicy', 'Cluster');
    if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(textAt(spec, 'type')))
      setDefault(spec, 'internalTrafficPolicy', 'Cluster');
    if (textAt(spec, 'type') === 'LoadBalancer') {
      spec['allocateLoadBalancerNodePorts'] ??= true;
      for (const ingress of itemsAt(fieldsAt(fieldsAt(service, 'status'), 'loadBalancer'), 'ingress'))
        if (!isAbsent(ingress['ip'])) setDefault(ingress, 'ipMode', 'VIP');
    }
  },

  prepareCreate(service, context) {
    const spec = ensureFields(service, 'spec');
    pairClusterIps(spec);
    // What is going to be refused must not be given addresses: the message would be about them.
    if (serviceErrors(service).length === 0) allocate(service, undefined, context);
  },

  prepareUpdate(next, old, context) {
    const [spec, before] = [ensureFields(next, 'spec'), specOf(old)];
    keepAllocated(spec, before);
    dropWhatNoLongerApplies(next, before);
    pairClusterIps(spec, before);
    if (serviceErrors(next).length === 0 && clusterIpErrors(spec, before).length === 0) allocate(next, before, context);
  },

  validate: (service) => serviceErrors(service),
  validateUpdate: (next, old) => [...clusterIpErrors(specOf(next), specOf(old)), ...serviceErrors(next)],
  validateStatusUpdate: (next) => loadBalancerErrors(next),
};

/** `clusterIP` is `clusterIPs[0]`: whoever knows only one of the two fields gets the other. */
function pairClusterIps(spec: Fields, before?: Fields): void {
  const [one, many] = [textAt(spec, 'clusterIP'), textsAt(spec, 'clusterIPs')];
  if (!needsClusterIp(spec)) return;
  if (one === '' && many.length > 0 && before === undefined) spec['clusterIP'] = many[0];
  else if (one !== '' && many.length === 0) spec['clusterIPs'] = [one];
  else if (before !== undefined && one !== textAt(before, 'clusterIP') && sameFields(many, before['clusterIPs'])) {
    if (one === '') delete spec['clusterIPs'];
    else spec['clusterIPs'] = [one];
  }
}

/** A client that sends what it once wrote does not mean to give its addresses back. */
function keepAllocated(spec: Fields, before: Fields): void {
  if (needsClusterIp(spec) && needsClusterIp(before)) {
    if (isAbsent(spec['clusterIP']) && !isAbsent(before['clusterIP'])) spec['clusterIP'] = before['clusterIP'];
    if (isEmpty(spec['clusterIPs']) && !isEmpty(before['clusterIPs'])) spec['clusterIPs'] = before['clusterIPs'];
    for (const name of ['ipFamilies', 'ipFamilyPolicy'])
      if (isEmpty(spec[name]) && !isEmpty(before[name])) spec[name] = before[name];
  }
  if (needsNodePorts(spec) && needsNodePorts(before)) {
    const byName = new Map(itemsAt(before, 'ports').map((port) => [textAt(port, 'name'), port['nodePort']]));
    const used = new Set(itemsAt(spec, 'ports').map((port) => port['nodePort']));
    for (const port of itemsAt(spec, 'ports')) {
      const known = byName.get(textAt(port, 'name'));
      if (!port['nodePort'] && known !== undefined && !used.has(known)) port['nodePort'] = known;
    }
  }
  if (needsHealthPort(spec) && needsHealthPort(before)) spec['healthCheckNodePort'] ||= before['healthCheckNodePort'];
}

/** Fields the server filled in go when another type has no use for them, unless the client changed them too. */
function dropWhatNoLongerApplies(next: ApiObject, before: Fields): void {
  const spec = ensureFields(next, 'spec');
  const drop = (names: readonly string[]): void => {
    for (const name of names) if (sameFields(spec[name], before[name])) delete spec[name];
  };
  if (needsClusterIp(before) && !needsClusterIp(spec))
    drop(['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']);
  if (needsNodePorts(before) && !needsNodePorts(spec)) {
    const old = new Set(itemsAt(before, 'ports').map((port) => port['nodePort']));
    for (const port of itemsAt(spec, 'ports')) if (old.has(port['nodePort'])) delete port['nodePort'];
  }
  if (needsHealthPort(before) && !needsHealthPort(spec)) drop(['healthCheckNodePort']);
  if (textAt(before, 'type') === 'LoadBalancer' && textAt(spec, 'type') !== 'LoadBalancer')
    drop(['allocateLoadBalancerNodePorts', 'loadBalancerClass']);
  if (isReachedFromOutside(before) && !isReachedFromOutside(spec)) drop(['externalTrafficPolicy']);
  if (textAt(spec, 'type') !== 'LoadBalancer') delete ensureFields(next, 'status')['loadBalancer'];
}

function allocate(service: ApiObject, before: Fields | undefined, context: StrategyContext): void {
  const spec = ensureFields(service, 'spec');
  const held = new Set(before === undefined ? [] : textsAt(before, 'clusterIPs'));
  if (needsClusterIp(spec)) {
    const headless = textAt(spec, 'clusterIP') === HEADLESS;
    const open = headless && isEmpty(spec['selector']);
    setDefault(spec, 'ipFamilyPolicy', open ? 'RequireDualStack' : 'SingleStack');
    if (isEmpty(spec['ipFamilies']))
      spec['ipFamilies'] = textAt(spec, 'ipFamilyPolicy') === 'SingleStack' || !open ? ['IPv4'] : ['IPv4', 'IPv6'];
    const wanted = textAt(spec, 'clusterIP');
    if (!headless && !held.has(wanted)) {
      const address = orInvalid(
        service,
        'spec.clusterIPs',
        [wanted],
        () => context.allocateClusterIp(wanted || undefined),
        `failed to allocate IP ${wanted}: `,
      );
      Object.assign(spec, { clusterIP: address, clusterIPs: [address] });
    }
  }
  const heldPorts = new Set(before === undefined ? [] : itemsAt(before, 'ports').map((port) => port['nodePort']));
  if (needsNodePorts(spec))
    for (const [index, port] of itemsAt(spec, 'ports').entries()) {
      const wanted = numberAt(port, 'nodePort') || undefined;
      if (wanted !== undefined && heldPorts.has(wanted)) continue;
      port['nodePort'] = orInvalid(service, `spec.ports[${index}].nodePort`, wanted ?? 0, () =>
        context.allocateNodePort(wanted),
      );
    }
  if (needsHealthPort(spec) && spec['healthCheckNodePort'] !== before?.['healthCheckNodePort']) {
    const wanted = numberAt(spec, 'healthCheckNodePort') || undefined;
    spec['healthCheckNodePort'] = orInvalid(service, 'spec.healthCheckNodePort', wanted ?? 0, () =>
      context.allocateNodePort(wanted),
    );
  } else if (needsHealthPort(spec) && isAbsent(spec['healthCheckNodePort']))
    spec['healthCheckNodePort'] = context.allocateNodePort();
}

function orInvalid<T>(service: ApiObject, field: string, value: string[] | number, get: () => T, prefix = ''): T {
  try {
    return get();
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw invalid({ group: '', kind: 'Service' }, nameOf(service), [
      invalidField(field, value, `${prefix}${error.message}`),
    ]);
  }
}

function clusterIpErrors(next: Fields, old: Fields): FieldError[] {
  if (!needsClusterIp(next) || !needsClusterIp(old)) return [];
  const [wanted, held] = [textsAt(next, 'clusterIPs'), textsAt(old, 'clusterIPs')];
  if (held.length === 0 || wanted[0] === held[0]) return [];
  return [invalidField('spec.clusterIPs[0]', wanted, 'may not change once set')];
}

function serviceErrors(service: ApiObject): FieldError[] {
  const spec = specOf(service);
  const type = textAt(spec, 'type');
  const ports = itemsAt(spec, 'ports');
  const errors: FieldError[] = [];
  if (ports.length === 0 && type !== 'ExternalName' && textAt(spec, 'clusterIP') !== HEADLESS)
    errors.push(requiredField('spec.ports'));
  if (type === 'ExternalName') {
    if (textAt(spec, 'externalName') === '') errors.push(requiredField('spec.externalName'));
    errors.push(...subdomainErrors(spec, 'externalName', 'spec'));
  }
  for (const [index, address] of textsAt(spec, 'clusterIPs').entries())
    if (address !== HEADLESS) errors.push(...addressErrors(`spec.clusterIPs[${index}]`, address));
    else if (type === 'NodePort' || type === 'LoadBalancer')
      errors.push(invalidField(`spec.clusterIPs[${index}]`, address, `may not be set to 'None' for ${type} services`));
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    errors.push(...portErrors(port, `spec.ports[${index}]`, ports.length > 1));
    const name = textAt(port, 'name');
    if (name !== '' && names.has(name)) errors.push(duplicateField(`spec.ports[${index}].name`, name));
    names.add(name);
  }
  errors.push(...selectorErrors(spec));
  errors.push(...choice(spec, 'sessionAffinity', 'spec', ['ClientIP', 'None']));
  for (const [index, address] of textsAt(spec, 'externalIPs').entries())
    errors.push(...addressErrors(`spec.externalIPs[${index}]`, address));
  errors.push(...choice(spec, 'type', 'spec', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']));
  if (type === 'ClusterIP')
    for (const [index, port] of ports.entries())
      if (port['nodePort'])
        errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
  return [...errors, ...repeatedPortErrors(ports), ...balancerFieldErrors(spec)];
}

const selectorErrors = (spec: Fields): FieldError[] =>
  Object.keys(fieldsAt(spec, 'selector')).flatMap((key) =>
    complain('spec.selector', key, labelKeySyntaxComplaints(key)),
  );

/** Two ports of one number and protocol are one; of them the server shows what it compares. */
function repeatedPortErrors(ports: readonly Fields[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const [Protocol, Port] = [textAt(port, 'protocol'), numberAt(port, 'port') ?? 0];
    const isRepeated = seen.has(`${Protocol} ${Port}`);
    seen.add(`${Protocol} ${Port}`);
    if (!isRepeated) return [];
    return [
      duplicateField(`spec.ports[${index}]`, {
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

/** What only a load balancer, or only a service for the world outside, has use for. */
function balancerFieldErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const isBalancer = textAt(spec, 'type') === 'LoadBalancer';
  const ranges = textsAt(spec, 'loadBalancerSourceRanges');
  const only = "may only be used when `type` is 'LoadBalancer'";
  if (ranges.length > 0 && !isBalancer) errors.push(forbiddenField('spec.LoadBalancerSourceRanges', only));
  for (const [index, range] of ranges.entries())
    errors.push(...rangeErrors(`spec.LoadBalancerSourceRanges[${index}]`, range));
  if (!isAbsent(spec['loadBalancerClass']) && !isBalancer) errors.push(forbiddenField('spec.loadBalancerClass', only));
  const policy = textAt(spec, 'externalTrafficPolicy');
  if (policy !== '' && !isReachedFromOutside(spec))
    errors.push(
      invalidField('spec.externalTrafficPolicy', policy, 'may only be set for externally-accessible services'),
    );
  return [...errors, ...choice(spec, 'internalTrafficPolicy', 'spec', ['Cluster', 'Local'])];
}

/** Errors of `status.loadBalancer`: the addresses that a cloud gave. */
function loadBalancerErrors(service: ApiObject): FieldError[] {
  const path = 'status.loadBalancer.ingress';
  const entries = itemsAt(fieldsAt(fieldsAt(service, 'status'), 'loadBalancer'), 'ingress');
  const errors: FieldError[] = [];
  if (entries.length > 0 && textAt(specOf(service), 'type') !== 'LoadBalancer')
    errors.push(forbiddenField(path, "may only be used when `spec.type` is 'LoadBalancer'"));
  for (const [index, entry] of entries.entries()) {
    const field = `${path}[${index}]`;
    const [ip, host] = [textAt(entry, 'ip'), textAt(entry, 'hostname')];
    if (ip !== '') errors.push(...addressErrors(`${field}.ip`, ip));
    if (ip === '' && !isAbsent(entry['ipMode']))
      errors.push(forbiddenField(`${field}.ipMode`, 'may not be specified when `ip` is not set'));
    errors.push(...choice(entry, 'ipMode', field, ['Proxy', 'VIP']));
    if (host !== '' && addressErrors('', host).length === 0)
      errors.push(invalidField(`${field}.hostname`, host, 'must be a DNS name, not an IP address'));
    else errors.push(...subdomainErrors(entry, 'hostname', field));
  }
  return errors;
}

function portErrors(port: Fields, path: string, named: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (named && textAt(port, 'name') === '') errors.push(requiredField(`${path}.name`));
  const number = numberAt(port, 'port') ?? 0;
  if (!isPort(number)) errors.push(invalidField(`${path}.port`, number, PORT_RANGE));
  if (!isAbsent(port['targetPort'])) errors.push(...anyPortErrors(`${path}.targetPort`, port['targetPort']));
  return [...errors, ...choice(port, 'protocol', path, ['SCTP', 'TCP', 'UDP'])];
}
