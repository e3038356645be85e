/** A web page that shows what the informers of a process hold and do. */
export { readKey, readOverview } from './read-inspector.ts';
export type {
  InspectedCause,
  InspectedController,
  InspectedKey,
  InspectedOperator,
  InspectedReport,
  InspectedRun,
  InspectedWrite,
} from './operators/inspected-operator.ts';
export type { KeyDetail, RunDetail, WriteRow } from './protocol/controller-messages.ts';
export type { Fault } from './server/fault-panel.ts';
export type { HistoryOptions } from './history/inspector-history.ts';
export {
  type Inspector,
  type InspectorOptions,
  type MountedInspector,
  mountInspector,
  type MountOptions,
  startInspector,
} from './inspector.ts';
export type { CacheState, CacheSummary, Overview, Restart, Problem, Tone } from './protocol/messages.ts';
