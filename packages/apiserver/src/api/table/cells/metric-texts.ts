import type { ApiObject } from '../../../core/kube-object.ts';
import { type Fields, readFieldIsPresent, readFieldItems, readFieldText } from './read-fields.ts';
import { firstFewCellTexts, NONE } from './cell-texts.ts';

const SHOWN = 2;
const UNKNOWN = '<unknown>';

/** Path of a metric's source, by its type; metrics with a name show it. */
const SOURCES: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    External: 'external',
    Pods: 'pods',
    Object: 'object',
    Resource: 'resource',
    ContainerResource: 'containerResource',
  }),
);

/** `current/target` of each metric that an autoscaler uses. */
export function metricsCellText(autoscaler: ApiObject): string {
  const metrics = readFieldItems(autoscaler, 'spec.metrics');
  const statuses = readFieldItems(autoscaler, 'status.currentMetrics');
  if (metrics.length === 0) return NONE;
  const texts = metrics.map((metric, index) => metricCellText(metric, statuses[index]));
  return firstFewCellTexts(texts, texts.length, SHOWN, ', ');
}

/** The metrics cell of v1, whose only metric is CPU usage. */
export function metricsCellTextV1(autoscaler: ApiObject): string {
  const target = readFieldText(autoscaler, 'spec.targetCPUUtilizationPercentage');
  if (target === '') return NONE;
  const current = readFieldText(autoscaler, 'status.currentCPUUtilizationPercentage');
  return `cpu: ${current === '' ? UNKNOWN : `${current}%`}/${target}%`;
}

function metricCellText(metric: Fields, status: Fields | undefined): string {
  const source = SOURCES.get(readFieldText(metric, 'type'));
  if (source === undefined) return '<unknown type>';
  const target = (field: string): string => readFieldText(metric, `${source}.target.${field}`);
  const current = (field: string): string => readFieldText(status, `${source}.current.${field}`, UNKNOWN);
  const isAverage = readFieldIsPresent(metric, `${source}.target.averageValue`);
  switch (source) {
    case 'pods':
      return `${current('averageValue')}/${target('averageValue')}`;
    case 'external':
    case 'object':
      return isAverage
        ? `${current('averageValue')}/${target('averageValue')} (avg)`
        : `${current('value')}/${target('value')}`;
    default: {
      const prefix = `${readFieldText(metric, `${source}.name`)}: `;
      if (isAverage) return `${prefix}${current('averageValue')}/${target('averageValue')}`;
      const used = current('averageUtilization');
      const wanted = target('averageUtilization');
      return `${prefix}${used === UNKNOWN ? used : `${used}%`}/${wanted === '' ? '<auto>' : `${wanted}%`}`;
    }
  }
}
