import { ratioOf } from '../measure/statistics.ts';
import { type Results, type Row, rowsOf } from './results.ts';

const GO = 'client-go protobuf';

/** The two sentences that matter, from the largest first sync of pods that was measured; empty if there is none. */
export function sentences(results: Results): string {
  const syncs = rowsOf(results, 'first-sync', { resource: 'pods', data: 'friendly', initial: 'default' });
  const objects = Math.max(0, ...syncs.map(({ case: one }) => Number(one['objects'])).filter((n) => n <= 10_000));
  const at = syncs.filter(({ case: one }) => one['objects'] === objects);
  const events = rowsOf(results, 'events', { read: 'key' });
  const packed = partsOf(at, events, 'kube-informer packed, Node 26');
  const plain = partsOf(at, events, 'kube-informer default, Node 26');
  if (packed === '' || plain === '') return '';
  return `Beside client-go's typed protobuf informer with ${objects.toLocaleString('en')} pods, in the same run: a packed cache takes ${packed}.
The default, plain objects, takes ${plain}.`;
}

function partsOf(syncs: readonly Row[], events: readonly Row[], name: string): string {
  const parts = [
    [ratio(syncs, name, 'heldBytes'), 'the memory'],
    [ratio(syncs, name, 'cpuMs'), 'the CPU of the first sync'],
    [ratio(events, name, 'cpuUsPerEvent'), 'the CPU of an event'],
  ].flatMap(([times, what]) => (times === undefined ? [] : [`${times} times ${what}`]));
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function ratio(rows: readonly Row[], name: string, figure: string): string | undefined {
  const values = (of: string) => rows.find(({ contestant }) => contestant === of)?.values[figure];
  const [ours, theirs] = [values(name), values(GO)];
  return ours === undefined || theirs === undefined ? undefined : ratioOf(ours, theirs).toFixed(2);
}
