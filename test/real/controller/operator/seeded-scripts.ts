import type { ApiServer, FaultRule } from '@kube-informer/apiserver';
import { seededRandom } from 'kube-informer/testing';
import type { FaultScript } from './scripts.ts';

interface Piece {
  readonly words: string;
  readonly fault: FaultRule;
}

interface Interruption {
  readonly words: string;
  readonly play: (server: ApiServer) => unknown;
}

type Random = () => number;

const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
const between = (random: Random, min: number, max: number): number => min + Math.floor(random() * (max - min + 1));

const RESOURCES = ['sites', 'configmaps'] as const;
/** What an operator writes: children, finalizers, the status. */
const WRITES = [
  { words: 'applies of children', match: { verb: 'patch', resource: 'configmaps' } },
  { words: 'deletes of children', match: { verb: 'delete', resource: 'configmaps' } },
  { words: 'writes of the finalizer', match: { verb: 'patch', resource: 'sites', subresource: '' } },
  { words: 'writes of the status', match: { verb: ['patch', 'update'], resource: 'sites', subresource: 'status' } },
] as const satisfies readonly { readonly words: string; readonly match: FaultRule['match'] }[];

const PIECES: readonly ((random: Random) => Piece)[] = [
  (random) => {
    const { words, match } = pick(random, WRITES);
    const [status, times] = [pick(random, [409, 500, 503]), between(random, 1, 6)];
    return { words: `${times} ${words} fail with ${status}`, fault: { match, do: { status }, times } };
  },
  (random) => {
    const { words, match } = pick(random, WRITES);
    const times = between(random, 1, 2);
    const fault = { match, do: { status: { code: 429, retryAfterSeconds: 1 } }, times };
    return { words: `${times} ${words} are throttled`, fault };
  },
  (random) => {
    const { words, match } = pick(random, WRITES);
    const times = between(random, 1, 5);
    return { words: `answers to ${times} ${words} are lost`, fault: { match, at: 'head', do: { cut: 'rst' }, times } };
  },
  (random) => {
    const [resource, event, times] = [pick(random, RESOURCES), between(random, 1, 4), between(random, 1, 4)];
    const fault: FaultRule = { match: { verb: 'watch', resource }, at: { event }, do: { cut: 'rst' }, times };
    return { words: `${times} watches of ${resource} are cut at event ${event}`, fault };
  },
  (random) => {
    const [resource, event, times] = [pick(random, RESOURCES), between(random, 1, 4), between(random, 1, 2)];
    const fault: FaultRule = { match: { verb: 'watch', resource }, at: { event }, do: { error: 'expired' }, times };
    return { words: `${times} watches of ${resource} expire at event ${event}`, fault };
  },
  (random) => {
    const [resource, ms] = [pick(random, RESOURCES), between(random, 100, 800)];
    const fault: FaultRule = { match: { verb: 'watch', resource }, at: { event: [1, 3] }, do: { delay: { ms } }, times: 10 };
    return { words: `events of ${resource} are ${ms} ms late`, fault };
  },
  (random) => {
    const [resource, times] = [pick(random, RESOURCES), between(random, 1, 3)];
    const fault: FaultRule = { match: { verb: ['list', 'watch'], resource }, do: { status: 503 }, times };
    return { words: `${times} lists and watches of ${resource} fail`, fault };
  },
  (random) => {
    const [probability, times] = [pick(random, [0.1, 0.2, 0.4]), between(random, 4, 12)];
    const fault = { match: { verb: ['create', 'update', 'patch', 'delete'] }, do: { status: 503 }, probability, times };
    return { words: `up to ${times} writes fail with probability ${probability}`, fault };
  },
]; // prettier-ignore

const INTERRUPTIONS: readonly Interruption[] = [
  { words: 'all watches are cut', play: (server) => server.faults.cutWatches() },
  { words: 'the history is compacted', play: (server) => server.history.compact() },
  { words: 'the server restarts', play: (server) => server.restart({ downMs: 200 }) },
];

/** A script of one to three faults, half of them with an interruption midway. The same seed makes the same script. */
export function seededScript(seed: number): FaultScript {
  const random = seededRandom(seed);
  const pieces = Array.from({ length: between(random, 1, 3) }, () => pick(random, PIECES)(random));
  const interruption = random() < 0.5 ? pick(random, INTERRUPTIONS) : undefined;
  const words = [...pieces, ...(interruption === undefined ? [] : [interruption])].map((one) => one.words);
  return {
    name: `seed ${seed}: ${words.join('; ')}`,
    faults: pieces.map(({ fault }) => fault),
    ...(interruption === undefined ? {} : { midway: interruption.play }),
  };
}
