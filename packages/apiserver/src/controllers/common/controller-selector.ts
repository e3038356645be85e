import type { LabelSelector } from '@kube-informer/kubernetes/meta.k8s.io/v1';
import { parseLabelSelector } from '../../api/meta/label-selector.ts';
import { kindSelectorMatches } from '../../api/kinds/common/kind-selector.ts';

/** Whether a selector selects these labels. No selector selects nothing, an empty one everything. */
export const controllerSelectorMatches = (
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean => selector !== undefined && kindSelectorMatches({ ...selector }, labels);

/** Whether a selector in text form, such as `app=web,tier in (a,b)`, selects these labels. No text selects nothing. */
export const controllerSelectorTextMatches = (text: string, labels: Readonly<Record<string, string>> = {}): boolean =>
  text !== '' && parseLabelSelector(text).matches(labels);
