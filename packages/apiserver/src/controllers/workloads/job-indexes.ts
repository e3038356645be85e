import type { PodSpec } from '@kube-informer/kubernetes/v1';
import type { PodParts } from './pod-template.ts';

export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

/** Reads `1,3-5,7`. */
export function completedJobIndexes(text = ''): Set<number> {
  const indexes = new Set<number>();
  for (const part of text.split(',').filter((one) => one !== '')) {
    const [from = 0, to = from] = part.split('-').map(Number);
    for (let index = from; index <= to; index += 1) indexes.add(index);
  }
  return indexes;
}

/** Writes `1,3-5,7`. */
export function jobIndexText(indexes: ReadonlySet<number>): string {
  const parts: [number, number][] = [];
  for (const index of [...indexes].toSorted((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else parts.push([index, index]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : to === from + 1 ? `${from},${to}` : `${from}-${to}`)).join();
} // prettier-ignore

/**
 * The parts of an index's pod: its number is in its name, a label, an annotation and the environment of its
 * containers.
 */
export function indexedJobPodParts(job: string, index: number, spec: PodSpec | undefined): PodParts {
  const source = { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } };
  const variable = { name: 'JOB_COMPLETION_INDEX', valueFrom: source };
  const containers = (spec?.containers ?? []).map((one) => ({ ...one, env: [...(one.env ?? []), variable] }));
  const mark = { [COMPLETION_INDEX]: String(index) };
  return { generateName: `${job}-${index}-`, labels: mark, annotations: mark, spec: { containers, hostname: `${job}-${index}` } }; // prettier-ignore
}
