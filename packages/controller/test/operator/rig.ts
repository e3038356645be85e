import type { ApiObject } from '@kube-informer/apiserver';
import type { KubeObject } from 'kube-informer';
import { onTestFinished } from 'vitest';
import { controller, type ControllerOptions, type Operator, type OperatorOptions } from '../../src/index.ts';
import { type Lab, type LabOptions, startLab } from '../../src/testing/lab.ts';

export interface Widget extends KubeObject {
  readonly spec?: { readonly size?: number; readonly secret?: string };
  readonly status?: { readonly seen?: number; readonly conditions?: readonly object[] };
}

export const WIDGETS = 'example.com/v1/widgets';

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
};

/** The definition of widgets. */
export const definition = (
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
  versions = ['v1'],
): ApiObject & KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope,
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: versions.map((name, at) => ({
      name,
      served: true,
      storage: at === 0,
      subresources: { status: {} },
      schema,
    })),
  },
});

export const widget = (name: string, spec: object = {}, metadata: object = {}): ApiObject & Widget => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'web', ...metadata },
  spec,
});

export const configMap: (
  name: string,
  data?: Readonly<Record<string, string>>,
  metadata?: object,
) => ApiObject & KubeObject = (name: string, data = {}, metadata = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'web', ...metadata },
  data,
});

export interface Rig {
  readonly lab: Lab;
  readonly operator: Operator;
  /** The outcomes of the runs of a key. */
  readonly outcomes: (key: string) => readonly string[];
}

/** A lab with widgets and one controller, `widgets`, for them. */
export async function rig(
  options: Partial<ControllerOptions<Widget>> & Pick<ControllerOptions<Widget>, 'reconcile'>,
  { lab: labOptions = {}, run = {} }: { readonly lab?: LabOptions; readonly run?: OperatorOptions } = {},
): Promise<Rig> {
  const lab = await startLab({ definitions: [definition()], ...labOptions });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  const operator = lab.run([controller<Widget>(lab.cluster, WIDGETS, { name: 'widgets', ...options })], run);
  await lab.settled();
  return { lab, operator, outcomes: (key) => operator.runs('widgets', key).map(({ outcome }) => outcome) };
}
