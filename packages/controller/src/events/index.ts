/** Events about objects, as `kubectl describe` shows them: `new EventRecorder({ events, controller })`. */
export type { EventNote } from './event-object.ts';
export { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
export type { EventClient } from './event-writer.ts';
