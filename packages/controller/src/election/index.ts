/** Leader election with a Lease, next to client-go's electors: `new LeaderElector({ leases, name }).run(lead, signal)`. */
export { type CaughtUpOptions, untilCaughtUp } from './caught-up.ts';
export type { ElectionHealth, ElectionProblem, ElectionState } from './election-state.ts';
export { type Lead, LeaderElector, type Term } from './elector.ts';
export type { LeaderElectorOptions } from './elector-options.ts';
export type { Fence } from './lease-fence.ts';
export type { LeaseClient } from './lease-lock.ts';
export type { WrittenVersions } from './written-versions.ts';
