import { expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

/** Responses of a real kube-apiserver 1.36 to the same requests. */

const CORE = '/api/v1/namespaces/default';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const MICRO = '2006-01-02T15:04:05.000000Z07:00';
const SECONDS = '2006-01-02T15:04:05Z07:00';
const NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NO_SUFFIX = "unable to parse quantity's suffix";

const rig = () => startApiServer({ tls: false });

type Server = Awaited<ReturnType<typeof rig>>;

/** The message behind `… cannot be handled as a …: `, or what was stored. */
async function post<T>(server: Server, path: string, body: object, stored: (object: never) => T): Promise<T | string> {
  const answer = await ask(server, 'POST', path, { body: JSON.stringify(body) });
  const object = answer.body as { message?: string; reason?: string };
  if (answer.status === 201) return stored(object as never);
  expect(answer.status).toBe(400);
  expect(object.reason).toBe('BadRequest');
  const { message = '' } = object;
  expect(message).toMatch(/^\w+ in version "v1" cannot be handled as a \w+: /);
  return message.slice(message.indexOf(': ') + 2);
}

test('a time with microseconds has six digits of them, and is stored in UTC', async () => {
  await using server = await rig();
  const cannot = (time: string, rest: string, element: string) =>
    `parsing time "${time}" as "${MICRO}": cannot parse "${rest}" as "${element}"`;
  const answers: readonly (readonly [string, string])[] = [
    ['2026-01-01T00:00:00.432123Z', '2026-01-01T00:00:00.432123Z'],
    ['2026-01-01T00:00:00.432123+02:00', '2025-12-31T22:00:00.432123Z'],
    ['2026-01-01T00:00:00,432123Z', '2026-01-01T00:00:00.432123Z'],
    ['2026-01-01T0:00:00.432123Z', '2026-01-01T00:00:00.432123Z'],
    ['2026-01-01T00:00:00.432Z', cannot('2026-01-01T00:00:00.432Z', '.432Z', '.000000')],
    ['2026-01-01T00:00:00Z', cannot('2026-01-01T00:00:00Z', 'Z', '.000000')],
    ['2026-01-01T00:00:00.432123456Z', cannot('2026-01-01T00:00:00.432123456Z', '456Z', 'Z07:00')],
    ['2026-01-01', cannot('2026-01-01', '', 'T')],
    ['', cannot('', '', '2006')],
    ['x', cannot('x', 'x', '2006')],
    ['2026-01-01t00:00:00.432123z', cannot('2026-01-01t00:00:00.432123z', 't00:00:00.432123z', 'T')],
    ['2026-01-01T00:00:00.432123', cannot('2026-01-01T00:00:00.432123', '', 'Z07:00')],
    ['2026-13-01T00:00:00.000000Z', 'parsing time "2026-13-01T00:00:00.000000Z": month out of range'],
    ['2026-02-30T00:00:00.000000Z', 'parsing time "2026-02-30T00:00:00.000000Z": day out of range'],
    ['2026-01-01T25:00:00.432123Z', 'parsing time "2026-01-01T25:00:00.432123Z": hour out of range'],
    ['2026-01-01T00:00:00.432123Zx', 'parsing time "2026-01-01T00:00:00.432123Zx": extra text: "x"'],
    [
      '2026-01-01T00:00:00.432123+25:00',
      'parsing time "2026-01-01T00:00:00.432123+25:00": time zone offset hour out of range',
    ],
  ];
  for (const [index, [renewTime, answer]] of answers.entries()) {
    const lease = { metadata: { name: `l${index}` }, spec: { renewTime } };
    const stored = (object: { spec: { renewTime: string } }) => object.spec.renewTime;
    expect(await post(server, LEASES, lease, stored), renewTime).toBe(answer);
  }
});

test('a time is RFC 3339; a fraction is accepted and dropped', async () => {
  await using server = await rig();
  const cannot = (time: string, rest: string, element: string) =>
    `parsing time "${time}" as "${SECONDS}": cannot parse "${rest}" as "${element}"`;
  const answers: readonly (readonly [string, string])[] = [
    ['2026-01-01T00:00:00.432Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00+02:00', '2025-12-31T22:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2026-01-01', cannot('2026-01-01', '', 'T')],
    ['2026-1-01T00:00:00Z', cannot('2026-1-01T00:00:00Z', '1-01T00:00:00Z', '01')],
    ['26-01-01T00:00:00Z', cannot('26-01-01T00:00:00Z', '26-01-01T00:00:00Z', '2006')],
    ['2026-01-01T00:00:00.Z', cannot('2026-01-01T00:00:00.Z', '.Z', 'Z07:00')],
    ['2026-01-01T00:00:00+0200', cannot('2026-01-01T00:00:00+0200', '+0200', 'Z07:00')],
    ['2026-01-01T00:00:60Z', 'parsing time "2026-01-01T00:00:60Z": second out of range'],
    ['2026-01-32T00:00:00Z', 'parsing time "2026-01-32T00:00:00Z": day out of range'],
  ];
  for (const [index, [lastTimestamp, answer]] of answers.entries()) {
    const event = { metadata: { name: `e${index}` }, involvedObject: { namespace: 'default' }, lastTimestamp };
    const stored = (object: { lastTimestamp: string }) => object.lastTimestamp;
    expect(await post(server, `${CORE}/events`, event, stored), lastTimestamp).toBe(answer);
  }
  const born = (creationTimestamp: unknown) => ({ metadata: { name: 'c', creationTimestamp } });
  expect(await post(server, `${CORE}/configmaps`, born('x'), () => 'taken')).toBe(cannot('x', 'x', '2006'));
  expect(await post(server, `${CORE}/configmaps`, born(5), () => 'taken')).toBe(
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
  );
});

test('bytes are base64 with padding, and are stored in one form', async () => {
  await using server = await rig();
  const illegal = (at: number) => `illegal base64 data at input byte ${at}`;
  const answers: readonly (readonly [unknown, string])[] = [
    ['YQ==', 'YQ=='],
    ['', ''],
    ['YQ==\n', 'YQ=='],
    ['YWJj\r\nYWJj', 'YWJjYWJj'],
    ['YR==', 'YQ=='],
    ['not base64!', illegal(3)],
    ['YQ', illegal(0)],
    ['YWI', illegal(0)],
    ['YQ= =', illegal(2)],
    ['YQ===', illegal(4)],
    ['a_-b', illegal(1)],
    [5, 'json: cannot unmarshal number into Go struct field Secret.data of type []uint8'],
  ];
  for (const [index, [value, answer]] of answers.entries()) {
    const stored = (object: { data: { a: string } }) => object.data.a;
    const secret = { metadata: { name: `s${index}` }, data: { a: value } };
    expect(await post(server, `${CORE}/secrets`, secret, stored), JSON.stringify(value)).toBe(answer);
  }
  const binary = { metadata: { name: 'b' }, binaryData: { a: '!' } };
  expect(await post(server, `${CORE}/configmaps`, binary, () => 'taken')).toBe(illegal(0));
});

test('quantities have the syntax of quantities', async () => {
  await using server = await rig();
  const answers: readonly (readonly [unknown, string])[] = [
    ['1', '1'],
    [5, '5'],
    [1.5, '1500m'],
    [' 1', '1'],
    ['.', '0'],
    ['Ki', '0'],
    ['1E', '1E'],
    ['abc', NO_QUANTITY],
    ['', NO_QUANTITY],
    ['1.5.5', NO_QUANTITY],
    ['1KiB', NO_QUANTITY],
    ['1e3i', NO_QUANTITY],
    [true, NO_QUANTITY],
    [{}, NO_QUANTITY],
    ['1K', NO_SUFFIX],
    ['1e', NO_SUFFIX],
    ['1mm', NO_SUFFIX],
    ['--1', NO_SUFFIX],
  ];
  for (const [index, [cpu, answer]] of answers.entries()) {
    const containers = [{ name: 'c', image: 'i', resources: { limits: { cpu } } }];
    const stored = ({ spec }: { spec: { containers: [{ resources: { limits: { cpu: string } } }] } }) =>
      spec.containers[0].resources.limits.cpu;
    const pod = { metadata: { name: `p${index}` }, spec: { containers } };
    expect(await post(server, `${CORE}/pods`, pod, stored), JSON.stringify(cpu)).toBe(answer);
  }
});

test('integers fit into their type', async () => {
  await using server = await rig();
  const lease = (leaseDurationSeconds: unknown) => ({ metadata: { name: 'l' }, spec: { leaseDurationSeconds } });
  const wrong = (what: string, type = 'int32', field = 'LeaseSpec.spec.leaseDurationSeconds') =>
    `json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`;
  for (const value of [3_000_000_000, -3_000_000_000, 2_147_483_648, 1.5])
    expect(await post(server, LEASES, lease(value), () => 'taken')).toBe(wrong(`number ${value}`));
  expect(await post(server, LEASES, lease('5'), () => 'taken')).toBe(wrong('string'));
  expect(await post(server, LEASES, lease(2_147_483_647), () => 'taken')).toBe('taken');
  const container = { name: 'c', image: 'i' };
  const pod = (spec: object) => ({ metadata: { name: 'p' }, spec: { containers: [container], ...spec } });
  expect(await post(server, `${CORE}/pods`, pod({ terminationGracePeriodSeconds: 1.5 }), () => 'taken')).toBe(
    wrong('number 1.5', 'int64', 'PodSpec.spec.terminationGracePeriodSeconds'),
  );
  const service = (targetPort: number) => ({ metadata: { name: 's' }, spec: { ports: [{ port: 80, targetPort }] } });
  for (const value of [3_000_000_000, 1.5])
    expect(await post(server, `${CORE}/services`, service(value), () => 'taken')).toBe(
      wrong(`number ${value}`, 'int32', 'ServicePort.spec.ports.targetPort'),
    );
});

test('patches and applies are checked against the same types, each with its own message', async () => {
  await using server = await rig();
  const bad = { renewTime: '2026-01-01T00:00:00.432Z' };
  const why = `parsing time "${bad.renewTime}" as "${MICRO}": cannot parse ".432Z" as ".000000"`;
  await ask(server, 'POST', LEASES, { body: JSON.stringify({ metadata: { name: 'l' } }) });
  const patch = async (type: string, body: object, path = `${LEASES}/l`) => {
    const headers = { 'content-type': `application/${type}` };
    const answer = await ask(server, 'PATCH', path, { body: JSON.stringify(body), headers });
    return [answer.status, (answer.body as { message: string }).message] as const;
  };
  const [mergeStatus, mergeMessage] = await patch('merge-patch+json', { spec: bad });
  expect([mergeStatus, mergeMessage.slice(-why.length)]).toEqual([422, why]);
  expect(await patch('strategic-merge-patch+json', { spec: bad })).toEqual([
    422,
    ` "" is invalid: patch: Invalid value: "map[spec:map[renewTime:${bad.renewTime}]]": ${why}`,
  ]);
  expect(await patch('strategic-merge-patch+json', { spec: { leaseDurationSeconds: 1.5 } })).toEqual([
    422,
    ' "" is invalid: patch: Invalid value: "map[spec:map[leaseDurationSeconds:1.5]]": cannot convert float64 to int32',
  ]);
  const strategic = async (body: object) => {
    const [status, message] = await patch('strategic-merge-patch+json', body);
    return `${status} ${message.slice(message.indexOf(']": ') + 4)}`;
  };
  expect(await strategic({ metadata: { labels: 'x' } })).toBe('422 cannot restore map from string');
  expect(await strategic({ metadata: { labels: { a: 5 } } })).toBe('422 cannot convert int64 to string');
  expect(await strategic({ metadata: { finalizers: {} } })).toBe('422 cannot restore slice from map');
  expect(await strategic({ spec: [1] })).toBe('422 cannot restore struct from: slice');
  expect(await strategic({ spec: { leaseDurationSeconds: 'x' } })).toBe('422 unrecognized type: int32');
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' }, spec: bad };
  expect(await patch('apply-patch+yaml', lease, `${LEASES}/a?fieldManager=m`)).toEqual([
    500,
    'failed to convert new object (/a; coordination.k8s.io/v1, Kind=Lease) to proper version: ' +
      `unable to convert unstructured object to coordination.k8s.io/v1, Kind=Lease: ${why}`,
  ]);
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { a: '!' } };
  expect(await patch('apply-patch+yaml', secret, `${CORE}/secrets/a?fieldManager=m`)).toEqual([
    500,
    'failed to convert new object (/a; /v1, Kind=Secret) to proper version: ' +
      'unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 0',
  ]);
});
