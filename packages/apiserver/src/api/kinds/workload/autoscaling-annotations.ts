import { type Fields, fieldsAt, isFields, numberField, textField } from '../common/fields.ts';

/**
 * The annotations in which `autoscaling/v1` keeps what its type has no field for: metrics in the form of an
 * older version of the API, and the behavior in the server's internal form.
 *
 * Room rule: knows the forms; `autoscaling.ts` knows the names of the annotations.
 */

/** `spec.metrics` of v2 for the annotation. */
export const metricsToAnnotation = (metrics: readonly unknown[]): Fields[] =>
  metrics.filter(isFields).map(metricToAnnotation);

/** The reverse of `metricsToAnnotation`. */
export const metricsFromAnnotation = (metrics: readonly unknown[]): Fields[] =>
  metrics.filter(isFields).map(metricFromAnnotation);

/** `status.currentMetrics` of v2 for the annotation. */
export const currentMetricsToAnnotation = (metrics: readonly unknown[]): Fields[] =>
  metrics.filter(isFields).map(metricStatusToAnnotation);

export const currentMetricsFromAnnotation = (metrics: readonly unknown[]): Fields[] =>
  metrics.filter(isFields).map(metricStatusFromAnnotation);

/** A copy without the fields that are undefined. */
function withoutAbsentAnnotationFields(fields: Fields): Fields {
  for (const name of Object.keys(fields)) if (fields[name] === undefined) delete fields[name];
  return fields;
}

/** Converts a metric: its type and, in a field of that name, the source. */
function convertAnnotationSource(
  metric: Fields,
  convert: Readonly<Record<string, (source: Fields) => Fields>>,
): Fields {
  const type = textField(metric, 'type');
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const source = metric[name];
  return isFields(source) && convert[type] !== undefined ? { type, [name]: convert[type](source) } : { type };
}

function metricToAnnotation(metric: Fields): Fields {
  return convertAnnotationSource(metric, {
    Resource: ({ name, target }) => withoutAbsentAnnotationFields({ name, ...resourceTargetToAnnotation(target) }),
    ContainerResource: ({ name, container, target }) =>
      withoutAbsentAnnotationFields({ name, ...resourceTargetToAnnotation(target), container }),
    Pods: (source) =>
      withoutAbsentAnnotationFields({
        metricName: annotationMetricOf(source)['name'],
        targetAverageValue: fieldsAt(source, 'target')['averageValue'],
        selector: annotationMetricOf(source)['selector'],
      }),
    Object: (source) => {
      const { value = '0', averageValue } = fieldsAt(source, 'target');
      return withoutAbsentAnnotationFields({
        target: source['describedObject'],
        metricName: annotationMetricOf(source)['name'],
        targetValue: value,
        selector: annotationMetricOf(source)['selector'],
        averageValue,
      });
    },
    External: (source) => {
      const { value, averageValue } = fieldsAt(source, 'target');
      return withoutAbsentAnnotationFields({
        ...annotationExternalMetric(source),
        targetValue: value,
        targetAverageValue: averageValue,
      });
    },
  });
}

function metricFromAnnotation(metric: Fields): Fields {
  return convertAnnotationSource(metric, {
    Resource: (source) =>
      withoutAbsentAnnotationFields({ name: source['name'], target: resourceTargetFromAnnotation(source) }),
    ContainerResource: (source) =>
      withoutAbsentAnnotationFields({
        name: source['name'],
        target: resourceTargetFromAnnotation(source),
        container: source['container'],
      }),
    Pods: (source) => ({
      metric: withoutAbsentAnnotationFields({ name: source['metricName'], selector: source['selector'] }),
      target: withoutAbsentAnnotationFields({ type: 'AverageValue', averageValue: source['targetAverageValue'] }),
    }),
    Object: (source) => ({
      describedObject: source['target'],
      target:
        source['averageValue'] === undefined
          ? withoutAbsentAnnotationFields({ type: 'Value', value: source['targetValue'] })
          : { type: 'AverageValue', averageValue: source['averageValue'] },
      metric: withoutAbsentAnnotationFields({ name: source['metricName'], selector: source['selector'] }),
    }),
    External: ({ metricName, metricSelector, targetValue, targetAverageValue }) => ({
      metric: withoutAbsentAnnotationFields({ name: metricName, selector: metricSelector }),
      target:
        targetAverageValue === undefined
          ? withoutAbsentAnnotationFields({ type: 'Value', value: targetValue })
          : { type: 'AverageValue', averageValue: targetAverageValue },
    }),
  });
}

