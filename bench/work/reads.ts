import type { Read } from '../contestants/node/protocol.ts';
import { appOf, nameOf, namespaceOf, nodeOf, selectorOf } from '../data/workload.ts';
import { type Figures, isCache, startContestant, type Work } from './work.ts';

/** Each read, with an argument that finds something, and how often it is repeated. */
const READS: readonly (readonly [Read, string, number])[] = [
  ['get', `${namespaceOf(7)}/${nameOf('friendly', 7)}`, 10_000],
  ['namespace', namespaceOf(7), 200],
  ['index', nodeOf(7), 200],
  ['labels', appOf(7), 50],
  ['scan', '', 20],
];

/** Reads from the cache: microseconds of CPU a call, after some calls to warm up. `scan1` is the first scan of all. */
export const reads: Work = {
  name: 'reads',
  cases: ({ readSizes }) => readSizes.map((objects) => ({ objects })),
  takes: isCache,
  async measure({ rig }, contestant, one) {
    const { kubeconfig } = await rig.server();
    const selector = selectorOf('friendly', one['objects'] as number);
    await using started = await startContestant(contestant, kubeconfig, { selector });
    const { contestant: running } = started;
    const us = async (what: Read, argument: string, times: number): Promise<number> => {
      const before = await running.ask({ do: 'tell' });
      const { found = 0, cpuUs } = await running.ask({ do: 'read', what, argument, times });
      if (found === 0) throw new Error(`${contestant.name} found nothing by ${what} ${argument}`);
      return (cpuUs - before.cpuUs) / times;
    };
    const figures: Record<string, number> = { scan1Us: await us('scan', '', 1) };
    for (const [what, argument, times] of READS) {
      await us(what, argument, Math.ceil(times / 5));
      figures[`${what}Us`] = await us(what, argument, times);
    }
    return figures satisfies Figures;
  },
};
