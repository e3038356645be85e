/** A web page that shows what the informers of a process hold and do. */
export { readOverview } from './read-overview.ts';
export type { Fault } from './server/fault-panel.ts';
export type { HistoryOptions } from './history/history.ts';
export { type Inspector, type InspectorOptions, startInspector } from './inspector.ts';
export type { CacheState, CacheSummary, Overview, Restart, Problem } from './protocol/messages.ts';