function metricStatusToAnnotation(metric: Fields): Fields {
  return convertAnnotationSource(metric, {
    Resource: (source) =>
      withoutAbsentAnnotationFields({ name: source['name'], ...resourceCurrentToAnnotation(source) }),
    ContainerResource: (source) =>
      withoutAbsentAnnotationFields({
        name: source['name'],
        ...resourceCurrentToAnnotation(source),
        container: source['container'],
      }),
    Pods: (source) =>
      withoutAbsentAnnotationFields({
        metricName: annotationMetricOf(source)['name'],
        currentAverageValue: fieldsAt(source, 'current')['averageValue'] ?? '0',
        selector: annotationMetricOf(source)['selector'],
      }),
    Object: (source) => {
      const { value = '0', averageValue } = fieldsAt(source, 'current');
      return withoutAbsentAnnotationFields({
        target: source['describedObject'],
        metricName: annotationMetricOf(source)['name'],
        currentValue: value,
        selector: annotationMetricOf(source)['selector'],
        averageValue,
      });
    },
    External: (source) => {
      const { value = '0', averageValue } = fieldsAt(source, 'current');
      return withoutAbsentAnnotationFields({
        ...annotationExternalMetric(source),
        currentValue: value,
        currentAverageValue: averageValue,
      });
    },
  });
}

function metricStatusFromAnnotation(metric: Fields): Fields {
  return convertAnnotationSource(metric, {
    Resource: (source) =>
      withoutAbsentAnnotationFields({ name: source['name'], current: resourceCurrentFromAnnotation(source) }),
    ContainerResource: (source) =>
      withoutAbsentAnnotationFields({
        name: source['name'],
        current: resourceCurrentFromAnnotation(source),
        container: source['container'],
      }),
    Pods: ({ metricName, selector, currentAverageValue }) => ({
      metric: withoutAbsentAnnotationFields({ name: metricName, selector }),
      current: withoutAbsentAnnotationFields({ averageValue: currentAverageValue }),
    }),
    Object: ({ target, metricName, selector, currentValue, averageValue }) => ({
      metric: withoutAbsentAnnotationFields({ name: metricName, selector }),
      current: withoutAbsentAnnotationFields({ value: currentValue, averageValue }),
      describedObject: target,
    }),
    External: ({ metricName, metricSelector, currentValue, currentAverageValue }) => ({
      metric: withoutAbsentAnnotationFields({ name: metricName, selector: metricSelector }),
      current: withoutAbsentAnnotationFields({ value: currentValue, averageValue: currentAverageValue }),
    }),
  });
}

const annotationMetricOf = (source: Fields): Fields => fieldsAt(source, 'metric');

const annotationExternalMetric = (source: Fields): Fields => ({
  metricName: annotationMetricOf(source)['name'],
  metricSelector: annotationMetricOf(source)['selector'],
});

function resourceTargetToAnnotation(target: unknown): Fields {
  const { averageUtilization, averageValue } = isFields(target) ? target : {};
  return { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue };
}

const resourceTargetFromAnnotation = (source: Fields): Fields =>
  numberField(source, 'targetAverageUtilization') === undefined
    ? withoutAbsentAnnotationFields({ type: 'AverageValue', averageValue: source['targetAverageValue'] })
    : { type: 'Utilization', averageUtilization: source['targetAverageUtilization'] };

function resourceCurrentToAnnotation(source: Fields): Fields {
  const { averageUtilization, averageValue = '0' } = fieldsAt(source, 'current');
  return { currentAverageUtilization: averageUtilization, currentAverageValue: averageValue };
}

const resourceCurrentFromAnnotation = ({ currentAverageUtilization, currentAverageValue }: Fields): Fields =>
  withoutAbsentAnnotationFields({ averageValue: currentAverageValue, averageUtilization: currentAverageUtilization });

/** The behavior as the server's internal type, whose fields have capital letters and are all present. */
export function behaviorToAnnotation(behavior: Fields): Fields {
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

/** Reads the behavior. Go ignores the case of names, so either form is accepted. */
export function behaviorFromAnnotation(value: unknown): Fields {
  if (!isFields(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      field === null ? [] : [[name.charAt(0).toLowerCase() + name.slice(1), behaviorAnnotationValue(field)]],
    ),
  );
}

const behaviorAnnotationValue = (field: unknown): unknown =>
  Array.isArray(field) ? field.map(behaviorAnnotationValue) : isFields(field) ? behaviorFromAnnotation(field) : field;
