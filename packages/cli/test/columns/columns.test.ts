import type { KubeObject } from 'kube-informer';
import fc from 'fast-check';
import { systemEnv } from 'kube-informer/core';
import { expect, test } from 'vitest';
import { objectAgeText } from '@kube-informer/inspector/internal';
import { customResourceColumns } from '../../src/columns/resource-columns.ts';
import { compileColumnJsonPath } from '../../src/columns/column-json-path.ts';
import { compileColumnTemplate } from '../../src/columns/column-template.ts';
import { LABELS, NAMESPACE } from '../../src/columns/column.ts';
import { orderByColumn } from '../../src/columns/column-order.ts';
import { escapeText } from '../../src/text/escape.ts';
import { COLUMNS_BY_RESOURCE } from '../../src/columns/kubectl-columns.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const created = { creationTimestamp: '2026-01-01T23:55:00Z' };

function cells(resource: string, object: object): string[] {
  const columns = COLUMNS_BY_RESOURCE.get(resource) ?? [];
  return columns.map(({ cell }) => cell({ metadata: { name: 'x', ...created }, ...object } as KubeObject, NOW));
}

const pod = (status: object, more: object = {}): object => ({
  spec: { containers: [{ name: 'a' }, { name: 'b' }], nodeName: 'node-1' },
  status: { phase: 'Running', ...status },
  ...more,
});
const up = (name: string): object => ({ name, ready: true, restartCount: 0, state: { running: {} } });

test.each([
  ['runs', pod({ containerStatuses: [up('a'), up('b')], podIP: '10.0.0.1' }), ['x', '2/2', 'Running', '0', '5m', '10.0.0.1', 'node-1']],
  ['waits for a node', pod({ phase: 'Pending' }), ['x', '0/2', 'Pending', '0', '5m', '<none>', 'node-1']],
  [
    'crashes',
    pod({ containerStatuses: [up('a'), { name: 'b', restartCount: 4, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { finishedAt: '2026-01-01T23:59:30Z' } } }] }),
    ['x', '1/2', 'CrashLoopBackOff', '4 (30s ago)', '5m', '<none>', 'node-1'],
  ],
  ['was evicted', pod({ phase: 'Failed', reason: 'Evicted' }), ['x', '0/2', 'Evicted', '0', '5m', '<none>', 'node-1']],
  ['is being deleted', pod({ containerStatuses: [up('a'), up('b')] }, { metadata: { name: 'x', ...created, deletionTimestamp: 'now' } }), ['x', '2/2', 'Terminating', '0', '5m', '<none>', 'node-1']],
  ['ended with a signal', pod({ containerStatuses: [{ name: 'a', restartCount: 0, state: { terminated: { exitCode: 137, signal: 9 } } }] }), ['x', '0/2', 'Signal:9', '0', '5m', '<none>', 'node-1']],
  ['is done', pod({ phase: 'Succeeded', containerStatuses: [{ name: 'a', state: { terminated: { exitCode: 0, reason: 'Completed' } } }] }), ['x', '0/2', 'Completed', '0', '5m', '<none>', 'node-1']],
])('a pod that %s', (_, object, expected) => expect(cells('/pods', object)).toEqual(expected)); // prettier-ignore

test('init containers run before the others, sidecars run beside them', () => {
  const spec = { initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }], containers: [{ name: 'a' }] };
  const waiting = { phase: 'Pending', initContainerStatuses: [{ name: 'i', state: { running: {} } }] };
  expect(cells('/pods', { spec, status: waiting }).slice(1, 3)).toEqual(['0/2', 'Init:0/2']);
  const failed = {
    phase: 'Pending',
    initContainerStatuses: [{ name: 'i', state: { terminated: { exitCode: 1, reason: 'Error' } } }],
  };
  expect(cells('/pods', { spec, status: failed })[2]).toBe('Init:Error');
  const done = { name: 'i', state: { terminated: { exitCode: 0 } } };
  const beside = { ...up('s'), started: true };
  const running = { phase: 'Running', initContainerStatuses: [done, beside], containerStatuses: [up('a')] };
  expect(cells('/pods', { spec, status: running }).slice(1, 3)).toEqual(['2/2', 'Running']);
});

