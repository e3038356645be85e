import { expect, test } from 'vitest';
import { expectFailure } from '../../rig/failures.ts';
import { type Fixture, ok } from '../../rig/fixture.ts';
import type { Body } from '../../rig/target.ts';

interface ServiceSpec {
  readonly clusterIP: string;
  readonly ports: readonly { readonly nodePort: number }[];
  readonly healthCheckNodePort?: number;
}

const specOf = (service: Body): ServiceSpec => service.spec as unknown as ServiceSpec;
const nodePorts = (service: Body): number[] => specOf(service).ports.map(({ nodePort }) => nodePort);
const service = (name: string, spec: object): object => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});
const DRY = { dryRun: 'All' };
/** The same number in two protocols, as of a name server. */
const DNS = [
  { name: 'tcp', port: 53 },
  { name: 'udp', port: 53, protocol: 'UDP' },
];

/** Points (cc)–(cc4): addresses and node ports of services. */
export function serviceCases(fixture: () => Fixture): void {
  test('point (cc): ports of the same number share a node port, and no other ports do', async () => {
    const f = fixture();
    const path = `/api/v1/namespaces/${(await f.space()).name}/services`;
    const ports = [...DNS, { name: 'http', port: 80 }];
    const [tcp, udp, http] = nodePorts(await f.create(path, service('a', { type: 'NodePort', ports })));
    expect([udp === tcp, http === tcp]).toEqual([true, false]);
    const taken = { message: `Service "b" is invalid: spec.ports[0].nodePort: Invalid value: ${tcp}: provided port is already allocated` };
    const named = service('b', { type: 'NodePort', ports: [{ port: 53, nodePort: tcp }] });
    expectFailure(await f.http.ask('POST', path, { body: named }), 422, 'Invalid', taken);
    expectFailure(await f.http.ask('POST', path, { body: named, query: DRY }), 422, 'Invalid', taken);
    // The name of a later port is known to an earlier one of the same number.
    const [first, second] = DNS;
    const later = service('c', { type: 'NodePort', ports: [first, { ...second, nodePort: tcp }] });
    expectFailure(await f.http.ask('POST', path, { body: later }), 422, 'Invalid', {
      message: taken.message.replace('"b"', '"c"'),
    });
  }); // prettier-ignore

  test('point (cc2): a node port out of range is refused, in a dry run not', async () => {
    const f = fixture();
    const path = `/api/v1/namespaces/${(await f.space()).name}/services`;
    const body = service('a', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] });
    expectFailure(await f.http.ask('POST', path, { body }), 422, 'Invalid', {
      message:
        'Service "a" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    });
    expect(nodePorts(await f.create(path, body, DRY))).toEqual([80]);
    // Nothing is looked for in a dry run.
    const ports = [...DNS, { name: 'http', port: 80 }];
    expect(nodePorts(await f.create(path, service('a', { type: 'NodePort', ports }), DRY))).toEqual([32769, 32769, 32770]);
    await f.create(path, service('a', { type: 'NodePort' }));
    const change = { spec: { ports: [{ port: 80, nodePort: 81 }] } };
    expect(nodePorts(await f.merge(`${path}/a`, change, DRY))).toEqual([81]);
    ok(await f.patch('merge', `${path}/a`, change), 422);
  }); // prettier-ignore

  test('point (cc3): a dry run shows the address of the range, and accepts any inside', async () => {
    const f = fixture();
    const path = `/api/v1/namespaces/${(await f.space()).name}/services`;
    const range = await f.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
    const [cidr = ''] = (range.spec as unknown as { cidrs: string[] }).cidrs;
    expect(range).toMatchObject({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    expect(specOf(await f.create(path, service('a', {}), DRY)).clusterIP).toBe(cidr.split('/')[0]);
    const { clusterIP } = specOf(await f.get('/api/v1/namespaces/default/services/kubernetes'));
    expect(specOf(await f.create(path, service('a', { clusterIP }), DRY)).clusterIP).toBe(clusterIP);
    const failed = (why: string): object => ({
      message: `Service "a" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: ${why}`,
    });
    const taken = await f.http.ask('POST', path, { body: service('a', { clusterIP }) });
    expectFailure(taken, 422, 'Invalid', failed('provided IP is already allocated'));
    const outside = await f.http.ask('POST', path, { body: service('a', { clusterIP: '192.0.2.1' }), query: DRY });
    expectFailure(outside, 422, 'Invalid', {
      message: `Service "a" is invalid: spec.clusterIPs: Invalid value: ["192.0.2.1"]: failed to allocate IP 192.0.2.1: the provided IP (192.0.2.1) is not in the valid range. The range of valid IPs is ${cidr}`,
    });
  });

  test('point (cc4): the port for health checks belongs to local traffic, and stays', async () => {
    const f = fixture();
    const path = `/api/v1/namespaces/${(await f.space()).name}/services`;
    const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    const { healthCheckNodePort: port = 0 } = specOf(await f.create(path, service('a', local)));
    const refused = async (spec: object, code = 422): Promise<string | undefined> =>
      ok(await f.http.ask('POST', path, { body: service('b', spec) }), code).message;
    expect(await refused({ ...local, healthCheckNodePort: port }, 500)).toBe(
      `Internal error occurred: failed to allocate requested HealthCheck NodePort ${port}: provided port is already allocated`,
    );
    expect(await refused({ healthCheckNodePort: 30100 })).toBe(
      'Service "b" is invalid: spec.healthCheckNodePort: Invalid value: 30100: may only be set when `type` is \'LoadBalancer\' and `externalTrafficPolicy` is \'Local\'',
    );
    expect(await refused({ type: 'NodePort', externalTrafficPolicy: 'x' })).toBe(
      'Service "b" is invalid: spec.externalTrafficPolicy: Unsupported value: "x": supported values: "Cluster", "Local"',
    );
    expectFailure(await f.patch('merge', `${path}/a`, { spec: { healthCheckNodePort: port - 1 } }), 422, 'Invalid', {
      message: 'Service "a" is invalid: spec.healthCheckNodePort: Forbidden: field is immutable',
    });
    const without = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false };
    expect(specOf(await f.create(path, service('c', without))).ports[0]).not.toHaveProperty('nodePort');
    expect(await refused({ ...without, ports: [{ port: 80, nodePort: 80 }] })).toMatch(/provided port is not in the valid range/);
  }); // prettier-ignore
}
