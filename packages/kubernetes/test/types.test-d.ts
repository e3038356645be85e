import { describe, expectTypeOf, test } from 'vitest';
import type { KubeList, KubeObject, ListWatch } from 'kube-informer';
import { SharedInformer } from 'kube-informer';
import type {
  ConfigMap,
  Container,
  Deployment,
  HorizontalPodAutoscaler,
  IntOrString,
  ObjectMeta,
  Pod,
  PodList,
  Quantity,
  Resources,
  Secret,
  Service,
  UnlistableResources,
} from '@kube-informer/kubernetes';
import type * as all from '@kube-informer/kubernetes';
import type { Event as CoreEvent } from '@kube-informer/kubernetes/v1';
import type { Event } from '@kube-informer/kubernetes/events.k8s.io/v1';
import type { HorizontalPodAutoscaler as FirstAutoscaler } from '@kube-informer/kubernetes/autoscaling/v1';
import { type Kind, kinds } from '@kube-informer/kubernetes/kinds';

/** How a client can use the table: a built-in by name, anything else with its own type. */
declare function resource<Name extends keyof Resources>(name: Name): ListWatch<Resources[Name]>;

describe('Resources', () => {
  test('a name gives its type', () => {
    expectTypeOf<Resources['v1/pods']>().toEqualTypeOf<Pod>();
    expectTypeOf<Resources['apps/v1/deployments']>().toEqualTypeOf<Deployment>();
    expectTypeOf<Resources['v1/events']>().toEqualTypeOf<CoreEvent>();
    expectTypeOf<Resources['events.k8s.io/v1/events']>().toEqualTypeOf<Event>();
    expectTypeOf<Resources['autoscaling/v1/horizontalpodautoscalers']>().toEqualTypeOf<FirstAutoscaler>();
    expectTypeOf<Resources['autoscaling/v2/horizontalpodautoscalers']>().toEqualTypeOf<HorizontalPodAutoscaler>();
  });

  test('a typo does not compile', () => {
    resource('v1/pods');
    // @ts-expect-error a letter is missing
    resource('v1/pod');
    // @ts-expect-error deployments are in another group
    resource('v1/deployments');
    // @ts-expect-error made to be created, not to be listed
    resource('authentication.k8s.io/v1/tokenreviews');
    expectTypeOf<keyof UnlistableResources>().extract<'authentication.k8s.io/v1/tokenreviews'>().not.toBeNever();
  });

  test('every one of them is an object the engine takes', () => {
    expectTypeOf<Resources[keyof Resources]>().toExtend<KubeObject>();
    expectTypeOf<PodList>().toExtend<KubeList<Pod>>();
    expectTypeOf(new SharedInformer(resource('v1/pods')).list()).toEqualTypeOf<Pod[]>();
  });
});

describe('types', () => {
  test('fields are as the server has them', () => {
    const pod = {} as Pod;
    expectTypeOf(pod.spec?.containers).toEqualTypeOf<readonly Container[] | undefined>();
    expectTypeOf(pod.metadata).toEqualTypeOf<ObjectMeta | undefined>();
    expectTypeOf(pod.metadata?.creationTimestamp).toEqualTypeOf<string | undefined>();
    expectTypeOf(pod.spec?.restartPolicy).toEqualTypeOf<'Always' | 'Never' | 'OnFailure' | undefined>();
    expectTypeOf<Container['name']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<ConfigMap['data']>>().toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf<NonNullable<Secret['data']>[string]>().toEqualTypeOf<string>();
    expectTypeOf<Quantity>().toEqualTypeOf<string>();
    expectTypeOf<IntOrString>().toEqualTypeOf<string | number>();
  });

  test('required fields are required, the object’s own description is not', () => {
    const service: Service = { metadata: { name: 'a' }, spec: { ports: [{ port: 80, targetPort: 'web' }] } };
    void service;
    // @ts-expect-error a port needs its number
    const unnumbered: Service = { spec: { ports: [{ name: 'web' }] } };
    void unnumbered;
    // @ts-expect-error there is no such policy
    const pod: Pod = { spec: { containers: [], restartPolicy: 'Sometimes' } };
    void pod;
    // @ts-expect-error there is no such field
    const misspelt: Pod = { spec: { container: [] } };
    void misspelt;
  });

  test('nothing can be written', () => {
    const pod = {} as Pod;
    // @ts-expect-error a field is read-only
    pod.spec = { containers: [] };
    // @ts-expect-error however deep
    pod.metadata!.labels!['a'] = 'b';
    // @ts-expect-error an array is too
    pod.spec!.containers.push({ name: 'a' });
  });

  test('a name that means two things is not exported', () => {
    // @ts-expect-error it is in v1 and in events.k8s.io/v1
    type Ambiguous = all.Event;
    expectTypeOf<Ambiguous>().toBeAny();
  });
});

describe('kinds', () => {
  test('the table is data', () => {
    expectTypeOf(kinds).toEqualTypeOf<readonly Kind[]>();
    expectTypeOf<Kind['subresources'][number]['kind']>().toBeString();
    // @ts-expect-error read-only
    kinds[0]!.group = 'mine';
  });
});