test.each([
  ['apps/deployments', { spec: { replicas: 3, template: { spec: { containers: [{ image: 'web:1' }] } } }, status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 2 } }, ['x', '2/3', '3', '2', '5m', 'web:1']],
  ['/nodes', { metadata: { name: 'n', ...created, labels: { 'node-role.kubernetes.io/control-plane': '' } }, spec: { unschedulable: true }, status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1' } } }, ['n', 'Ready,SchedulingDisabled', 'control-plane', '5m', 'v1']],
  ['/services', { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1', ports: [{ port: 80, nodePort: 30080, protocol: 'TCP' }] } }, ['x', 'LoadBalancer', '10.0.0.1', '<pending>', '80:30080/TCP', '5m']],
  ['batch/jobs', { spec: { completions: 2 }, status: { succeeded: 1, startTime: '2026-01-01T23:59:00Z' } }, ['x', 'Running', '1/2', '60s', '5m']],
  ['/events', { type: 'Warning', reason: 'BackOff', involvedObject: { kind: 'Pod', name: 'p' }, message: ' again ', lastTimestamp: '2026-01-01T23:59:58Z' }, ['2s', 'Warning', 'BackOff', 'pod/p', 'again']],
  ['/secrets', { type: 'Opaque', data: { a: 'eA==' } }, ['x', 'Opaque', '1', '5m']],
])('%s have kubectl\'s columns', (resource, object, expected) => {
  expect(cells(resource, object)).toEqual(expected);
}); // prettier-ignore

test('an empty or malformed object gives cells and no error', () => {
  for (const resource of COLUMNS_BY_RESOURCE.keys()) {
    expect(cells(resource, {}).every((cell) => typeof cell === 'string')).toBe(true);
    const nonsense = { spec: 7, status: ['x'], metadata: { name: 'x', creationTimestamp: 5, labels: {} }, data: null };
    expect(cells(resource, nonsense).every((cell) => typeof cell === 'string')).toBe(true);
  }
});

test.each([
  [-5_000, '<invalid>'], [-1_000, '0s'], [0, '0s'], [119_000, '119s'], [125_000, '2m5s'], [600_000, '10m'], [3 * 3_600_000, '3h'],
  [3 * 3_600_000 + 60_000, '3h1m'], [47 * 3_600_000, '47h'], [3 * 86_400_000, '3d'], [800 * 86_400_000, '2y70d'], [4_000 * 86_400_000, '10y'],
])('%d ms are %s', (ms, text) => expect(objectAgeText(ms)).toBe(text)); // prettier-ignore

const OBJECT = {
  spec: { 'a.b': 1, list: [{ n: 'x', v: 1 }, { n: 'y', v: 2 }] },
  status: { conditions: [{ type: 'Ready', status: 'True' }, { type: 'Other', status: 'False' }] },
}; // prettier-ignore

test.each([
  ['.spec.list[0].n', ['x']], ['.spec.list[-1].v', [2]], ['.spec.list[*].n', ['x', 'y']], ["{.spec['a.b']}", [1]], ['.spec.a\\.b', [1]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']], ["$.status.conditions[?(@.type=='Other')].status", ['False']],
  ['.spec.list[?(@.v==2)].n', ['y']], ['.not.there', []], ['.spec.__proto__', []],
])('JSONPath %s selects %j', (path, found) => expect(compileColumnJsonPath(path)(OBJECT)).toEqual(found)); // prettier-ignore

test.each(['.a[', '.a[(1)]', 'a b', '.a[?(@.x>1)]'])('JSONPath %s is rejected', (path) => {
  expect(() => compileColumnJsonPath(path)).toThrow(/JSONPath: expected/);
});

test('a custom resource has the columns of its definition, and a name', () => {
  const columns = customResourceColumns(
    [
      { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
      { name: 'Since', type: 'date', jsonPath: '.status.since' },
      { name: 'Broken', type: 'string', jsonPath: '.a[' },
    ],
    systemEnv,
  );
  expect(columns.map(({ title }) => title)).toEqual(['NAME', 'PHASE', 'SINCE']);
  const object = { metadata: { name: 'w' }, status: { phase: 'Ready', since: '2026-01-01T23:59:00Z' } } as KubeObject;
  expect(columns.map(({ cell }) => cell(object, NOW))).toEqual(['w', 'Ready', '60s']);
  expect(customResourceColumns([], systemEnv).map(({ title }) => title)).toEqual(['NAME', 'AGE']);
});

test('S67: a printer column of a credential shows a mark', () => {
  const [, column] = customResourceColumns([{ name: 'Key', type: 'string', jsonPath: '.spec.apiKey' }], systemEnv);
  const object = { metadata: { name: 'a' }, spec: { apiKey: 'c4n4ry' } } as unknown as KubeObject;
  expect(column?.cell(object, 0)).toMatch(/^\[6 characters, #/);
});

test('S121: no column fails, whatever a server sends in the place of a text, a list or an object', () => {
  const columns = [...[...COLUMNS_BY_RESOURCE.values()].flat(), LABELS, NAMESPACE];
  const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(null, 1, true, [], ['\u001b'], {}, { length: 1 }, '\u001b[2J'));
  const part = (...names: string[]) => fc.oneof(odd, fc.record(Object.fromEntries(names.map((name) => [name, odd])), { requiredKeys: [] }));
  const object = fc.record({
    metadata: part('name', 'namespace', 'labels', 'creationTimestamp'),
    spec: part('containers', 'ports', 'rules', 'template', 'externalIPs', 'claimRef', 'replicas'),
    status: part('conditions', 'phase', 'containerStatuses', 'loadBalancer', 'initContainerStatuses', 'startTime'),
    data: odd, involvedObject: odd, message: odd, type: odd, series: odd,
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(object, (one) => {
      for (const column of columns) {
        // oxlint-disable-next-line no-control-regex
        expect(escapeText(column.cell(one as KubeObject, NOW))).not.toMatch(/[\u0000-\u001f]/);
        expect(typeof orderByColumn(column, NOW, false).orderOf(one as KubeObject)).toBe('string');
      }
    }),
    { numRuns: 80 },
  );
}); // prettier-ignore

test('S121: values that are not text are escaped like text', () => {
  for (const value of [['\u001b[2J'], { length: 0 }, { length: 1 }, 5, null, true])
    // oxlint-disable-next-line no-control-regex
    expect(escapeText(value as unknown as string)).toMatch(/^[^\u0000-\u001f]*$/);
});

test('S126: templates of any text are compiled or refused by name, in linear time', () => {
  for (const template of [String.raw`{"\q"}`, '{"a\nb"}', '{end}', '{range .a}', '{"'.repeat(20_000), `['${'\\'.repeat(20_001)}`, `[?(@.${'a'.repeat(20_000)}${' '.repeat(20_000)}`])
    expect(() => compileColumnTemplate(template)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  const object = { a: [{ b: 'x' }, { b: 'y' }], __proto__: null };
  expect(compileColumnTemplate('{range .a[*]}{.b}{"\\t"}{end}')(object)).toBe('x\ty\t');
  expect(compileColumnTemplate('{.__proto__}{.constructor}{.toString}')({ a: 1 })).toBe('');
}); // prettier-ignore
