/* Run as a process of its own by transport.process.test.ts: what only a whole process can show. */
import { openSync } from 'node:fs';
import { createNodeTransport } from '../../src/client/node-transport.ts';
import { messageOf } from '../../src/core/errors.ts';

const [mode, server = '', proxy] = process.argv.slice(2);
const ca = process.env['TEST_CA'] as string;
const transport = createNodeTransport({
  server: new URL(server),
  tls: { current: () => ({ ca }), refresh: () => Promise.resolve(false) },
  ...(proxy === undefined ? {} : { proxy: new URL(proxy) }),
});
const ask = async (): Promise<string> => {
  const { body } = await transport.send({
    method: 'GET',
    path: '/hello',
    headers: {},
    signal: new AbortController().signal,
  });
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
};

if (mode === 'files') {
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch {
    // none left
  }
}
try {
  console.log('answer', await ask());
} catch (error) {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  console.log('failure', code, cause?.code, messageOf(error));
}
// No close(): an unused connection must not keep the process.
