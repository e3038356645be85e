import { plainJsonCodec } from '../../../src/core/object/json-codec.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { DecodedBudget } from '../../../src/store/packed/decoded-budget.ts';
import { PackedObjects } from '../../../src/store/packed/packed-objects.ts';
import type { PackedState } from '../../../src/store/packed/slab.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';

export interface Pod extends KubeObject {
  readonly spec: { readonly nodeName: string; readonly text: string };
  readonly status: { readonly phase: string };
}

const encoder = new TextEncoder();
export const codec = plainJsonCodec();

/** About four kilobytes, of which two have nothing in common with other pods. */
export function pod(i: number, version = i + 1): Pod {
  const own = Array.from({ length: 100 }, (_, k) =>
    ((i * 7_919 + k * 104_729 + version) % 1_000_003).toString(36),
  ).join(' ');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${i}`,
      namespace: 'web',
      uid: `uid-${i}`,
      resourceVersion: String(version),
      labels: { app: 'ä' },
      managedFields: [{ manager: 'kubelet' }],
    } as KubeObject['metadata'] & object,
    spec: { nodeName: `node-${i % 10}`, text: `${own} ${'the same text in every pod, again and again '.repeat(60)}` },
    status: { phase: 'Running' },
  };
}

export interface Rig {
  readonly objects: PackedObjects<Pod>;
  readonly env: FakeEnv;
  readonly budget: DecodedBudget;
  readonly build: (object: object) => PackedState;
  readonly run: () => () => Promise<void>;
}

export function rig({ freeze = false, maxBytes = 10_000_000 } = {}): Rig {
  const env = fakeEnv();
  const budget = new DecodedBudget(maxBytes);
  const objects = new PackedObjects<Pod>({ env, budget, freeze });
  const build = (object: object): PackedState => {
    const bytes = encoder.encode(JSON.stringify(object));
    return objects.build(codec, bytes, 0, bytes.length);
  };
  const run = (): (() => Promise<void>) => {
    const stop = new AbortController();
    const running = objects.run(stop.signal);
    return async () => {
      stop.abort();
      await running;
    };
  };
  return { objects, env, budget, build, run };
}
