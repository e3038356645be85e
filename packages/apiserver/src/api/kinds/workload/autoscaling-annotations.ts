import { type Fields, fieldsAt, isFields, numberAt, textAt } from '../common/fields.ts';

/**
 * The forms in which `autoscaling/v1` carries in annotations what its type has no field for: metrics as an older version
 * of the API knew them, and the behavior as the server has it inside.
 *
 * Room rule: knows the forms. Which annotation is for what is somebody else's.
 */

/** `spec.metrics` of v2 for the annotation. */
export const metricsToOld = (metrics: readonly unknown[]): Fields[] => metrics.filter(isFields).map(metricToOld);

/** And back. */
export const metricsFromOld = (metrics: readonly unknown[]): Fields[] => metrics.filter(isFields).map(metricFromOld);

/** `status.currentMetrics` of v2 for the annotation. */
export const currentToOld = (metrics: readonly unknown[]): Fields[] => metrics.filter(isFields).map(statusToOld);

export const currentFromOld = (metrics: readonly unknown[]): Fields[] => metrics.filter(isFields).map(statusFromOld);

/** Without the fields that are undefined. */
function made(fields: Fields): Fields {
  for (const name of Object.keys(fields)) if (fields[name] === undefined) delete fields[name];
  return fields;
}

/** A metric is its type and, in a field of that name, the source. */
function withSource(metric: Fields, convert: Readonly<Record<string, (source: Fields) => Fields>>): Fields {
  const type = textAt(metric, 'type');
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const source = metric[name];
  return isFields(source) && convert[type] !== undefined ? { type, [name]: convert[type](source) } : { type };
}

function metricToOld(metric: Fields): Fields {
  return withSource(metric, {
    Resource: ({ name, target }) => made({ name, ...resourceTarget(target) }),
    ContainerResource: ({ name, container, target }) => made({ name, ...resourceTarget(target), container }),
    Pods: (source) =>
      made({
        metricName: metricOf(source)['name'],
        targetAverageValue: fieldsAt(source, 'target')['averageValue'],
        selector: metricOf(source)['selector'],
      }),
    Object: (source) => {
      const { value = '0', averageValue } = fieldsAt(source, 'target');
      return made({
        target: source['describedObject'],
        metricName: metricOf(source)['name'],
        targetValue: value,
        selector: metricOf(source)['selector'],
        averageValue,
      });
    },
    External: (source) => {
      const { value, averageValue } = fieldsAt(source, 'target');
      return made({ ...externalMetric(source), targetValue: value, targetAverageValue: averageValue });
    },
  });
}

function metricFromOld(metric: Fields): Fields {
  return withSource(metric, {
    Resource: (source) => made({ name: source['name'], target: targetOfResource(source) }),
    ContainerResource: (source) =>
      made({ name: source['name'], target: targetOfResource(source), container: source['container'] }),
    Pods: (source) => ({
      metric: made({ name: source['metricName'], selector: source['selector'] }),
      target: made({ type: 'AverageValue', averageValue: source['targetAverageValue'] }),
    }),
    Object: (source) => ({
      describedObject: source['target'],
      target:
        source['averageValue'] === undefined
          ? made({ type: 'Value', value: source['targetValue'] })
          : { type: 'AverageValue', averageValue: source['averageValue'] },
      metric: made({ name: source['metricName'], selector: source['selector'] }),
    }),
    External: ({ metricName, metricSelector, targetValue, targetAverageValue }) => ({
      metric: made({ name: metricName, selector: metricSelector }),
      target:
        targetAverageValue === undefined
          ? made({ type: 'Value', value: targetValue })
          : { type: 'AverageValue', averageValue: targetAverageValue },
    }),
  });
}

