import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSet, selectorOf } from '../data/workload.ts';
import { startContestant, type Work } from './work.ts';

/** Time after the sync in which a client may tidy up; what it then holds is settled. */
export const SETTLE_MS = 5_000;

/** The first sync of a number of objects: CPU, time, memory, the longest block of the event loop. */
export const firstSync: Work = {
  name: 'first-sync',
  cases: ({ sizes, objects, isQuick }) => [
    ...sizes.map((size) => ({ resource: 'pods', data: 'friendly', objects: size, initial: 'default' })),
    ...(isQuick ? [] : [{ resource: 'pods', data: 'friendly', objects, initial: 'list' }]),
    { resource: 'pods', data: 'randomised', objects, initial: 'default' },
    { resource: 'widgets', data: 'friendly', objects, initial: 'default' },
  ],
  // Clients that can only list are measured with `default`; `list` compares those that can do both.
  takes: ({ role, resources, initial }, one) =>
    (role === 'cache' || role === 'limit') &&
    resources.includes(one['resource'] as 'pods') &&
    (one['initial'] === 'default' || (initial.length > 1 && role === 'cache')),
  async measure({ rig }, contestant, one) {
    const { kubeconfig } = await rig.server();
    const objects = one['objects'] as number;
    await using started = await startContestant(contestant, kubeconfig, {
      resource: one['resource'] as 'pods',
      selector: selectorOf(one['data'] as DataSet, objects),
      ...(one['initial'] === 'list' ? { initial: 'list' } : {}),
    });
    const { sync, emptyBytes, contestant: running } = started;
    if (sync['objects'] !== objects && sync['objects'] !== -1)
      throw new Error(`${contestant.name} has ${sync['objects']} objects, not ${objects}`);
    const before = await running.ask({ do: 'tell' });
    await sleep(SETTLE_MS);
    const after = await running.ask({ do: 'tell' });
    const { heapBytes = 0, gcMs = 0 } = await running.ask({ do: 'gc' });
    return {
      ...sync,
      settledCpuMs: (sync['cpuMs'] as number) + (after.cpuUs - before.cpuUs) / 1_000,
      heldBytes: (heapBytes - emptyBytes) / objects,
      residentBytes: running.residentBytes,
      gcMs,
    };
  },
};
