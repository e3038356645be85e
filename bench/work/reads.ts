import type { Read } from '../contestants/node/protocol.ts';
import { appOf, nameOf, namespaceOf, nodeOf, selectorOf } from '../data/workload.ts';
import { type Figures, isOurs, startContestant, type Work } from './work.ts';

/** Each read, with an argument that finds something, and how often it is repeated. */
const READS: readonly (readonly [Read, string, number])[] = [
  ['get', `${namespaceOf(7)}/${nameOf('friendly', 7)}`, 10_000],
  ['namespace', namespaceOf(7), 200],
  ['index', nodeOf(7), 200],
  ['labels', appOf(7), 50],
  ['scan', '', 20],
];

/** Reads from the cache: microseconds a call, after some calls to warm up. `scan1` is the first scan of all. */
export const reads: Work = {
  name: 'reads',
  cases: ({ sizes }) => sizes.map((objects) => ({ objects })),
  takes: isOurs,
  async measure({ kubeconfig }, contestant, one) {
    const selector = selectorOf('friendly', one['objects'] as number);
    await using started = await startContestant(contestant, kubeconfig, { selector });
    const { contestant: running } = started;
    const us = async (what: Read, argument: string, times: number): Promise<number> => {
      const { found = 0, ns = 0 } = await running.ask({ do: 'read', what, argument, times });
      if (found === 0) throw new Error(`${contestant.name} found nothing by ${what} ${argument}`);
      return ns / times / 1_000;
    };
    const figures: Record<string, number> = { scan1Us: await us('scan', '', 1) };
    for (const [what, argument, times] of READS) {
      await us(what, argument, Math.ceil(times / 5));
      figures[`${what}Us`] = await us(what, argument, times);
    }
    return figures satisfies Figures;
  },
};
