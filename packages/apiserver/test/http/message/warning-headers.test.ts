import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { expect, test } from 'vitest';
import { warningHeaders } from '../../../src/http/message/warning-headers.ts';
import { startApiServer } from '../../../src/index.ts';

const text = (header: string): string => Buffer.from(header, 'latin1').toString();

test('a warning is UTF-8 over HTTP/2, too', async () => {
  await using server = await startApiServer();
  const session = connect(server.url, { ca: server.ca as string });
  const stream = session.request({
    ':method': 'POST',
    ':path': '/api/v1/namespaces/default/configmaps',
    'content-type': 'application/json',
    authorization: `Bearer ${server.token}`,
  });
  stream.end(JSON.stringify({ metadata: { name: 'a' }, 数据: 1 }));
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  stream.resume();
  await once(stream, 'close');
  session.close();
  expect(headers[':status']).toBe(201);
  expect(text(headers['warning'] as string)).toBe('299 - "unknown field \\"数据\\""');
});

test('characters that no header can have are removed, and the rest is kept', () => {
  expect(warningHeaders(['a\nb', '\u007f', '\u0085', 'é"\\']).map(text)).toEqual(['299 - "é\\"\\\\"']);
});
