import type { TransportRequest } from 'kube-informer/client';
import { expect, test } from 'vitest';
import { ReadOnlyTransport } from '../../src/session/read-only-transport.ts';

function rig() {
  const sent: string[] = [];
  const body = async function* () { yield new Uint8Array(10); yield new Uint8Array(5); }; // prettier-ignore
  const inner = {
    send: ({ method, path }: TransportRequest) => {
      sent.push(`${method} ${path}`);
      return Promise.resolve({ status: 200, headers: new Map([['date', 'now']]), body: body() });
    },
    close: () => Promise.resolve(),
  };
  const transport = new ReadOnlyTransport(inner, () => 42);
  const ask = (method: TransportRequest['method'], path: string) =>
    transport.send({ method, path, headers: {}, signal: new AbortController().signal });
  return { transport, sent, ask };
}

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('%s requests are never sent', async (method) => {
  const { sent, ask } = rig();
  await expect(ask(method, '/api/v1/namespaces/default/pods')).rejects.toThrow('this program is read-only');
  await expect(ask(method, '/apis/authorization.k8s.io/v1/subjectaccessreviews')).rejects.toThrow('read-only');
  expect(sent).toEqual([]);
});

test('read requests and self reviews are allowed', async () => {
  const { sent, ask } = rig();
  await ask('GET', '/api/v1/pods?watch=true');
  await ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
  await ask('POST', '/k8s/clusters/c1/apis/authentication.k8s.io/v1/selfsubjectreviews');
  expect(sent).toHaveLength(3);
  await expect(ask('DELETE', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')).rejects.toThrow('read-only');
});

test('bytes are counted as they are read', async () => {
  const { transport, ask } = rig();
  const { body } = await ask('GET', '/version');
  expect(transport.traffic).toMatchObject({ requests: 1, bytes: 0, lastResponseAt: 42 });
  let read = 0;
  for await (const chunk of body) read += chunk.byteLength;
  expect([read, transport.traffic.bytes]).toEqual([15, 15]);
});
