import type { KubeObject } from 'kube-informer';
import { expect, test } from 'vitest';
import { NAMESPACE } from '../../src/columns/column.ts';
import { COLUMNS_BY_RESOURCE } from '../../src/columns/kubectl-columns.ts';
import { plainStyle } from '../../src/text/style.ts';
import { tableLineWidths, fittedTableLines } from '../../src/text/table-lines.ts';
import { liveTableCells } from '../../src/watch/live-table.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');

function screen(resource: string, objects: readonly object[], width: number): readonly string[] {
  const columns = [NAMESPACE, ...(COLUMNS_BY_RESOURCE.get(resource) ?? [])];
  const rows = objects.map((object) => liveTableCells({ key: '', object: object as KubeObject, mark: undefined }, columns, NOW)); // prettier-ignore
  return fittedTableLines(columns, tableLineWidths(columns, rows), rows, width, plainStyle);
}

const pod = (key: string, waiting: string | undefined, restartCount: number, minutes: number): object => {
  const [namespace, name] = key.split('/');
  const finishedAt = new Date(NOW - 5_000).toISOString();
  const state = waiting === undefined ? { running: {} } : { waiting: { reason: waiting } };
  const lastState = restartCount === 0 ? {} : { terminated: { finishedAt } };
  return {
    metadata: { namespace, name, creationTimestamp: new Date(NOW - minutes * 60_000).toISOString() },
    spec: { nodeName: 'node-amsterdam-1', containers: [{ name: 'main' }] },
    status: {
      phase: 'Running',
      podIP: '10.244.1.12',
      containerStatuses: [{ name: 'main', ready: waiting === undefined, restartCount, state, lastState }],
    },
  };
};

const PODS = [
  pod('shop/cart-2cmm4nw5w-s24ch', 'CrashLoopBackOff', 3, 9),
  pod('monitoring/prometheus-6b5fd9cbd8-x2k4p', undefined, 0, 50),
];

const event = (name: string, reason: string, message: string): object => ({
  metadata: { namespace: 'shop', name: 'e' },
  involvedObject: { kind: 'Pod', name },
  type: 'Normal',
  reason,
  message,
  lastTimestamp: new Date(NOW - 12_000).toISOString(),
});

const EVENTS = [
  event('cart-2cmm4nw5w-s24ch', 'Scheduled', 'Successfully assigned shop/cart-2cmm4nw5w-s24ch to node-1'),
  event('web-fpsk6wzz9-x2k4p', 'BackOff', 'Back-off restarting failed container in pod web'),
];

test.each([
  [
    120,
    [
      ' NAMESPACE    NAME                          READY   STATUS             RESTARTS     AGE   IP            NODE',
      ' shop         cart-2cmm4nw5w-s24ch          0/1     CrashLoopBackOff   3 (5s ago)   9m    10.244.1.12   node-amsterdam-1',
      ' monitoring   prometheus-6b5fd9cbd8-x2k4p   1/1     Running            0            50m   10.244.1.12   node-amsterdam-1',
    ],
  ],
  [
    80,
    [
      ' NAMESPACE    NAME                          READY   STATUS             RESTARTS',
      ' shop         cart-2cmm4nw5w-s24ch          0/1     CrashLoopBackOff   3 (5s ag…',
      ' monitoring   prometheus-6b5fd9cbd8-x2k4p   1/1     Running            0',
    ],
  ],
  [
    60,
    [
      ' NAMESPACE    NAME                          STATUS',
      ' shop         cart-2cmm4nw5w-s24ch          CrashLoopBackOff',
      ' monitoring   prometheus-6b5fd9cbd8-x2k4p   Running',
    ],
  ],
  [
    40,
    [
      ' NAME                          STATUS',
      ' cart-2cmm4nw5w-s24ch          CrashLoo…',
      ' prometheus-6b5fd9cbd8-x2k4p   Running',
    ],
  ],
] as const)(
  'pods of all namespaces in %d columns: names are complete, less important columns are dropped',
  (width, lines) => expect(screen('/pods', PODS, width)).toEqual(lines),
);

test.each([
  [
    120,
    [
      ' NAMESPACE   LAST SEEN   TYPE     REASON      OBJECT                     MESSAGE',
      ' shop        12s         Normal   Scheduled   pod/cart-2cmm4nw5w-s24ch   Successfully assigned shop/cart-2cmm4nw5w-s24c…',
      ' shop        12s         Normal   BackOff     pod/web-fpsk6wzz9-x2k4p    Back-off restarting failed container in pod web',
    ],
  ],
  [
    80,
    [
      ' NAMESPACE   REASON      OBJECT                     MESSAGE',
      ' shop        Scheduled   pod/cart-2cmm4nw5w-s24ch   Successfully assigned shop/…',
      ' shop        BackOff     pod/web-fpsk6wzz9-x2k4p    Back-off restarting failed …',
    ],
  ],
  [
    60,
    [
      ' REASON      OBJECT                     MESSAGE',
      ' Scheduled   pod/cart-2cmm4nw5w-s24ch   Successfully assign…',
      ' BackOff     pod/web-fpsk6wzz9-x2k4p    Back-off restarting…',
    ],
  ],
  [
    40,
    [
      ' OBJECT                     MESSAGE',
      ' pod/cart-2cmm4nw5w-s24ch   Successfull…',
      ' pod/web-fpsk6wzz9-x2k4p    Back-off re…',
    ],
  ],
] as const)('events of all namespaces in %d columns: the message stays readable', (width, lines) =>
  expect(screen('/events', EVENTS, width)).toEqual(lines),
);
