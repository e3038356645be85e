import type { LabelSelector } from '@kube-informer/kubernetes/meta.k8s.io/v1';
import { kindSelectorMatches } from '../../api/kinds/common/selector.ts';

/** Whether a selector selects these labels. No selector selects nothing, an empty one everything. */
export const controllerSelectorMatches = (
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean => selector !== undefined && kindSelectorMatches({ ...selector }, labels);
