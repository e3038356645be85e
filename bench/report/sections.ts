import { SETTLE_MS } from '../work/first-sync.ts';
import type { Column } from './table.ts';

/** What the page shows of one work. */
export interface Section {
  readonly work: string;
  readonly title: string;
  readonly text: string;
  /** Names of pictures. */
  readonly pictures: readonly string[];
  readonly columns: readonly Column[];
}

const MB = 1e6;

/** In the order of the page. */
export const SECTIONS: readonly Section[] = [
  {
    work: 'first-sync',
    title: 'First sync',
    text: `CPU and time from the command to start until the cache and its handler have every object. "With what follows" adds the ${SETTLE_MS / 1_000} s after it, in which a packed cache is compressed. Held: live heap and buffers after a full collection, less those of the empty process; for Rust what the allocator has handed out. A contestant that can stream its initial list does; \`initial list\` compares those that can do both, with LIST. A limit reads the bytes of the list, and parses them or not: no client in Node can cost less in that encoding.`,
    pictures: ['sync-cpu', 'sync-memory', 'sync-peak'],
    columns: [
      ['CPU ms', 'cpuMs', 1],
      ['with what follows', 'settledCpuMs', 1],
      ['wall ms', 'wallMs', 1],
      ['held B/object', 'heldBytes', 1],
      ['peak RSS MB', 'peakBytes', MB],
      ['settled RSS MB', 'residentBytes', MB],
      ['longest block ms', 'blockMs', 1],
      ['longest GC ms', 'longestGcMs', 1],
      ['full GC ms', 'gcMs', 1],
    ],
  },
  {
    work: 'events',
    title: 'Events at full speed',
    text: 'Recorded pods of the real server, replayed over plain HTTP as fast as the contestant reads. `key`: the handler takes the key; `phase`: it reads `status.phase`. Every event is delivered.',
    pictures: ['events'],
    columns: [
      ['CPU µs/event', 'cpuUsPerEvent', 1],
      ['events/s', 'eventsPerSecond', 1],
    ],
  },
  {
    work: 'latency',
    title: 'From server to handler',
    text: 'Recorded pods of the real server, of which some change every second, replayed over plain HTTP. From the moment the server makes an event to the call of the handler.',
    pictures: ['latency'],
    columns: [
      ['p50 ms', 'p50Ms', 1],
      ['p99 ms', 'p99Ms', 1],
      ['CPU µs/event', 'cpuUsPerEvent', 1],
    ],
  },
  {
    work: 'relist',
    title: 'Relist after 410',
    text: 'The watch ends with 410 Gone, and nothing has changed: a handler should get nothing.',
    pictures: [],
    columns: [
      ['CPU ms', 'cpuMs', 1],
      ['peak / steady RSS', 'peakOverSteady', 1],
      ['notifications', 'notifications', 1],
    ],
  },
  {
    work: 'informers',
    title: 'Informers, handlers, idle',
    text: 'One informer for all namespaces, or one for each of 10 or 50 namespaces (which hold a part of the objects).',
    pictures: [],
    columns: [
      ['CPU ms', 'cpuMs', 1],
      ['held MB', 'heldBytes', MB],
      ['idle CPU ms/s', 'idleMsPerSecond', 1],
    ],
  },
  {
    work: 'reads',
    title: 'Reads',
    text: 'CPU of one call: by key, all of a namespace (1/50 of the objects), by the node (1/100), by a label (1/200), and a scan of all that reads `status.phase`. kube-rs and client-node have no indexes: the same question walks over all objects.',
    pictures: [],
    columns: [
      ['get µs', 'getUs', 1],
      ['namespace µs', 'namespaceUs', 1],
      ['index µs', 'indexUs', 1],
      ['labels µs', 'labelsUs', 1],
      ['scan µs', 'scanUs', 1],
      ['first scan µs', 'scan1Us', 1],
    ],
  },
  {
    work: 'churn',
    title: 'Churn',
    text: 'Updates of the same objects at full speed; what is held in the end.',
    pictures: [],
    columns: [
      ['held MB', 'heldBytes', MB],
      ['held / after first sync', 'heldOverFirst', 1],
      ['RSS MB', 'residentBytes', MB],
      ['full GC ms', 'gcMs', 1],
    ],
  },
  {
    work: 'queue',
    title: 'The queue of a controller',
    text: 'Keys are added, taken and done, with Prometheus metrics. Bytes a key holds while it is ready, and while it waits for its time; the text of the key is not counted.',
    pictures: [],
    columns: [
      ['CPU µs/key', 'queueUs', 1],
      ['bytes ready', 'readyBytes', 1],
      ['bytes delayed', 'delayedBytes', 1],
    ],
  },
  {
    work: 'reconcile',
    title: 'A controller that starts',
    text: 'Custom objects; a run does nothing. From the start to the last run, caches included.',
    pictures: ['reconcile'],
    columns: [
      ['CPU ms', 'cpuMs', 1],
      ['wall ms', 'wallMs', 1],
      ['runs', 'runs', 1],
      ['RSS MB', 'residentBytes', MB],
    ],
  },
  {
    work: 'apply',
    title: 'A controller that applies a child for each object',
    text: 'Server-side apply of one config map for each custom object, 16 at a time; children are watched. Then the process is started again, with all children there. Requests are those that kube-apiserver has counted.',
    pictures: [],
    columns: [
      ['CPU ms', 'cpuMs', 1],
      ['wall ms', 'wallMs', 1],
      ['runs', 'runs', 1],
      ['requests', 'requests', 1],
      ['again: CPU ms', 'againCpuMs', 1],
      ['again: runs', 'againRuns', 1],
      ['again: requests', 'againRequests', 1],
    ],
  },
  {
    work: 'wake',
    title: 'From event handler to run',
    text: 'An idle controller; 50 changes a second at most.',
    pictures: [],
    columns: [
      ['p50 ms', 'p50Ms', 1],
      ['p99 ms', 'p99Ms', 1],
    ],
  },
  {
    work: 'takeover',
    title: 'A warm standby takes over',
    text: 'Two processes; the leader stops and gives its lease back. From the moment the other one has the lease to its first run. controller-runtime with `EnableWarmup`.',
    pictures: [],
    columns: [
      ['wall ms', 'firstRunMs', 1],
      ['CPU ms', 'firstRunCpuMs', 1],
    ],
  },
  {
    work: 'weight',
    title: 'Weight',
    text: 'Node 26. client-node has no form for browsers.',
    pictures: [],
    columns: [
      ['import ms of CPU', 'importMs', 1],
      ['installed MB', 'installBytes', MB],
      ['browser bundle KB, gzip', 'bundleBytes', 1_000],
    ],
  },
];
