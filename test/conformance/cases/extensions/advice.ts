import { expect, test } from 'vitest';
import { expectFailure } from '../../rig/failures.ts';
import { type Fixture, ok, widgetCrd } from '../../rig/fixture.ts';
import type { Answer } from '../../rig/target.ts';

const warnings = ({ headers }: Answer): string[] =>
  [...String(headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll('\\"', '"'),
  );

/** Warnings about content, defaults of the status, and connections to pods that run nowhere. */
export function adviceCases(fixture: () => Fixture): void {
  test('point (u): what works and should be written in another way is warned about', async () => {
    const f = fixture();
    const space = await f.space();
    const core = `/api/v1/namespaces/${space.name}`;
    const warned = async (path: string, body: object): Promise<string[]> => {
      const answer = await f.http.ask('POST', path, { body, query: { dryRun: 'All' } });
      ok(answer, 201);
      return warnings(answer);
    };
    const tls = { 'tls.crt': 'YQ==', 'tls.key': 'YQ==' };
    expect(await warned(`${core}/secrets`, { metadata: { name: 'a' }, type: 'kubernetes.io/tls', data: tls })).toEqual([
      'tls: failed to find any PEM data in certificate input',
    ]);
    const service = { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }], externalIPs: ['1.2.3.4'] } };
    expect(await warned(`${core}/services`, service)).toEqual([
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ]);
    const annotations = {
      'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default',
      'scheduler.alpha.kubernetes.io/critical-pod': '',
    };
    const ports = [80, 80].map((containerPort, index) => ({ containerPort, name: `p${index}` }));
    const env = ['1', '2'].map((value) => ({ name: 'A', value }));
    const spec = {
      containers: [{ name: 'c', image: 'UPPER', ports, env }, { name: 'd', image: 'x', ports: [{ containerPort: 81, name: 'p0' }] }],
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
      hostAliases: ['a', 'b'].map((name) => ({ ip: '1.1.1.1', hostnames: [name] })),
      imagePullSecrets: [{ name: '' }],
    }; // prettier-ignore
    const template = { metadata: { labels: { a: 'b' }, annotations }, spec };
    const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    expect((await warned(space.deployments, deployment)).sort()).toEqual([
      'spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
      'spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'spec.template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
      'spec.template.spec.containers[0].ports[1]: duplicate port definition with spec.template.spec.containers[0].ports[0]',
      'spec.template.spec.containers[1].ports[0]: duplicate port name "p0" with spec.template.spec.containers[0].ports[0], services and probes that select ports by name will use spec.template.spec.containers[0].ports[0]',
      'spec.template.spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
      'spec.template.spec.imagePullSecrets[0].name: invalid empty name ""',
      'spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    ]);
    const ingress = {
      metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'x' } },
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    };
    expect(await warned(`/apis/networking.k8s.io/v1/namespaces/${space.name}/ingresses`, ingress)).toEqual([
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ]);
    const widget = f.widget('w', {}, { finalizers: ['plain', 'example.com/x', 'orphan'] });
    expect(await warned(space.widgets, widget)).toEqual([
      'metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });

  test('point (u6): a deprecated version of a custom resource warns in every response', async () => {
    const f = fixture();
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const define = (plural: string, more: object): Promise<unknown> =>
      f.createCrd({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.${f.group}` },
        spec: {
          group: f.group,
          scope: 'Cluster',
          names: { plural, singular: plural.slice(0, -1), kind: `Old${plural}`, listKind: `Old${plural}List` },
          versions: [{ name: 'v1', served: true, storage: true, schema, deprecated: true, ...more }],
        },
      } as unknown as Parameters<Fixture['createCrd']>[0]);
    await define('olds', {});
    await define('ancients', { deprecationWarning: 'ancients are gone soon' });
    expect(warnings(await f.http.ask('GET', `/apis/${f.group}/v1/olds`))).toEqual([
      `${f.group}/v1 Oldolds is deprecated`,
    ]);
    expect(warnings(await f.http.ask('GET', `/apis/${f.group}/v1/ancients`))).toEqual(['ancients are gone soon']);
  });

  test('point (u2): a default of the status is there from the start', async () => {
    const f = fixture();
    const { name } = await f.space();
    const crd = widgetCrd(f.group, 'phased', 'Phased');
    const status = {
      type: 'object',
      default: { phase: 'New' },
      properties: { phase: { type: 'string', default: 'None' }, count: { type: 'integer' } },
    };
    const schema = { openAPIV3Schema: { type: 'object', properties: { status } } };
    const version = { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema };
    await f.createCrd({ ...crd, spec: { ...crd.spec, versions: [version] } } as typeof crd);
    const path = `/apis/${f.group}/v1/namespaces/${name}/phased`;
    const body = { apiVersion: `${f.group}/v1`, kind: 'Phased', metadata: { name: 'a' }, status: { count: 5 } };
    expect((await f.create(path, body)).status).toEqual({ phase: 'New' });
    expect((await f.get(`${path}/a`)).status).toEqual({ phase: 'New' });
    expect((await f.merge(`${path}/a/status`, { status: { count: 1 } })).status).toEqual({ count: 1, phase: 'New' });
  });

  test('point (u3): a job keeps labels of its own, and images that cannot be read are pulled if not present', async () => {
    const f = fixture();
    const { name } = await f.space();
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: {
        restartPolicy: 'Never',
        containers: ['UPPER', 'x', 'Reg:5000/x', 'reg/x:latest', 'x:'].map((image, index) => ({ name: `c${index}`, image })),
      },
    }; // prettier-ignore
    const jobs = `/apis/batch/v1/namespaces/${name}/jobs`;
    const own = await f.create(jobs, { metadata: { name: 'own', labels: { a: 'b' } }, spec: { template } });
    expect((own.metadata as unknown as { labels: object }).labels).toEqual({ a: 'b' });
    const none = await f.create(jobs, { metadata: { name: 'none' }, spec: { template } });
    expect((none.metadata as unknown as { labels: object }).labels).toMatchObject({ a: 'b', 'job-name': 'none' });
    const { containers } = (own.spec['template'] as { spec: { containers: { imagePullPolicy: string }[] } }).spec;
    expect(containers.map(({ imagePullPolicy }) => imagePullPolicy)).toEqual([
      'IfNotPresent', 'Always', 'Always', 'Always', 'IfNotPresent',
    ]); // prettier-ignore
  });

  test('point (u4): there is no connection to a pod that runs nowhere', async () => {
    const f = fixture();
    const space = await f.space();
    await f
      .create(`/api/v1/namespaces/${space.name}/serviceaccounts`, { metadata: { name: 'default' } })
      .catch(() => {});
    const created = await f.createPod(space, 'p', {
      annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/x' },
    });
    const [container] = created.spec['containers'] as { securityContext: object }[];
    expect(container?.securityContext).toEqual({ appArmorProfile: { type: 'Localhost', localhostProfile: 'x' } });
    const ask = (method: string, part: string, query = {}): Promise<Answer> =>
      f.http.ask(method, `${space.pods}/p/${part}`, { query });
    const homeless = { message: 'pod p does not have a host assigned' };
    expectFailure(await ask('POST', 'exec', { command: 'ls', stdout: 'true' }), 400, 'BadRequest', homeless);
    expectFailure(await ask('GET', 'attach', { stdout: 'true' }), 400, 'BadRequest', homeless);
    expectFailure(await ask('POST', 'portforward'), 400, 'BadRequest', homeless);
    // Containers that were added for debugging are containers of the pod.
    const debugged = await f.http.ask('PATCH', `${space.pods}/p/ephemeralcontainers`, {
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: { spec: { ephemeralContainers: [{ name: 'debugger', image: 'x' }] } },
    });
    expect(debugged.status).toBe(200);
    const exec = (container: string): Promise<Answer> =>
      ask('POST', 'exec', { command: 'ls', stdout: 'true', container });
    expectFailure(await exec('debugger'), 400, 'BadRequest', homeless);
    expect((await ask('GET', 'log', { container: 'debugger' })).status).toBe(204);
    expectFailure(await exec('nobody'), 400, 'BadRequest', { message: 'container nobody is not valid for pod p' });
    expectFailure(await ask('GET', 'proxy'), 400, 'BadRequest', { message: 'address not allowed' });
    expect((await ask('GET', 'log')).status).toBe(204);
    expectFailure(await ask('GET', 'log', { container: 'x' }), 400, 'BadRequest', {
      message: 'container x is not valid for pod p',
    });
    expectFailure(await f.http.ask('POST', `${space.pods}/nobody/exec`), 404, 'NotFound', {
      message: 'pods "nobody" not found',
    });
  });

  test('point (u5): a user cannot give rights that they do not have', async () => {
    const f = fixture();
    const space = await f.space();
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${space.name}`;
    const accounts = `/api/v1/namespaces/${space.name}/serviceaccounts`;
    await f.create(accounts, { metadata: { name: 'admin' } });
    const { status } = await f.create(`${accounts}/admin/token`, { spec: { expirationSeconds: 600 } });
    const { token } = status as { token: string };
    const groups = ['rbac.authorization.k8s.io'];
    await f.create(`${rbac}/roles`, {
      metadata: { name: 'own' },
      rules: [
        { apiGroups: groups, resources: ['roles', 'rolebindings'], verbs: ['create', 'update', 'patch', 'get'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
        { apiGroups: groups, resources: ['roles'], resourceNames: ['bindable'], verbs: ['bind'] },
      ],
    });
    const subject = { kind: 'ServiceAccount', name: 'admin', namespace: space.name };
    const roleRef = (name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name });
    await f.create(`${rbac}/rolebindings`, { metadata: { name: 'own' }, roleRef: roleRef('own'), subjects: [subject] });
    const secrets = [{ apiGroups: [''], resources: ['secrets', 'pods'], verbs: ['get', 'delete'] }];
    for (const name of ['bindable', 'other']) await f.create(`${rbac}/roles`, { metadata: { name }, rules: secrets });
    const post = (resource: string, body: object): Promise<Answer> =>
      f.http.ask('POST', `${rbac}/${resource}`, { token, body });
    const pods = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    ok(await post('roles', { metadata: { name: 'less' }, rules: pods }), 201);
    const missing =
      `user "system:serviceaccount:${space.name}:admin" (groups=["system:serviceaccounts" "system:serviceaccounts:${space.name}" "system:authenticated"]) ` +
      'is attempting to grant RBAC permissions not currently held:\n' +
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}';
    expectFailure(await post('roles', { metadata: { name: 'more' }, rules: secrets }), 403, 'Forbidden', {
      message: `roles.rbac.authorization.k8s.io "more" is forbidden: ${missing}`,
    });
    const binding = (name: string): object => ({ metadata: { name }, roleRef: roleRef(name), subjects: [subject] });
    expectFailure(await post('rolebindings', binding('other')), 403, 'Forbidden', {
      message: `rolebindings.rbac.authorization.k8s.io "other" is forbidden: ${missing}`,
    });
    ok(await post('rolebindings', binding('bindable')), 201);
    expectFailure(await post('rolebindings', { ...binding('missing'), metadata: { name: 'b' } }), 404, 'NotFound', {
      message: 'rolebindings.rbac.authorization.k8s.io "missing" not found',
    });
  });
}