function statusToOld(metric: Fields): Fields {
  return withSource(metric, {
    Resource: (source) => made({ name: source['name'], ...resourceCurrent(source) }),
    ContainerResource: (source) =>
      made({ name: source['name'], ...resourceCurrent(source), container: source['container'] }),
    Pods: (source) =>
      made({
        metricName: metricOf(source)['name'],
        currentAverageValue: fieldsAt(source, 'current')['averageValue'] ?? '0',
        selector: metricOf(source)['selector'],
      }),
    Object: (source) => {
      const { value = '0', averageValue } = fieldsAt(source, 'current');
      return made({
        target: source['describedObject'],
        metricName: metricOf(source)['name'],
        currentValue: value,
        selector: metricOf(source)['selector'],
        averageValue,
      });
    },
    External: (source) => {
      const { value = '0', averageValue } = fieldsAt(source, 'current');
      return made({ ...externalMetric(source), currentValue: value, currentAverageValue: averageValue });
    },
  });
}

function statusFromOld(metric: Fields): Fields {
  return withSource(metric, {
    Resource: (source) => made({ name: source['name'], current: currentOfResource(source) }),
    ContainerResource: (source) =>
      made({ name: source['name'], current: currentOfResource(source), container: source['container'] }),
    Pods: ({ metricName, selector, currentAverageValue }) => ({
      metric: made({ name: metricName, selector }),
      current: made({ averageValue: currentAverageValue }),
    }),
    Object: ({ target, metricName, selector, currentValue, averageValue }) => ({
      metric: made({ name: metricName, selector }),
      current: made({ value: currentValue, averageValue }),
      describedObject: target,
    }),
    External: ({ metricName, metricSelector, currentValue, currentAverageValue }) => ({
      metric: made({ name: metricName, selector: metricSelector }),
      current: made({ value: currentValue, averageValue: currentAverageValue }),
    }),
  });
}

const metricOf = (source: Fields): Fields => fieldsAt(source, 'metric');

const externalMetric = (source: Fields): Fields => ({
  metricName: metricOf(source)['name'],
  metricSelector: metricOf(source)['selector'],
});

function resourceTarget(target: unknown): Fields {
  const { averageUtilization, averageValue } = isFields(target) ? target : {};
  return { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue };
}

const targetOfResource = (source: Fields): Fields =>
  numberAt(source, 'targetAverageUtilization') === undefined
    ? made({ type: 'AverageValue', averageValue: source['targetAverageValue'] })
    : { type: 'Utilization', averageUtilization: source['targetAverageUtilization'] };

function resourceCurrent(source: Fields): Fields {
  const { averageUtilization, averageValue = '0' } = fieldsAt(source, 'current');
  return { currentAverageUtilization: averageUtilization, currentAverageValue: averageValue };
}

const currentOfResource = ({ currentAverageUtilization, currentAverageValue }: Fields): Fields =>
  made({ averageValue: currentAverageValue, averageUtilization: currentAverageUtilization });

/** The server's own type, whose fields have capital letters and are all there. */
export function behaviorToInner(behavior: Fields): Fields {
  const rules = (name: string): Fields | null => {
    const side = behavior[name];
    if (!isFields(side)) return null;
    const { policies } = side;
    return {
      StabilizationWindowSeconds: side['stabilizationWindowSeconds'] ?? null,
      SelectPolicy: side['selectPolicy'] ?? null,
      Policies: Array.isArray(policies)
        ? policies
            .filter(isFields)
            .map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds }))
        : null,
      Tolerance: side['tolerance'] ?? null,
    };
  };
  return { ScaleUp: rules('scaleUp'), ScaleDown: rules('scaleDown') };
}

/** Go reads names whatever their case, so either form will do. */
export function behaviorFromInner(value: unknown): Fields {
  if (!isFields(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      field === null ? [] : [[name.charAt(0).toLowerCase() + name.slice(1), innerValue(field)]],
    ),
  );
}

const innerValue = (field: unknown): unknown =>
  Array.isArray(field) ? field.map(innerValue) : isFields(field) ? behaviorFromInner(field) : field;
