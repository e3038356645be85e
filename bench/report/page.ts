import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeBounds } from './bounds.ts';
import { drawPictures } from './pictures.ts';
import type { Results, Row } from './results.ts';
import { table, type Column } from './table.ts';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));
const MB = 1e6;

/** Writes docs/performance.md and its pictures from results. */
export async function writePage(results: Results): Promise<void> {
  await mkdir(join(docs, 'performance'), { recursive: true });
  const pictures = drawPictures(results);
  for (const [name, svg] of pictures) await writeFile(join(docs, 'performance', `${name}.svg`), svg);
  const parts = [INTRODUCTION, targets(results), ...SECTIONS.map((section) => section(results, pictures))].filter(
    (part) => part !== '',
  );
  await writeFile(join(docs, 'performance.md'), `${parts.join('\n\n')}\n`);
}

const INTRODUCTION = `# Performance

What kube-informer costs beside client-go (Go), kube-rs (Rust), fabric8 (Java) and client-node (Node), measured by \`npm run bench:peers\`
([how](../bench/README.md)). Each contestant runs in a process of its own, they take turns within a round, and every figure is the median of the rounds with
the range behind it. CPU is user and system time of the contestant's process. Compare figures of one table, not of two: the machine is shared, and each table
says when it was measured. The figures of all rounds are in [results.json](performance/results.json). This page is generated.`;

function targets(results: Results): string {
  const rows = judgeBounds(results).map(({ bound, contestant, value, isMet, isBroken }) => {
    const held = bound.bound === undefined ? '–' : `${bound.bound}${isBroken ? ' **broken**' : ''}`;
    return `| ${bound.id} | ${bound.what} | ${value.toFixed(2)} | ${bound.target} | ${isMet ? 'met' : 'not met'} | ${held} | ${contestant} |`;
  });
  if (rows.length === 0) return '';
  return `## Targets

Ratios are medians of the ratios within each round. \`npm run bench:peers -- --quick\` fails when memory is above its bound, or CPU above three times its bound.

| id | what | measured | target | | bound | contestant |
|---|---|---|---|---|---|---|
${rows.join('\n')}`;
}

type Section = (results: Results, pictures: ReadonlyMap<string, string>) => string;

const SECTIONS: readonly Section[] = [
  (results, pictures) =>
    section(
      results,
      'first-sync',
      'First sync',
      pictures,
      ['sync-cpu', 'sync-memory', 'sync-peak'],
      [
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
      'CPU and time from the command to start until the cache and its handler have every object. "With what follows" adds the 1.5 s after it. Held: live heap and buffers after a full collection, less those of the empty process; for Rust what the allocator has handed out. A contestant that can stream its initial list does; `list`: those that can do both, with LIST.',
    ),
  (results, pictures) =>
    section(
      results,
      'events',
      'Events at full speed',
      pictures,
      ['events'],
      [
        ['CPU µs/event', 'cpuUsPerEvent', 1],
        ['events/s', 'eventsPerSecond', 1],
      ],
      'Recorded pods of the real server, replayed over plain HTTP as fast as the contestant reads. `key`: the handler takes the key; `phase`: it reads `status.phase`. Every event is delivered.',
    ),
  (results, pictures) =>
    section(
      results,
      'latency',
      'From write to handler',
      pictures,
      ['latency'],
      [
        ['p50 ms', 'p50Ms', 1],
        ['p99 ms', 'p99Ms', 1],
        ['reached/s', 'reachedPerSecond', 1],
        ['CPU µs/event', 'cpuUsPerEvent', 1],
      ],
      'Patches on the real server; the time includes the write itself. The writer, kube-apiserver, etcd and the contestant share the machine: "reached" is the rate the writer got.',
    ),
  (results, pictures) =>
    section(
      results,
      'relist',
      'Relist after 410',
      pictures,
      [],
      [
        ['CPU ms', 'cpuMs', 1],
        ['peak / steady RSS', 'peakOverSteady', 1],
        ['notifications', 'notifications', 1],
      ],
      'The watch ends with 410 Gone, and nothing has changed: a handler should be told nothing.',
    ),
  (results, pictures) =>
    section(
      results,
      'informers',
      'Informers, handlers, idle',
      pictures,
      [],
      [
        ['CPU ms', 'cpuMs', 1],
        ['held MB', 'heldBytes', MB],
        ['idle CPU ms/s', 'idleMsPerSecond', 1],
      ],
      'One informer for all namespaces, or one for each of 10 or 50 namespaces (which hold a part of the objects).',
    ),
  (results, pictures) =>
    section(
      results,
      'reads',
      'Reads',
      pictures,
      [],
      [
        ['get µs', 'getUs', 1],
        ['namespace µs', 'namespaceUs', 1],
        ['index µs', 'indexUs', 1],
        ['labels µs', 'labelsUs', 1],
        ['scan µs', 'scanUs', 1],
        ['first scan µs', 'scan1Us', 1],
      ],
      'One call each: by key, all of a namespace (1/50 of the objects), by the node (1/100), by a label (1/200), and a scan of all that reads `status.phase`. kube-rs and client-node have no indexes: the same question walks over all objects.',
    ),
  (results, pictures) =>
    section(
      results,
      'churn',
      'Churn',
      pictures,
      [],
      [
        ['held MB', 'heldBytes', MB],
        ['held / after first sync', 'heldOverFirst', 1],
        ['RSS MB', 'residentBytes', MB],
        ['full GC ms', 'gcMs', 1],
      ],
      'Updates of the same objects at full speed; what is held in the end.',
    ),
  (results, pictures) =>
    section(
      results,
      'weight',
      'Weight',
      pictures,
      [],
      [
        ['import ms of CPU', 'importMs', 1],
        ['installed MB', 'installBytes', MB],
        ['browser bundle KB, gzip', 'bundleBytes', 1_000],
      ],
      'Node 26. client-node has no form for browsers.',
    ),
];

function section(
  results: Results,
  work: string,
  title: string,
  pictures: ReadonlyMap<string, string>,
  wanted: readonly string[],
  columns: readonly Column[],
  text: string,
): string {
  const measured = results.works[work];
  if (measured === undefined) return '';
  const images = wanted
    .filter((name) => pictures.has(name))
    .map((name) => `![${title}: ${name}](performance/${name}.svg)`);
  const cases = grouped(measured.rows);
  const tables = [...cases].map(([name, rows]) => `${name === '' ? '' : `**${name}**\n\n`}${table(rows, columns)}`);
  const how = `Measured ${measured.at.replace('T', ' ')} UTC, ${measured.rounds} rounds, ${measured.machine}; ${measured.server}.`;
  return [`## ${title}`, text, ...images, how, ...tables].join('\n\n');
}

function grouped(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(caseText(row), [...(groups.get(caseText(row)) ?? []), row]);
  return groups;
}

const caseText = ({ case: one }: Row): string =>
  Object.entries(one)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en') : value}`)
    .join(', ');
