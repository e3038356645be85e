import { describe, expect, test } from 'vitest';
import { type InformerEvent, deliverToHandlers } from '../../src/informer/handlers/handlers.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { type Pod, pod } from '../informer/rig/informer-rig.ts';

function rig(...events: InformerEvent<Pod>[]): HandlerRecorder<Pod> {
  const recorder = new HandlerRecorder<Pod>();
  for (const event of events) void deliverToHandlers(recorder, event);
  return recorder;
}

const at = (version: string): Pod => pod('web/a', {}, { resourceVersion: version });
const add = (version: string, initial = false): InformerEvent<Pod> => ({
  type: 'add',
  key: 'web/a',
  object: at(version),
  initial,
});
const update = (from: string, to: string, more: { replaced?: boolean; resync?: boolean } = {}): InformerEvent<Pod> => ({
  type: 'update',
  key: 'web/a',
  old: at(from),
  object: at(to),
  replaced: false,
  resync: false,
  ...more,
});
const gone = (finalStateUnknown = false): InformerEvent<Pod> => ({
  type: 'delete',
  key: 'web/a',
  object: at('9'),
  finalStateUnknown,
});

describe('HandlerRecorder', () => {
  test('OTH-04: it records events as lines that are easy to compare, and the objects that must exist now', () => {
    const recorder = rig(
      add('1', true),
      update('1', '2'),
      update('2', '2', { resync: true }),
      update('2', '3', { replaced: true }),
      gone(),
      add('4'),
      gone(true),
    );
    expect(recorder.lines).toEqual([
      'add web/a@1 initial',
      'update web/a@1→2',
      'update web/a@2→2 resync',
      'update web/a@2→3 replaced',
      'delete web/a',
      'add web/a@4',
      'delete web/a unknown',
    ]);
    expect([recorder.violations, recorder.view.size]).toEqual([[], 0]);
    recorder.clear();
    expect(recorder.events).toEqual([]);
  });

  test.each<[string, InformerEvent<Pod>[], string]>([
    ['an add of a known object', [add('1'), add('2')], 'add of web/a, which exists'],
    ['an update of an unknown object', [update('1', '2')], 'update of web/a, which does not exist'],
    ['a delete of an unknown object', [gone()], 'delete of web/a, which does not exist'],
    [
      'an update from another state than the last one',
      [add('1'), update('2', '3')],
      'update of web/a: old is 2, expected 1',
    ],
  ])('OTH-04, H1, H2: it complains about %s', (_, events, violation) => {
    expect(rig(...events).violations).toEqual([violation]);
  });

  test('OTH-04: after an overflow it knows nothing, so the adds that follow are legal', () => {
    const recorder = rig(add('1'));
    recorder.overflow();
    void deliverToHandlers(recorder, add('2', true));
    expect([recorder.overflows, recorder.violations, recorder.view.get('web/a')]).toEqual([1, [], at('2')]);
  });
});
