import type { ApiServer, FaultRule } from '@kube-informer/apiserver';

/** Faults under which the operators work. They end before the objects are compared. */
export interface FaultScript {
  readonly name: string;
  /** Faults that are set before the operator starts. */
  readonly faults?: readonly FaultRule[];
  /** Called in the middle of the user's changes. */
  readonly midway?: (server: ApiServer) => unknown;
}

const WRITES = ['create', 'update', 'patch', 'delete'];
const CHILDREN = { resource: 'configmaps' };
const PRIMARY = { resource: 'sites' };

const failing = (name: string, match: FaultRule['match'], status: number, times: number): FaultScript => ({
  name,
  faults: [{ match: match ?? {}, do: { status }, times }],
});

/** The request is carried out, and its answer does not arrive. */
const lost = (name: string, match: FaultRule['match'], times: number): FaultScript => ({
  name,
  faults: [{ match: match ?? {}, at: 'head', do: { cut: 'rst' }, times }],
});

/** Random faults end after some: a run of controller-runtime repeats all its writes, and under endless faults none gets through. */
export const faultScripts: readonly FaultScript[] = [
  { name: 'no fault' },
  failing('applies of children fail with 503', { verb: 'patch', ...CHILDREN }, 503, 6),
  failing('applies of children fail with 500', { verb: 'patch', ...CHILDREN }, 500, 6),
  {
    name: 'applies of children are throttled for a second each',
    faults: [{ match: { verb: 'patch', ...CHILDREN }, do: { status: { code: 429, retryAfterSeconds: 1 } }, times: 4 }],
  },
  failing('writes of the finalizer conflict', { verb: 'patch', ...PRIMARY, subresource: '' }, 409, 5),
  failing('writes of the finalizer fail', { verb: 'patch', ...PRIMARY, subresource: '' }, 500, 5),
  failing('writes of the status fail', { verb: ['patch', 'update'], ...PRIMARY, subresource: 'status' }, 500, 6),
  failing('writes of the status conflict', { verb: ['patch', 'update'], ...PRIMARY, subresource: 'status' }, 409, 6),
  failing('deletes of children fail', { verb: 'delete', ...CHILDREN }, 503, 5),
  lost('answers to applies of children are lost', { verb: 'patch', ...CHILDREN }, 6),
  lost('answers to deletes are lost', { verb: 'delete', ...CHILDREN }, 4),
  lost('answers to writes of the finalizer are lost', { verb: 'patch', ...PRIMARY, subresource: '' }, 4),
  failing('first lists fail', { verb: ['list', 'watch'] }, 503, 4),
  {
    name: 'watches of children end with a reset at every second event',
    faults: [{ match: { verb: 'watch', ...CHILDREN }, at: { event: 2 }, do: { cut: 'rst' }, times: 6 }],
  },
  {
    name: 'watches of sites end with a reset at every event',
    faults: [{ match: { verb: 'watch', ...PRIMARY }, at: { event: 1 }, do: { cut: 'rst' }, times: 4 }],
  },
  {
    name: 'watches expire',
    faults: [{ match: { verb: 'watch' }, at: { event: 2 }, do: { error: 'expired' }, times: 4 }],
    midway: (server) => server.history.compact(),
  },
  {
    name: 'events of children arrive half a second late',
    faults: [{ match: { verb: 'watch', ...CHILDREN }, at: { event: [1, 3] }, do: { delay: { ms: 500 } }, times: 20 }],
  },
  {
    name: 'one write in four fails',
    faults: [{ match: { verb: WRITES }, do: { status: 500 }, probability: 0.25, times: 20 }],
  },
  {
    name: 'one answer to a write in ten is lost',
    faults: [{ match: { verb: WRITES }, at: 'head', do: { cut: 'rst' }, probability: 0.1, times: 20 }],
  },
  { name: 'the server restarts', midway: (server) => server.restart({ downMs: 300 }) },
  {
    name: 'the server restarts while writes fail',
    faults: [{ match: { verb: WRITES }, do: { status: 503 }, probability: 0.3, times: 12 }],
    midway: (server) => server.restart({ downMs: 500 }),
  },
];
