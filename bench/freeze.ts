/**
 * What it costs to freeze cached objects, which is the default: pods of 12 KB are decoded as a watch decodes them, then frozen. The limit
 * of the same run is the decoding. CPU time of this process, medians. Run with `npx tsx bench/freeze.ts`.
 */
import { decodeWatchStream } from '../packages/kube-informer/src/client/codec/watch-stream.ts';
import { deepFreeze } from '../packages/kube-informer/src/core/object/freeze.ts';
import type { KubeObject } from '../packages/kube-informer/src/core/object/object.ts';
import { systemEnv } from '../packages/kube-informer/src/core/env.ts';
import { podOf } from './pods.ts';

const PODS = 2_000;
const ROUNDS = 9;

const cpuMicroseconds = (since?: NodeJS.CpuUsage): NodeJS.CpuUsage => process.cpuUsage(since);
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

const text = Array.from(
  { length: PODS },
  (_, i) => `${JSON.stringify({ type: 'ADDED', object: podOf('random', i) })}\n`,
).join('');
const bytes = new TextEncoder().encode(text);

async function* body(): AsyncIterableIterator<Uint8Array, undefined> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const decoding: number[] = [];
const freezing: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const objects: KubeObject[] = [];
  const start = cpuMicroseconds();
  for await (const event of decodeWatchStream<KubeObject>(body(), { env: systemEnv }))
    objects.push(event.object as KubeObject);
  decoding.push(cpuMicroseconds(start).user / PODS);
  const then = cpuMicroseconds();
  for (const object of objects) deepFreeze(object);
  freezing.push(cpuMicroseconds(then).user / PODS);
}
const [decoded, frozen] = [median(decoding), median(freezing)];
console.log(
  `a pod of ${Math.round(bytes.length / PODS / 1024)} KB: decoded in ${decoded.toFixed(1)} µs, frozen in ${frozen.toFixed(1)} µs`,
);
console.log(`freezing is ${Math.round((100 * frozen) / decoded)}% of decoding`);
