import type { ApiObject } from '../../../core/object.ts';
import { type Fields, isPresent, itemsAt, textAt } from './read.ts';
import { firstFew, NONE } from './texts.ts';

const SHOWN = 2;
const UNKNOWN = '<unknown>';

/** Where a metric's source is, by its type; those with a name show it. */
const SOURCES: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

/** `current/target` of each metric an autoscaler goes by. */
export function metricsText(autoscaler: ApiObject): string {
  const metrics = itemsAt(autoscaler, 'spec.metrics');
  const statuses = itemsAt(autoscaler, 'status.currentMetrics');
  if (metrics.length === 0) return NONE;
  const texts = metrics.map((metric, index) => metricText(metric, statuses[index]));
  return firstFew(texts, texts.length, SHOWN, ', ');
}

/** In v1 the one metric is the use of CPU. */
export function metricsTextV1(autoscaler: ApiObject): string {
  const target = textAt(autoscaler, 'spec.targetCPUUtilizationPercentage');
  if (target === '') return NONE;
  const current = textAt(autoscaler, 'status.currentCPUUtilizationPercentage');
  return `cpu: ${current === '' ? UNKNOWN : `${current}%`}/${target}%`;
}

function metricText(metric: Fields, status: Fields | undefined): string {
  const source = SOURCES[textAt(metric, 'type')];
  if (source === undefined) return '<unknown type>';
  const target = (field: string): string => textAt(metric, `${source}.target.${field}`);
  const current = (field: string): string => textAt(status, `${source}.current.${field}`, UNKNOWN);
  const isAverage = isPresent(metric, `${source}.target.averageValue`);
  switch (source) {
    case 'pods':
      return `${current('averageValue')}/${target('averageValue')}`;
    case 'external':
    case 'object':
      return isAverage
        ? `${current('averageValue')}/${target('averageValue')} (avg)`
        : `${current('value')}/${target('value')}`;
    default: {
      const prefix = `${textAt(metric, `${source}.name`)}: `;
      if (isAverage) return `${prefix}${current('averageValue')}/${target('averageValue')}`;
      const used = current('averageUtilization');
      const wanted = target('averageUtilization');
      return `${prefix}${used === UNKNOWN ? used : `${used}%`}/${wanted === '' ? '<auto>' : `${wanted}%`}`;
    }
  }
}
