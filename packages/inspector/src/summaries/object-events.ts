import type { KubeObject } from 'kube-informer';
import type { CacheRecord } from '../caches/cache-tracker.ts';
import type { Mask } from '../mask/mask.ts';
import { visibleBrief } from '../mask/visible.ts';
import { objectAgeInstant } from '../objects/object-age.ts';
import { objectField, objectFieldNumber, objectFieldText } from '../objects/object-fields.ts';
import type { ObjectEvent } from '../protocol/messages.ts';

/** Maximum number of events shown. */
const MAX_EVENTS = 20;
/** Maximum number of events examined, so that a page does not block the process. */
const MAX_EXAMINED = 20_000;
/** Fields in which the two Event kinds name their object. */
const ABOUT = ['involvedObject', 'regarding'];
const TIMES = [
  'series.lastObservedTime',
  'lastTimestamp',
  'deprecatedLastTimestamp',
  'eventTime',
  'metadata.creationTimestamp',
];

/** The events about an object, newest first, if a cache of this process has them. Sends no request. */
export function objectEvents(object: KubeObject, records: readonly CacheRecord[], mask: Mask): readonly ObjectEvent[] {
  const { uid, namespace = '' } = object.metadata ?? {};
  if (uid === undefined || uid === '') return [];
  const found = records
    .filter(({ cache }) => cache.resource.endsWith('/events') && !cache.metadataOnly)
    .flatMap(({ cache: { informer } }) =>
      informer.store.byIndex('namespace', namespace || 'default').slice(0, MAX_EXAMINED),
    )
    .filter((event) => ABOUT.some((field) => objectField(event, `${field}.uid`) === uid));
  // Only those that are shown are masked: one object may have thousands.
  return found
    .map((event) => ({ event, at: objectEventInstant(event) }))
    .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))
    .slice(0, MAX_EVENTS)
    .map(({ event, at }) => ({
      at,
      isWarning: objectFieldText(event, 'type') === 'Warning',
      reason: visibleBrief(mask.text(objectFieldText(event, 'reason'))),
      message: visibleBrief(mask.text(objectFieldText(event, 'message', objectFieldText(event, 'note')))),
      count: Math.max(1, objectFieldNumber(event, 'count'), objectFieldNumber(event, 'series.count')),
    }));
}

const objectEventInstant = (event: KubeObject): number | undefined =>
  TIMES.map((path) => objectAgeInstant(objectField(event, path))).find((time) => time !== undefined);
