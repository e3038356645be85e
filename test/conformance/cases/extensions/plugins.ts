import { expect, test } from 'vitest';
import { expectFailure } from '../../rig/failures.ts';
import { type Fixture, ok } from '../../rig/fixture.ts';
import type { Answer, Body } from '../../rig/target.ts';

const CLASSES = '/apis/node.k8s.io/v1/runtimeclasses';
const DRY = { dryRun: 'All' };
const container = { name: 'c', image: 'i' };
const pod = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [container], ...spec },
});
const warnings = ({ headers }: Answer): string[] =>
  [...String(headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll('\\"', '"'),
  );
const level = (mode: string, name: string): object => ({ [`pod-security.kubernetes.io/${mode}`]: name });

/** What `restricted` says about a pod that says nothing. */
const PLAIN_POD =
  'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
  'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

const RESTRICTED = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [{ ...container, securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
};

/** Points (dd)–(dd4): admission plugins that look at other objects. */
export function pluginCases(fixture: () => Fixture): void {
  /** Dry creates of pods in a fresh namespace with these labels. */
  const podsOf = async (labels: object) => {
    const f = fixture();
    const space = await f.space();
    if (Object.keys(labels).length > 0) await f.merge(`/api/v1/namespaces/${space.name}`, { metadata: { labels } });
    const ask = (body: object): Promise<Answer> => f.http.ask('POST', space.pods, { body, query: DRY });
    return { f, space, ask };
  };

  test('point (dd): a pod gets overhead, node selector and tolerations of its RuntimeClass', async () => {
    const { f, space, ask } = await podsOf({});
    const name = `${space.name}-class`;
    const scheduling = { nodeSelector: { a: 'b' }, tolerations: [{ key: 'x', operator: 'Exists' }] };
    await f.create(CLASSES, { metadata: { name }, handler: 'h', overhead: { podFixed: { cpu: '100m' } }, scheduling });
    try {
      const own = [{ key: 'x', operator: 'Equal', value: 'v', effect: 'NoSchedule' }];
      const spec = { runtimeClassName: name, nodeSelector: { c: 'd' }, tolerations: own, overhead: { cpu: '0.1' } };
      const admitted = ok(await ask(pod(spec)), 201).spec as unknown as Record<string, unknown>;
      const problem = (key: string): object => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      });
      expect(admitted).toMatchObject({ nodeSelector: { a: 'b', c: 'd' }, overhead: { cpu: '100m' } });
      expect(ok(await ask(pod({ runtimeClassName: name })), 201).spec).toMatchObject({ overhead: { cpu: '100m' } });
      expect(admitted['tolerations']).toEqual([problem('not-ready'), problem('unreachable'), { key: 'x', operator: 'Exists' }]);
      const refused = async (changed: object, why: string): Promise<void> => {
        expectFailure(await ask(pod(changed)), 403, 'Forbidden', { message: `pods "p" is forbidden: ${why}` });
      };
      await refused({ ...spec, nodeSelector: { a: 'z' } }, 'conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = z');
      await refused({ ...spec, overhead: { cpu: '1' } }, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
      await refused({ overhead: { cpu: '1' } }, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
      await refused({ runtimeClassName: 'nope' }, 'pod rejected: RuntimeClass "nope" not found');
    } finally {
      await f.remove(`${CLASSES}/${name}`);
    }
  }); // prettier-ignore

  test('point (dd2): a namespace accepts the pods that its security level allows', async () => {
    const { f, space, ask } = await podsOf(level('enforce', 'restricted'));
    const refused = async (spec: object, why: string | RegExp): Promise<void> => {
      const message = typeof why === 'string' ? `pods "p" is forbidden: ${why}` : why;
      expectFailure(await ask(pod(spec)), 403, 'Forbidden', { message });
    };
    await refused({}, PLAIN_POD);
    const restricted = await ask(pod(RESTRICTED));
    ok(restricted, 201);
    expect(warnings(restricted)).toEqual([]);
    const [safe] = RESTRICTED.containers;
    await refused(
      { ...RESTRICTED, volumes: [{ name: 'v', hostPath: { path: '/' } }, { name: 'e', emptyDir: {} }] },
      'violates PodSecurity "restricted:latest": restricted volume types (volume "v" uses restricted volume type "hostPath")',
    );
    await refused(
      { ...RESTRICTED, securityContext: { runAsNonRoot: false, runAsUser: 0, seccompProfile: { type: 'Unconfined' } } },
      'violates PodSecurity "restricted:latest": runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod must not set runAsUser=0), seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    );
    const adds = { ...safe, securityContext: { ...safe?.securityContext, capabilities: { drop: ['ALL'], add: ['SYS_TIME', 'NET_BIND_SERVICE'] } } };
    await refused({ ...RESTRICTED, containers: [adds] }, /container "c" must not include "SYS_TIME" in securityContext\.capabilities\.add\)$/);
    // Labels of a template only warn.
    const labels = { a: 'b' };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } };
    const warned = await f.http.ask('POST', space.deployments, { body: deployment, query: DRY });
    ok(warned, 201);
    expect(warnings(warned)).toEqual([PLAIN_POD.replace('violates', 'would violate')]);
  }); // prettier-ignore

  test('point (dd3): the level baseline, and levels that only warn', async () => {
    const { ask } = await podsOf({ ...level('enforce', 'baseline'), ...level('warn', 'restricted'), ...level('warn-version', 'v1.20') });
    const plain = await ask(pod());
    ok(plain, 201);
    expect(warnings(plain)).toEqual([
      PLAIN_POD.replace('violates', 'would violate').replace('latest', 'v1.20').replace(/unrestricted [^,]*, /, ''),
    ]);
    const c = { name: 'd', image: 'i', ports: [{ containerPort: 80, hostPort: 81 }, { containerPort: 82, hostPort: 83 }] };
    const bad = {
      containers: [
        { ...container, securityContext: { capabilities: { add: ['SYS_TIME', 'CHOWN'] }, seLinuxOptions: { type: 't', user: 'u' } } },
        c,
      ],
      hostNetwork: true,
      hostPID: true,
      volumes: [{ name: 'v', hostPath: { path: '/' } }],
      securityContext: { sysctls: [{ name: 'kernel.x', value: '1' }, { name: 'kernel.shm_rmid_forced', value: '1' }] },
    };
    const host = [{ containerPort: 81, hostPort: 81 }, { containerPort: 83, hostPort: 83 }];
    expectFailure(await ask(pod({ ...bad, containers: [bad.containers[0], { ...c, ports: host }] })), 403, 'Forbidden', {
      message:
        'pods "p" is forbidden: violates PodSecurity "baseline:latest": non-default capabilities (container "c" must not include "SYS_TIME" in securityContext.capabilities.add), ' +
        'host namespaces (hostNetwork=true, hostPID=true), hostPath volumes (volume "v"), hostPort (container "d" uses hostPorts 81, 83), ' +
        'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "t"; user may not be set), ' +
        'forbidden sysctls (kernel.x)',
    });
  }); // prettier-ignore

  test('point (dd4): labels of a namespace are validated, and pods that it has are warned about', async () => {
    const { f, space } = await podsOf({});
    const path = `/api/v1/namespaces/${space.name}`;
    const label = (labels: object): Promise<Answer> => f.patch('merge', path, { metadata: { labels } });
    expectFailure(await label({ ...level('enforce', 'strict'), ...level('warn-version', '1.20') }), 422, 'Invalid', {
      message: `Namespace "${space.name}" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.20": must be "latest" or "v1.x"]`,
    });
    for (const name of ['b', 'a']) await f.createPod(space, name);
    const stricter = await label(level('enforce', 'restricted'));
    ok(stricter);
    expect(warnings(stricter)).toEqual([
      `existing pods in namespace "${space.name}" violate the new PodSecurity enforce level "restricted:latest"`,
      'a (and 1 other pod): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile',
    ]);
    expect(warnings(await label(level('enforce', 'baseline')))).toEqual([]);
    // A stored pod may change in every way but its images.
    ok(await label(level('enforce', 'restricted')));
    ok(await f.patch('merge', `${space.pods}/a`, { metadata: { labels: { x: 'y' } } }));
    const image = { spec: { containers: [{ name: 'c', image: 'other' }] } };
    const changed: Body = expectFailure(await f.patch('strategic', `${space.pods}/a`, image), 403, 'Forbidden');
    expect(changed.message).toMatch(/^pods "a" is forbidden: violates PodSecurity "restricted:latest": /);
  });
}
